import type {
  AttemptEnd,
  Effect,
  EffectIn,
  Moved,
  StoredResult,
  Transition,
} from '@holdfast/effect-ledger';
import { redactSecrets } from '@holdfast/tool-registry';
import type { z } from 'zod';
import type { FailureFacts } from '../failure.js';
import type { GateParts } from '../gate-parts.js';
import { failed } from '../next-step.js';
import { fieldTree } from '../results/field-tree.js';
import { redactValue } from '../results/redact.js';
import { after, type Soon } from '../soon.js';
import { type Attempted, fold, type Settled, type Stopped } from './call.js';
import { draftOf } from './draft.js';
import { thaw } from './frozen-arguments.js';
import type { TrimmedResult } from './host.js';
import { jsonCodec, storeResult } from './stored-result.js';
import { subjectOf } from './subject.js';
import { trimmedOf, trimResult } from './trim-result.js';
import { planUndo } from './undo-plan.js';
import { writeDown } from './write-down.js';

export type Ending = Extract<Transition, { to: 'succeeded' | 'failed' | 'unknown' | 'suspended' }>;

/**
 * Writes down what happened. If the ledger cannot be written now, only that write is tried again, never
 * the effect. If another owner settled the row meanwhile, its result is adopted.
 */
export function settle(call: Attempted, parts: GateParts): Soon<Settled | Stopped> {
  return after(trimResult(checkResult(call, parts), parts), (trimmed) => {
    const { effect } = trimmed;
    return effect === undefined ? asSettled(trimmed) : settleEffect(trimmed, effect, parts);
  });
}

function asSettled(call: Attempted): Settled {
  const settled = draftOf(call);
  settled.at = 'settled';
  return settled as Settled;
}

async function settleEffect(
  checked: Attempted,
  effect: EffectIn<'attempting'>,
  parts: GateParts,
): Promise<Settled | Stopped> {
  const ending = await endingOf(checked, effect, parts);
  const attempt: AttemptEnd = {
    id: checked.attemptId,
    endedAt: parts.clock.wallMs(),
    ended: isPausedInDoubt(checked) ? 'unknown' : ending.to,
    tries: checked.tries,
    keyCarried: checked.keyCarried,
  };
  const moved = await writeDown(
    () => settleOnce(effect, ending, attempt, parts),
    (written) => takeIn(checked, effect, written, ending, parts),
    subjectOf(checked, { key: effect.key }),
    parts,
  );
  const row = moved === undefined ? undefined : rowOf(moved);
  return moved !== undefined && 'refused' in moved && row?.state === 'succeeded'
    ? fold(checked, row, 'folded')
    : asSettled(checked);
}

function isPausedInDoubt({ outcome }: Attempted): boolean {
  return outcome.outcome === 'suspended' && outcome.inDoubt === true;
}

/** What a write showed, in memory and in the events. */
function takeIn(
  call: Attempted,
  effect: Effect,
  moved: Moved,
  ending: Ending,
  parts: GateParts,
): void {
  const row = rowOf(moved);
  if (row !== undefined) call.host.run.view.learn(row);
  if (!('moved' in moved)) return;
  const subject = subjectOf(call, { key: effect.key, attemptId: call.attemptId });
  parts.emit('effect_settled', subject, {
    outcome: ending.to,
    by: 'evidence' in ending ? ending.evidence.by : 'attempt',
  });
}

/** The row as a move left it, or found it. */
export function rowOf(moved: Moved): Effect | undefined {
  if ('moved' in moved) return moved.moved;
  return 'effect' in moved ? moved.effect : undefined;
}

/** A late answer, a probe or another pass: what settles a row outside of the line. */
export async function submitLate(
  call: Attempted,
  effect: EffectIn<'attempting'>,
  late: { readonly output: unknown } | { readonly failure: FailureFacts },
  parts: GateParts,
): Promise<void> {
  const ended = 'output' in late ? ('succeeded' as const) : ('failed' as const);
  const transition =
    'output' in late
      ? await success(
          call,
          effect,
          {
            output: late.output,
            trimmed: await trimmedOf(call, late.output, parts),
            by: 'late-answer',
          },
          parts,
        )
      : {
          to: 'failed' as const,
          failureKind: late.failure.kind,
          evidence: { by: 'late-answer' as const },
        };
  const attempt: AttemptEnd = { id: call.attemptId, endedAt: parts.clock.wallMs(), ended };
  await writeDown(
    () => parts.ledger.submitEvidence(effect.key, attempt, transition),
    (written) => takeIn(call, effect, written, transition, parts),
    subjectOf(call, { key: effect.key }),
    parts,
  );
}

