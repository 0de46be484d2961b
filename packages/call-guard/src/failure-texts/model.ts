import type { FailureFacts } from '../failure.js';

/**
 * What the model reads: status, effect, what not to do, what to do next. Never an invitation to repeat
 * what nobody may repeat; no stack, no file path, no foreign error page.
 */
export function forModel(tool: string, failure: FailureFacts): string {
  return [
    `status: ${failure.kind}`,
    `effect: ${failure.effect}`,
    whatHappened(tool, failure),
    advice(failure),
  ]
    .filter((line) => line !== '')
    .join('\n');
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
    case 'in_flight':
      return `An equal call of ${tool} is being worked on elsewhere. Nothing was sent for this one.`;
    case 'outcome_unknown':
      return `An equal call of ${tool} was sent before, and it is not known whether it took effect.${
        failure.details.checking ? ' It is being checked.' : ''
      } Nothing was sent now.`;
    case 'intent_conflict':
      return `${tool} was not called: the same call was made before with other arguments.`;
    case 'timed_out':
      return `${tool} did not answer within ${failure.details.afterMs} ms.${ambiguity(failure)}`;
    case 'cancelled':
      return `The call of ${tool} was cancelled.${ambiguity(failure)}`;
    case 'transport_lost':
      return failure.details.sent
        ? `The connection was lost before ${tool} answered.${ambiguity(failure)}`
        : `${tool} could not be reached. Nothing was sent.`;
    case 'dependency_failed':
    case 'business_error': {
      const { status, message } = failure.details;
      const said = message === undefined ? '' : `: ${clip(message, 300)}`;
      return `${tool} failed${status === undefined ? '' : ` with status ${status}`}${said}.${ambiguity(failure)}`;
    }
    case 'auth_failed':
      return `${tool} refused the credentials (status ${failure.details.status}).`;
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

function ambiguity(failure: FailureFacts): string {
  return failure.effect === 'unknown' ? ' It is not known whether it took effect.' : '';
}

function advice({ next, effect }: FailureFacts): string {
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
      return 'next: correct the call.';
    case 'supply_input':
      return 'next: ask the user.';
    case 'wait':
      return 'next: nothing; it is waited for.';
    case 'confirm':
      return 'next: ask the user how to go on.';
  }
}

function clip(text: string, most: number): string {
  const line = withoutPlaces(text).replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}

/** Stack lines, file paths, credentials in URLs and foreign error pages are nothing for a model. */
function withoutPlaces(text: string): string {
  return text
    .replace(/<(?:!doctype|html|head|body)\b[\s\S]*/i, '[page]')
    .split('\n')
    .filter((line) => !/^\s*at /.test(line))
    .join('\n')
    .replace(/<[^>]{1,200}>/g, ' ')
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1')
    .replace(/([?&#][\w.-]*(?:key|token|secret|sig|signature|password|auth)=)[^\s&#]+/gi, '$1…')
    .replace(
      /(?:file:\/\/\/?|[A-Za-z]:\\|(?<![\w/])\/)(?:[\w.@-]+[\\/])+[\w.@-]+(?::\d+)*/g,
      '[path]',
    );
}
