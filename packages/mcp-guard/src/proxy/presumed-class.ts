import type { PresumedClass } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';

/**
 * What a tool without an entry is taken for by what its server says of it. A server may be wrong, or lie: what
 * makes a tool more dangerous is believed, that it only reads is believed only where a person trusts it.
 */
export function presumedClass(
  definition: Readonly<Record<string, unknown>> | undefined,
  trustsAnnotations: boolean,
): PresumedClass | undefined {
  const annotations = definition?.annotations;
  if (!isRecord(annotations)) return undefined;
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  if (readOnlyHint === true) return trustsAnnotations ? 'read' : undefined;
  // Its default is true, but who says nothing has not thought of it.
  return destructiveHint === true && idempotentHint !== true ? 'irreversible' : undefined;
}
