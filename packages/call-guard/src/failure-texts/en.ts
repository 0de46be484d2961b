import type { UserTexts } from './user-texts.js';

const failed = '{action} could not be done. Nothing was changed by it.';
const busy =
  '{action} could not be done: the service takes no more requests for now. Nothing was changed by it.';
const unavailable =
  '{action} was not started: it is not available at the moment. Nothing was changed by it.';
const unrecorded =
  '{action} was not started, because it could not be recorded safely. Nothing was done.';
const unreadable =
  '{action} was not started: the request for it could not be read. Nothing was done.';

export const en: UserTexts = {
  action: { ofTool: '“{tool}”', ofStep: '“{tool}” ({step})' },
  item: { ofTool: '{tool}', ofStep: '{tool} ({step})' },
  separator: ', ',
  space: ' ',
  done: '{action} was done. It will not be repeated.',
  uncertain: 'It is not certain whether {action} was done.',
  uncertainWithParts: 'It is not certain whether {action} was done. Parts of it are done: {parts}.',
  checked: 'It is being checked and will not be repeated.',
  leftToPerson:
    'This cannot be found out automatically: a person has to look. It will not be repeated.',
  notRepeated: 'It will not be repeated.',
  notDone: {
    unknown_tool: '{action} is not something this assistant can do. Nothing was done.',
    invalid_arguments:
      '{action} could not be started: some details were not valid. Nothing was done.',
    contract_changed:
      '{action} is not what was agreed on any more, and has to be looked at first. Nothing was done.',
    in_flight: '{action} is being worked on already. Nothing more was done.',
    outcome_unknown: failed,
    intent_conflict:
      '{action} was stopped: the same step was asked for before with other details. Nothing was done.',
    fork_conflict:
      '{action} was stopped: it was done on an earlier course of this conversation already. This time nothing was done.',
    confirmation_required: '{action} waits for your consent. Nothing was done.',
    rejected_by_user: '{action} was refused, as was decided. Nothing was done.',
    malformed_call: unreadable,
    output_truncated: unreadable,
    timed_out:
      '{action} could not be done: there was no answer in time. Nothing was changed by it.',
    cancelled: '{action} was cancelled. Nothing was changed by it.',
    transport_lost:
      '{action} could not be done: the service could not be reached. Nothing was changed by it.',
    dependency_failed: failed,
    business_error: failed,
    rate_limited: busy,
    overloaded: busy,
    deadline_exceeded:
      '{action} was not started: there was not enough time left. Nothing was changed by it.',
    loop_detected:
      '{action} was stopped: it gave the same result again and again. Nothing was changed by it.',
    tool_disabled: unavailable,
    circuit_open: unavailable,
    not_durable: unrecorded,
    ledger_unavailable: unrecorded,
    result_invalid: '{action} gave an answer that cannot be relied on. Nothing was changed by it.',
    result_not_kept: failed,
  },
  denied: {
    credentials: '{action} was refused: the credentials are not accepted. Nothing was done.',
    permission: '{action} was refused: it is not permitted. Nothing was done.',
    quota: '{action} was refused: the quota for it is used up. Nothing was done.',
  },
  report: {
    complete: 'Everything was answered.',
    interrupted: 'Waiting for an answer.',
    partial: 'Not everything is done.',
    failed: 'Nothing was changed.',
    done: 'Done: {items}. What is done will not be repeated.',
  },
};
