import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

const latency = assumed(20_000);
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
    defineTool({ ...mail, name: 'send_slowly', timeouts: { total: '500ms' } }),
  ],
  resourceGroups: { desk: {} },
});
