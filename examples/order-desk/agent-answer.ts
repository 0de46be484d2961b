import { z } from 'zod';

/** The guard's report, as far as the demo shows it. */
const runReport = z.object({
  runId: z.string(),
  status: z.enum(['complete', 'partial', 'failed', 'interrupted']),
  done: z.array(z.object({ tool: z.string(), key: z.string() })),
  notDone: z.array(z.object({ tool: z.string(), kind: z.string(), effect: z.string() })),
  resume: z.object({ skipped: z.array(z.string()), unknown: z.array(z.string()) }).optional(),
  // What nothing bounds is left without end, which JSON cannot say.
  time: z.object({ consumedMs: z.number(), leftMs: z.number().nullable() }).optional(),
  text: z.object({ forUser: z.string() }),
});
export type RunReport = z.infer<typeof runReport>;

/** What an agent program prints at its end: the agent's last words and, if guarded, the report. */
export const agentAnswer = z.object({
  text: z.string().default(''),
  report: runReport.optional(),
});
export type AgentAnswer = z.infer<typeof agentAnswer>;