/** A result that is not what the entry promises, or not what the tool itself does. */
function checkResult(call: Attempted, parts: GateParts): Attempted {
  const byEntry = checkByEntry(call, parts);
  return call.host.resultProblems === undefined ? byEntry : checkByTool(byEntry, parts);
}

/** The tool's own promise is nobody's here: that it is not kept is told, whatever the tool does. */
function checkByTool(call: Attempted, parts: GateParts): Attempted {
  const { outcome, host } = call;
  if (outcome.outcome !== 'succeeded') return call;
  const problems = host.resultProblems?.(outcome.output) ?? [];
  if (problems.length === 0) return call;
  const message = problems
    .map(({ path, message: said }) => `${path.map(String).join('.') || '(result)'}: ${said}`)
    .join('; ');
  parts.emit('warning', subjectOf(call, { key: call.effect?.key }), {
    code: 'result_invalid',
    message: `the result of ${call.request.tool} is not what its own schema promises: ${message}`,
  });
  return { ...call, warnings: [...call.warnings, `result_invalid: ${message}`] };
}

/** A failure of a read, a warning after a write. */
function checkByEntry(call: Attempted, parts: GateParts): Attempted {
  const { contract, outcome, request } = call;
  if (outcome.outcome !== 'succeeded' || !contract.declared) return call;
  const output = parts.memories.get(request.tool)?.output?.forCheck() ?? contract.entry.output;
  if (output === undefined) return call;
  const parsed = parseOutput(output, typedOf(call, outcome.output));
  if (parsed === undefined) return call;
  if (call.effect !== undefined) {
    const message = parsed.map((problem) => problem.message).join('; ');
    parts.emit('warning', subjectOf(call, { key: call.effect.key }), {
      code: 'result_invalid',
      message: `${call.request.tool} is done, but its result is not what its entry promises: ${message}`,
    });
    return { ...call, warnings: [...call.warnings, `result_invalid: ${message}`] };
  }
  const failure = failed('result_invalid', 'none', { problems: parsed });
  return { ...call, outcome: { outcome: 'failed', failure } };
}

function parseOutput(
  schema: z.ZodType,
  value: unknown,
): readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] | undefined {
  try {
    const parsed = schema.safeParse(value);
    return parsed.success
      ? undefined
      : parsed.error.issues.map(({ path, message }) => ({ path, message }));
  } catch {
    // A schema with asynchronous refinements says nothing here; it is not worth a wait after the effect.
    return undefined;
  }
}

async function endingOf(
  call: Attempted,
  effect: EffectIn<'attempting'>,
  parts: GateParts,
): Promise<Ending> {
  const { outcome } = call;
  switch (outcome.outcome) {
    case 'succeeded':
      return success(call, effect, { ...outcome, by: 'attempt' }, parts);
    case 'confirmed':
      return success(call, effect, { by: 'probe', ...outcome }, parts);
    case 'failed':
      return { to: 'failed', failureKind: outcome.failure.kind, evidence: { by: 'attempt' } };
    case 'unknown':
      return {
        to: 'unknown',
        since: parts.clock.wallMs(),
        reason: outcome.failure.kind,
        evidence: { by: 'attempt' },
      };
    case 'suspended':
      return { to: 'suspended' };
  }
}

/** What is known of a success: the tool's output, or what a probe found. */
export type Known = { readonly trimmed?: TrimmedResult | undefined } & (
  | { readonly output: unknown; readonly by: 'attempt' | 'late-answer' }
  | { readonly evidence: unknown; readonly result?: unknown; readonly by: 'probe' | 'policy' }
);

/** Why a success that nobody saw has no result. */
const notTold = {
  probe: 'it was confirmed by asking the other side, which does not tell the result',
  policy: 'nobody could tell whether it was done, and its entry lets it count as done',
};

