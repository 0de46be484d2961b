import type { AnyToolEntry } from '@holdfast/tool-registry';
import { consent, mustBeConfirmed } from './call/consent.js';
import type { CallHost } from './call/host.js';
import type { Question } from './call/question.js';
import { recall } from './call/recall.js';
import type { CallRequest } from './call/request.js';
import { resolve } from './call/resolve.js';
import { validate } from './call/validate.js';
import type { GateParts } from './gate-parts.js';
import { actionDigest } from './run/loop-guard.js';

/** Whether calls of a tool may have to be asked about. */
export function mayAsk(entry: AnyToolEntry | undefined): boolean {
  if (entry === undefined) return false;
  const { idempotency } = entry;
  return (
    mustBeConfirmed({ declared: true, class: idempotency.class, entry }) ||
    ('repeat' in idempotency && idempotency.repeat === 'ask')
  );
}

/**
 * What the gate would ask a person about a call if it were made now. Several calls of one message can so be
 * asked about at once, before any of them runs.
 */
export async function questionOf(
  request: CallRequest,
  host: CallHost,
  parts: GateParts,
): Promise<Question | undefined> {
  let asked: Question | undefined;
  const listening: CallHost = {
    ...host,
    suspends: (thrown) => thrown === LISTENING || (host.suspends?.(thrown) ?? false),
    ask: async (question) => {
      asked = question;
      throw LISTENING;
    },
  };
  const resolved = resolve(request, listening, {
    registry: parts.registry,
    executable: true,
    time: host.run.budget.deadline,
    insideRetries: false,
    action: actionDigest(request.tool, request.args),
  });
  if (resolved.at !== 'resolved' || !resolved.contract.declared) return undefined;
  if (!mayAsk(resolved.contract.entry)) return undefined;
  const silent: GateParts = {
    ...parts,
    // Nobody is asked yet.
    emit: (type, subject, details) => {
      if (type !== 'question_asked') parts.emit(type, subject, details);
    },
  };
  const validated = await validate(resolved, parts);
  if (validated.at !== 'validated') return undefined;
  const recalled = await recall(validated, silent);
  if (recalled.at === 'recalled') await consent(recalled, silent);
  return asked;
}

const LISTENING = new Error('a question was asked to nobody');
