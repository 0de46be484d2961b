/** What the driver asks of an agent process, and what it is told. */
import { z } from 'zod';

/** As `test/support/agents.ts` names them. */
export const agents = [
  'createAgent v2',
  'createAgent v1',
  'createReactAgent v1',
  'createReactAgent v2',
  'StateGraph with ToolNode',
  'StateGraph with guard.toolNode',
  'StateGraph with guard.route',
  'entrypoint',
] as const;
export const classes = [
  'idempotent-write',
  'irreversible',
  'irreversible+probe',
  'undeclared',
] as const;
/** What one message of the model asks for. Of two calls in turn, the first is done when the second one begins. */
export const callings = ['one', 'two in turn', 'two at once'] as const;
export const durabilities = ['sync', 'async', 'exit'] as const;
/** Where a process is killed, in the order in which a guarded call passes them. */
export const points = [
  'before-claim',
  'after-claim',
  'during-effect',
  'after-effect',
  'after-settle',
  'after-pending-write',
  'before-checkpoint',
  'after-checkpoint',
] as const;

export type AgentName = (typeof agents)[number];
export type ToolClass = (typeof classes)[number];
export type Point = (typeof points)[number];

/** Beside the table's points: `before-effect` is for agents that claim nothing. */
const killPoints = [...points, 'before-effect'] as const;
export type KillPoint = (typeof killPoints)[number];

const milliseconds = z.int().nonnegative();

export const job = z.object({
  /** `start` sends the message; `resume` does what a worker does that finds the thread unfinished. */
  task: z.enum(['start', 'resume']),
  agent: z.enum(agents),
  /** `mutant`: guarded, with the write-ahead taken out. */
  guarding: z.enum(['stock', 'guarded', 'mutant']),
  class: z.enum(classes),
  calls: z.enum(callings),
  durability: z.enum(durabilities),
  /** How much later the saver does what it is asked. */
  delays: z.object({ readMs: milliseconds, putMs: milliseconds, putWritesMs: milliseconds }),
  killAt: z.enum(killPoints).optional(),
  thread: z.string(),
  /** The wishes: an account to charge for each call. */
  accounts: z.tuple([z.string()], z.string()),
  /** Holds `ledger.db` and `state.db`. */
  folder: z.string(),
  serviceUrl: z.url(),
});
export type Job = z.infer<typeof job>;
export type Delays = Job['delays'];

/** What a process tells its driver. */
export const notice = z.discriminatedUnion('kind', [
  /** It has read where the thread stands. */
  z.object({ kind: z.literal('looked') }),
  /** What a declaration found in the ledger. */
  z.object({ kind: z.literal('claimed'), found: z.string() }),
  /** `status` is the report's; `answered` without a guard. */
  z.object({
    kind: z.literal('done'),
    status: z.string(),
    text: z.string(),
    /** What became of the thread; calls are numbered. `human`, `ai calls 1`, `tool answers 1`, `ai` is a whole turn. */
    conversation: z.array(z.string()),
  }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
]);
export type Notice = z.infer<typeof notice>;
