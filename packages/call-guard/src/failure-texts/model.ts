import { type Edit, tellEdit } from '../call/edit.js';
import type { FailureDetails, FailureFacts } from '../failure.js';
import { foreignText } from '../foreign-text.js';

/**
 * What the model reads: status, effect, what not to do, what to do next. Never an invitation to repeat
 * what nobody may repeat; no stack, no file path, no foreign error page.
 */
export function forModel(tool: string, failure: FailureFacts, edit?: Edit): string {
  const happened = asLine(whatHappened(tool, failure)) + asLine(partsDone(failure));
  const edited = edit === undefined ? '' : asLine(tellEdit(edit));
  return `status: ${failure.kind}\neffect: ${failure.effect}\n${happened}${edited}${advice(failure)}`;
}

function asLine(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

function whatHappened(tool: string, failure: FailureFacts): string {
  switch (failure.kind) {
    case 'unknown_tool': {
      const { nearest } = failure.details;
      const hint = nearest.length === 0 ? '' : ` Nearest: ${nearest.join(', ')}.`;
      return `There is no tool named ${clip(tool, 80)}.${hint}`;
    }
    case 'invalid_arguments':
      return `${tool} was not called. Problems with its arguments:\n${failure.details.problems
        .map(
          ({ path, message }) =>
            `- ${path.map(String).join('.') || '(arguments)'}: ${clip(message, 300)}`,
        )
        .join('\n')}`;
    case 'contract_changed': {
      const { change, fields } = failure.details;
      return `${tool} was not called: ${reviewed[change]}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}.`;
    }
    case 'in_flight':
      return `An equal call of ${tool} is being worked on elsewhere. Nothing was sent for this one.`;
    case 'outcome_unknown':
      if (failure.details.duplicate === true) {
        return `${tool} took place more than once. Nothing was sent now.`;
      }
      return `An equal call of ${tool} was sent before, and it is not known whether it took effect.${
        failure.details.checking ? ' It is being checked.' : ''
      } Nothing was sent now.`;
    case 'intent_conflict':
      return `${tool} was not called: the same call was made before with other arguments.`;
    case 'fork_conflict':
      return `${tool} was not called: an equal call was made on a branch of this conversation that was left.`;
    case 'confirmation_required': {
      const { doneAt } = failure.details;
      return doneAt === undefined
        ? `${tool} was not called: a person has to agree first.`
        : `${tool} was not called: the same was done at ${new Date(doneAt).toISOString()}. Ask the user whether it is wanted once more.`;
    }
    case 'rejected_by_user': {
      const { note, editedTo } = failure.details;
      const why = note === undefined ? '' : ` Their note: ${clip(note, 300)}`;
      return editedTo === undefined
        ? `${tool} was not called: a person refused it.${why}`
        : `${tool} was not called: a person changed this call, and the changed one ran in its place.${why}`;
    }
    case 'malformed_call': {
      const { position, echo } = failure.details;
      const where = position === undefined ? '' : ` from character ${position} on`;
      return `A call of ${tool} could not be read${where}: ${clip(echo, 200)}`;
    }
    case 'output_truncated':
      return `${tool} was not called: the message that asked for it was cut off (${clip(failure.details.finishReason, 40)}).`;
    case 'timed_out':
      return `${tool} did not answer within ${Math.round(failure.details.afterMs)} ms (${limitNames[failure.details.limit]}).${ambiguity(failure)}`;
    case 'cancelled':
      return failure.details.by === 'newer-input' && failure.effect === 'none'
        ? `${tool} was not called: the conversation went on before it.`
        : `The call of ${tool} was cancelled.${ambiguity(failure)}`;
    case 'transport_lost':
      return failure.details.sent
        ? `The connection was lost before ${tool} answered.${ambiguity(failure)}`
        : `${tool} could not be reached.${ambiguity(failure) || ' Nothing was sent.'}`;
    case 'dependency_failed':
    case 'business_error': {
      const { status, message } = failure.details;
      const text = message === undefined ? '' : clip(message, 300);
      const said = text === '' ? '' : `: ${text}`;
      return `${tool} failed${status === undefined ? '' : ` with status ${status}`}${said}.${ambiguity(failure)}`;
    }
    case 'auth_failed':
      return `${tool} was refused: ${denied[failure.details.why]}.${ambiguity(failure)}`;
    case 'rate_limited':
    case 'overloaded': {
      const { retryAfterMs } = failure.details;
      const until =
        retryAfterMs === undefined || failure.effect === 'unknown'
          ? ''
          : ` It can be used in ${seconds(retryAfterMs)}.`;
      return failure.kind === 'rate_limited'
        ? `${tool} takes no more requests for now.${ambiguity(failure)}${until}`
        : `${tool} is overloaded.${ambiguity(failure)}${until}`;
    }
    case 'deadline_exceeded':
      return `${tool} was not called: it needs ${seconds(failure.details.neededMs)}, and ${seconds(failure.details.leftMs)} are left of this run.`;
    case 'loop_detected':
      return `${tool} was not called: the same call gave the same result ${failure.details.repeats} times.`;
    case 'tool_disabled':
      return failure.details.by === 'operator'
        ? `${tool} is switched off.`
        : `${tool} failed too often and is off for the rest of this run.`;
    case 'circuit_open':
      // A server that asked for a long pause closes it, too.
      return `${tool} is unavailable: ${failure.details.scope === 'tool' ? 'it' : 'the service behind it'} failed too often, or asked for a pause. It is off for ${seconds(failure.details.retryAfterMs)} at least.`;
    case 'not_durable':
      return `${tool} was not called: the conversation is not saved yet, and this action cannot be undone.`;
    case 'ledger_unavailable':
      return `${tool} was not called: its effect could not be written down beforehand.`;
    case 'result_invalid':
      return `${tool} answered something that it should not answer. Do not rely on it.`;
    case 'result_not_kept':
      return `${tool} is done. Its result is not known any more.`;
  }
}

function partsDone({ stepsDone = [] }: FailureFacts): string {
  return stepsDone.length === 0
    ? ''
    : `These parts of it are done and will not be done again: ${clip(stepsDone.join(', '), 300)}.`;
}

const reviewed: Readonly<Record<FailureDetails['contract_changed']['change'], string>> = {
  changed: 'it is not what was reviewed any more',
  new: 'nobody has reviewed it yet',
  unread: 'it cannot be read whether it is still what was reviewed',
};

const denied: Readonly<Record<FailureDetails['auth_failed']['why'], string>> = {
  credentials: 'its credentials are not accepted',
  permission: 'it is not permitted',
  quota: 'its quota is used up',
};

const limitNames: Readonly<Record<FailureDetails['timed_out']['limit'], string>> = {
  run: 'the time of the run',
  tool: 'the time of the tool',
  'first-byte': 'the time to its first byte',
  idle: 'the time between two parts of its answer',
};

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

function ambiguity(failure: FailureFacts): string {
  return failure.effect === 'unknown' ? ' It is not known whether it took effect.' : '';
}

function advice({ kind, next, effect }: FailureFacts): string {
  if (effect === 'unknown' && next.advice === 'hand_off') {
    return 'next: do not repeat this call, and do not report it as done or as failed. Tell the user what is known, and that a person has to look at this.';
  }
  if (effect === 'unknown') {
    return 'next: do not repeat this call, and do not report it as done or as failed. Tell the user that its outcome is unknown and being checked.';
  }
  switch (next.advice) {
    case 'do_not_retry':
      return 'next: do not call it again.';
    case 'use_another_tool':
      return 'next: do not call it again; use another way or say what is missing.';
    case 'report_partial':
      return 'next: do not call it again; report what is done and what is not.';
    case 'hand_off':
      return 'next: do not call it again; a person has to look at this.';
    case 'fix_arguments':
      return kind === 'output_truncated'
        ? 'next: make the call in a shorter message.'
        : 'next: correct the call.';
    case 'supply_input':
      return 'next: ask the user.';
    case 'wait':
      return next.by === 'guard'
        ? 'next: nothing; it is waited for.'
        : 'next: do not call it again now; use another way, or tell the user when it can be used.';
    case 'confirm':
      return 'next: ask the user how to go on.';
  }
}

function clip(text: string, most: number): string {
  const line = withoutPlaces(text).replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/**
 * Stack lines, file paths, credentials in URLs and foreign error pages are nothing for a model, and whether
 * to repeat a call is not the other side's to say.
 */
function withoutPlaces(text: string): string {
  return foreignText(text)
    .replace(/<(?:!doctype|html|head|body)\b[\s\S]*/i, '[page]')
    .split('\n')
    .filter((line) => !/^\s*at /.test(line))
    .join('\n')
    .replace(/\b(?:please )?(?:try (?:it |this )?again|retry\b)[^.!?\n]*[.!?]?/gi, ' ')
    .replace(/<[^>]{1,200}>/g, ' ')
    .replace(
      /(?:file:\/\/\/?|[A-Za-z]:\\|(?<![\w/])\/)(?:[\w.@-]+[\\/])+[\w.@-]+(?::\d+)*/g,
      '[path]',
    );
}
