import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

const latency = assumed(20_000);
/** Half a second for one try. */
const brief = { timeouts: { total: '500ms' } } as const;
/** A quarter of a second without progress, and a second in all. */
const impatient = { timeouts: { idle: '250ms', total: '1s' } } as const;
const mail = {
  summary: 'Send a mail.',
  input: z.object({ to: z.string() }),
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'accept', reason: 'a test mailbox' },
  latency,
  resourceGroup: 'desk',
  owner: 'desk@team',
} as const;

export default defineRegistry({
  name: 'desk',
  tools: [
    defineTool({
      name: 'echo',
      summary: 'Say it back.',
      input: z.looseObject({}),
      idempotency: read(),
      latency,
      resourceGroup: 'desk',
      owner: 'desk@team',
    }),
    defineTool({ ...mail, name: 'send_mail' }),
    defineTool({ ...mail, name: 'send_and_die' }),
    defineTool({ ...mail, ...brief, name: 'send_slowly' }),
    defineTool({ ...mail, name: 'send_and_drop' }),
    defineTool({ ...mail, name: 'send_and_cut' }),
    defineTool({ ...mail, name: 'send_and_end' }),
    defineTool({ ...mail, name: 'send_and_cut_text' }),
    defineTool({ ...mail, name: 'send_and_resume' }),
    defineTool({ ...mail, name: 'send_and_fail' }),
    defineTool({ ...mail, ...impatient, name: 'send_and_stall' }),
    defineTool({ ...mail, ...impatient, name: 'send_and_keep_alive' }),
    defineTool({ ...mail, name: 'limited' }),
    defineTool({ ...mail, name: 'limited_until' }),
    defineTool({ ...mail, name: 'limited_for_long' }),
    defineTool({ ...mail, name: 'is_forbidden' }),
    defineTool({ ...mail, name: 'is_a_page' }),
    defineTool({
      name: 'book_and_drop',
      summary: 'Book a table.',
      input: z.object({ table: z.number() }),
      idempotency: {
        class: 'idempotent-write',
        sentAs: { header: 'Idempotency-Key' },
        serverKeepsKeyFor: '1d',
      },
      latency,
      resourceGroup: 'desk',
      owner: 'desk@team',
    }),
  ],
  resourceGroups: { desk: {} },
});