/** The move to `succeeded`, with the result as it will be given again and the undo of this moment. */
export async function success(
  call: Pick<Attempted, 'host' | 'contract' | 'args' | 'request'>,
  effect: Effect,
  known: Known,
  parts: GateParts,
): Promise<Extract<Transition, { to: 'succeeded' }>> {
  const { contract } = call;
  const output = 'output' in known ? known.output : present(call, known.result);
  const typed = 'output' in known ? typedOf(call, known.output) : known.result;
  const result =
    output === undefined && known.by in notTold
      ? { kept: false as const, reason: notTold[known.by as keyof typeof notTold] }
      : await storeGiven(call, output, known.trimmed);
  const undo = contract.declared
    ? await planUndo(
        contract.entry,
        {
          args: call.args,
          result: read(contract.entry.output, typed),
          before: read(contract.entry.capture?.tool.output, thaw(effect.before)),
        },
        parts.registry,
        parts.clock.wallMs(),
      )
    : { undo: 'none' as const };
  if (!result.kept) {
    parts.emit('warning', subjectOf(call, { key: effect.key }), {
      code: 'result_not_kept',
      message: `${call.request.tool} is done, but an equal call cannot be given its result: ${result.reason}`,
    });
  }
  if (undo.undo === 'invalid') {
    parts.emit('warning', subjectOf(call, { key: effect.key }), {
      code: 'undo_invalid',
      message: `${call.request.tool} cannot be undone: ${undo.reason}`,
    });
  }
  const note = 'evidence' in known ? noteOf(known.evidence, parts) : undefined;
  return {
    to: 'succeeded',
    result,
    undo,
    evidence: { by: known.by, ...(note === undefined ? {} : { note }) },
  };
}

/** What an equal call is given: what this one is given, else the shorter form of it. */
async function storeGiven(
  { contract, host }: Pick<Attempted, 'contract' | 'host'>,
  output: unknown,
  trimmed: TrimmedResult | undefined,
): Promise<StoredResult> {
  const codec = host.codec ?? jsonCodec;
  const fields = contract.declared ? contract.entry.redactedResult : [];
  const store = async (result: unknown): Promise<StoredResult> => {
    if (fields.length === 0) return storeResult(result, codec);
    const redact = host.redact ?? redactValue;
    try {
      return await storeResult(redact(result, fieldTree(fields)), codec);
    } catch {
      // What must not be kept is not kept for want of a way to take it out.
      return { kept: false, reason: 'fields of it must not be kept, and cannot be taken out' };
    }
  };
  const stored = await store(trimmed === undefined ? output : trimmed.given);
  return stored.kept || trimmed?.kept === undefined ? stored : store(trimmed.kept);
}

function noteOf(evidence: unknown, { redactsSecrets }: GateParts): string | undefined {
  try {
    const text = JSON.stringify(evidence);
    return text && (redactsSecrets ? redactSecrets(text) : text).slice(0, 1_000);
  } catch {
    return undefined;
  }
}

/** A value as its schema gives it, or as it is where the schema does not read it. */
function read(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined || value === undefined) return value;
  try {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : value;
  } catch {
    return value;
  }
}

function present(call: Pick<Attempted, 'host' | 'request'>, result: unknown): unknown {
  return result === undefined ? undefined : (call.host.present?.(result, call.request) ?? result);
}

function typedOf(call: Pick<Attempted, 'host'>, output: unknown): unknown {
  return call.host.typedResult === undefined ? output : call.host.typedResult(output);
}

/** One move; where the row went on without us, what we saw is handed in as evidence. */
export async function settleOnce(
  effect: EffectIn<'attempting'>,
  ending: Ending,
  attempt: AttemptEnd,
  parts: GateParts,
): Promise<Moved> {
  const moved = await parts.ledger.move(effect.key, { version: effect.version }, ending, {
    attempt,
  });
  // The row went on without us: a lease ran out, a late answer came. What we saw is evidence still.
  if ('refused' in moved && moved.refused === 'version' && ending.to !== 'suspended') {
    return parts.ledger.submitEvidence(effect.key, attempt, ending);
  }
  return moved;
}
