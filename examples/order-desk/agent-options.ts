/** The options of an agent program, all of them strings and all required. */
export const agentOptionNames = ['thread', 'state', 'orders', 'mail', 'model', 'message'] as const;

/**
 * `thread`: the conversation's id. `state`: the SQLite file of the checkpoints. `orders`, `mail`,
 * `model`: the URLs of the services. `message`: what the user asks.
 */
export type AgentOptions = Record<(typeof agentOptionNames)[number], string>;
