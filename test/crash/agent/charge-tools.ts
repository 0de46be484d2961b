import { guardedFetch } from '@holdfast/call-guard';
import { assumed, defineRegistry, defineTool, read } from '@holdfast/tool-registry';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { CrashPoint } from './crash-point.js';
import type { ToolClass } from './job.js';

const chargeInput = z.object({ account: z.string(), cents: z.int() });
const chargeOutput = z.object({ chargeId: z.string() });
const charges = z.object({ ids: z.array(z.string()), asOf: z.coerce.date() });

const findCharge = defineTool({
  name: 'find_charge',
  summary: 'Find a charge by the key it was sent with.',
  input: z.object({ key: z.string() }),
  output: charges,
  idempotency: read(),
  resourceGroup: 'till',
  owner: 'till@team',
});

const promise = {
  name: 'charge',
  summary: 'Charge an account.',
  input: chargeInput,
  output: chargeOutput,
  latency: assumed(10_000),
  resourceGroup: 'till',
  owner: 'till@team',
} as const;

const keyed = defineTool({
  ...promise,
  idempotency: {
    class: 'idempotent-write',
    sentAs: { header: 'Idempotency-Key' },
    serverKeepsKeyFor: '1d',
  },
  compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a charge stands' },
});
const irreversible = defineTool({
  ...promise,
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a charge stands' },
});
const probed = defineTool({
  ...promise,
  idempotency: { class: 'irreversible' },
  compensation: { tool: 'none', avoidBy: 'place-last', reason: 'a charge stands' },
  probe: {
    tool: findCharge,
    args: ({ idempotencyKey }) => ({ key: idempotencyKey }),
    answer: ({ ids: [chargeId], asOf }) =>
      chargeId === undefined
        ? { found: 'absent', authoritative: true, asOf }
        : { found: 'one', evidence: { chargeId }, result: { chargeId } },
  },
});

/** What the guard is told of `charge`; nothing at all where it is `undeclared`. */
export function registryOf(toolClass: ToolClass) {
  const charge = {
    'idempotent-write': [keyed],
    irreversible: [irreversible],
    'irreversible+probe': [probed],
    undeclared: [],
  }[toolClass];
  return defineRegistry({
    name: 'till',
    tools: [findCharge, ...charge],
    resourceGroups: { till: {} },
  });
}

/** The tool, as one writes it; a charge sent to `/keyed-charges` with a key that is known is no other. */
export function chargeTool(
  setting: { readonly serviceUrl: string; readonly class: ToolClass; readonly send: typeof fetch },
  crash: CrashPoint,
) {
  const path = setting.class === 'idempotent-write' ? 'keyed-charges' : 'charges';
  return tool(
    async (charge) => {
      await crash.turnOf(charge.account);
      await crash.reached('before-effect', charge.account);
      const response = await setting.send(`${setting.serviceUrl}/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(charge),
      });
      const charged = chargeOutput.parse(await response.json());
      await crash.reached('after-effect', charge.account);
      crash.done(charge.account);
      return charged;
    },
    { name: 'charge', description: 'Charge an account.', schema: chargeInput },
  );
}

/** How the guard asks whether a charge took place. */
export function chargeFinder(serviceUrl: string) {
  return async ({ key }: { key: string }): Promise<z.output<typeof charges>> => {
    const response = await guardedFetch(`${serviceUrl}/charges?key=${key}`);
    return charges.parse(await response.json());
  };
}
