/** What the driver asks of an agent process, and what it is told. */
import { z } from 'zod';

/** `createAgent` sends each call as a task of its own; the graph has LangGraph's ToolNode. */
export const agents = ['createAgent', 'StateGraph'] as const;
export const classes = [
  'idempotent-write',
  'irreversible',
  'irreversible+probe',
  'undeclared',
] as const;
export const durabilities = ['sync', 'async'] as const;
/** Where a process is killed, in the order in which a guarded call passes them. */
export const points = [
  'before-claim',
  'after-claim',
  'during-effect',
  'after-effect',
  'after-settle',
  'after-checkpoint',
] as const;

export type AgentKind = (typeof agents)[number];
export type ToolClass = (typeof classes)[number];
export type Durability = (typeof durabilities)[number];
export type Point = (typeof points)[number];

/** Beside the table's points: `before-effect` is for agents that claim nothing. */
const killPoints = [...points, 'before-effect', 'after-pending-write'] as const;
export type KillPoint = (typeof killPoints)[number];

const milliseconds = z.int().nonnegative();

export const job = z.object({
  /** `start` sends the message; `resume` does what a worker does that finds the thread unfinished. */
  task: z.enum(['start', 'resume']),
  agent: z.enum(agents),
  /** `mutant`: guarded, with the write-ahead taken out. */
  guarding: z.enum(['stock', 'guarded', 'mutant']),
  class: z.enum(classes),
  durability: z.enum(durabilities),
  /** How much later the saver does what it is asked. */
  delays: z.object({ readMs: milliseconds, putMs: milliseconds, putWritesMs: milliseconds }),
  killAt: z.enum(killPoints).optional(),
  /** The wish and the thread. */
  account: z.string(),
  /** Holds `ledger.db` and `state.db`. */
  folder: z.string(),
  serviceUrl: z.url(),
});
export type Job = z.infer<typeof job>;
export type Delays = Job['delays'];

/** What a process tells its driver. */
export const notice = z.discriminatedUnion('kind', [
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
