/** The options of an agent program, all of them strings and all required. */
export const agentOptionNames = [
  'thread',
  'state',
  'orders',
  'mail',
  'model',
  'message',
  'deadlineMs',
  'requestTimeoutMs',
] as const;

/**
 * `thread`: the conversation's id. `state`: the SQLite file of the checkpoints. `orders`, `mail`,
 * `model`: the URLs of the services. `message`: what the user asks. `deadlineMs`: how long the run may
 * take. `requestTimeoutMs`: how long a tool waits for a service.
 */
export type AgentOptions = Record<(typeof agentOptionNames)[number], string>;

/** What the guarded agent program needs besides. */
export const guardOptionNames = ['ledger', 'events'] as const;

/** `ledger`: the SQLite file of the effects. `events`: the file that events are appended to. */
export type GuardOptions = Record<(typeof guardOptionNames)[number], string>;
