import type { z } from 'zod';
import { argumentNames, argumentSchema } from '../input-schema.js';
import { hasDefaultMadeAnew } from '../made-anew.js';
import type { AnyToolEntry, EntryKey } from '../tool-entry.js';
import type { RegistryRule } from './registry-rule.js';

/** What a caller makes anew for each attempt, in snake case. */
const madePerAttempt = new Set([
  'request_id',
  'correlation_id',
  'trace_id',
  'span_id',
  'attempt',
  'attempt_id',
  'retry_count',
  'nonce',
  'idempotency_key',
  'client_token',
  'now',
  'timestamp',
  'current_time',
]);

const inSnakeCase = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

/** Why an argument looks made anew, if it does. A name that `identity` lists is a decision; a default is a fact. */
function suspicion(argument: string, input: z.ZodType, key: EntryKey): string | undefined {
  const schema = argumentSchema(input, argument);
  if (schema !== undefined && hasDefaultMadeAnew(schema)) return 'has a default that is made anew';
  const chosen = key.identity?.includes(argument) ?? false;
  return !chosen && madePerAttempt.has(inSnakeCase(argument))
    ? 'sounds as if it were made anew'
    : undefined;
}

function check({ name, idempotency, modelInput }: AnyToolEntry) {
  if (idempotency.class === 'read' || idempotency.class === 'delegates') return [];
  const { key } = idempotency;
  const inIdentity = key.identity ?? argumentNames(modelInput) ?? [];
  return inIdentity.flatMap((argument) => {
    if (key.volatile.includes(argument)) return [];
    const why = suspicion(argument, modelInput, key);
    if (why === undefined) return [];
    const reason = `'${argument}' is in the identity and ${why} for each attempt, so that no two calls would be the same wish`;
    const fix =
      key.identity === undefined
        ? `name it in idempotency.key.volatile, or in key.identity if it does make another wish`
        : 'take it out of key.identity, or its default out of the input';
    return [{ field: `tools.${name}.idempotency.key`, reason, fix }];
  });
}

/** An identity that differs from attempt to attempt protects from nothing. Nothing is ever left out unnamed. */
export const identityMadeAnew: RegistryRule = {
  name: 'identity-made-anew',
  severity: 'warning',
  check: ({ tools }) => tools.flatMap(check),
};
