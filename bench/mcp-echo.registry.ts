import { defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { z } from 'zod';

export default defineRegistry({
  name: 'echo',
  tools: [
    defineTool({
      name: 'echo',
      summary: 'Say it back.',
      input: z.object({ n: z.number() }),
      idempotency: read(),
      resourceGroup: 'echo',
      owner: 'bench@holdfast',
    }),
  ],
  resourceGroups: { echo: {} },
});
