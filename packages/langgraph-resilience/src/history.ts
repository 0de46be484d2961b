import { sha256 } from '@holdfast/tool-registry';
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { ToolCall } from '@langchain/core/messages/tool';
import { withFlaws } from './call-flaws.js';
import { idForPosition, withCallIds } from './call-ids.js';
import { copyOfToolMessage } from './message-copy.js';
import { isAIMessage, isToolMessage } from './turn.js';

/** Something that had to be put right. */
export interface Repair {
  readonly what:
    | 'answer added'
    | 'answer removed'
    | 'answer moved'
    | 'call restored'
    | 'id replaced';
  readonly why: string;
  readonly callId: string;
  readonly tool?: string;
}

/** A call of a message of the model, as the conversation holds it. */
export interface CallInHistory {
  readonly messageId?: string;
  readonly position: number;
  readonly call: ToolCall;
  /** Whether a person said something since. */
  readonly isLeftBehind: boolean;
}

/** A conversation in which each call knows its answer. */
export interface History {
  readonly given: readonly BaseMessage[];
  readonly entries: readonly Entry[];
  /** Calls without an answer, in order. */
  readonly unanswered: readonly CallInHistory[];
  readonly repairs: readonly Repair[];
}

type Entry =
  | { readonly is: 'message'; readonly message: BaseMessage }
  | {
      readonly is: 'calls';
      readonly message: AIMessage;
      readonly answers: (ToolMessage | undefined)[];
      isLeftBehind: boolean;
    };
type Calls = Extract<Entry, { is: 'calls' }>;

/** What every provider takes for the id of a call. */
const ACCEPTED_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Reads a conversation: which answer belongs to which call, what stands in the wrong place, what is
 * missing. An answer belongs to the nearest call before it that has its id.
 */
export function readHistory(given: readonly BaseMessage[]): History {
  const entries: Entry[] = [];
  const repairs: Repair[] = [];
  const withCalls: Calls[] = [];
  for (const message of given) {
    if (isAIMessage(message)) {
      const whole = withFlaws(message, () => true);
      const calls = whole.tool_calls ?? [];
      repairs.push(...restoredCalls(message, whole));
      if (calls.length === 0) entries.push({ is: 'message', message });
      else {
        const entry: Calls = {
          is: 'calls',
          message: whole,
          answers: calls.map(() => undefined),
          isLeftBehind: false,
        };
        entries.push(entry);
        withCalls.push(entry);
      }
    } else if (isToolMessage(message)) {
      const why = take(message, withCalls, entries.at(-1));
      if (why !== undefined) repairs.push({ ...why, callId: message.tool_call_id ?? '' });
    } else {
      entries.push({ is: 'message', message });
      if (message.getType() === 'human') {
        for (const entry of withCalls) entry.isLeftBehind = true;
      }
    }
  }
  return { given, entries, repairs, unanswered: withCalls.flatMap(unansweredOf) };
}

/**
 * The conversation as every provider takes it: each call answered exactly once, right after its message,
 * under an id that is unique and well formed. The same array where nothing had to be put right.
 *
 * @param answers of the unanswered calls, in their order
 */
export function validHistory(
  history: History,
  answers: readonly ToolMessage[],
): { readonly messages: readonly BaseMessage[]; readonly repairs: readonly Repair[] } {
  const repairs: Repair[] = [...history.repairs];
  const left = [...answers];
  const used = new Set<string>();
  const messages = history.entries.flatMap((entry, index): BaseMessage[] => {
    if (entry.is === 'message') return [entry.message];
    const calls = entry.message.tool_calls ?? [];
    const ids = calls.map((call, position) => {
      const seed = entry.message.id ?? `message ${index}`;
      const { id, why } = idFor(call, used, () => unusedId(seed, position, used));
      used.add(id);
      if (why !== undefined) {
        repairs.push({ what: 'id replaced', why, callId: call.id ?? '', tool: call.name });
      }
      return id;
    });
    const answered = calls.map((call, position) => {
      const answer = entry.answers[position] ?? left.shift();
      if (answer === undefined) throw new TypeError(`no answer was given for ${call.name}`);
      if (entry.answers[position] === undefined) repairs.push(added(call, entry.isLeftBehind));
      const id = ids[position] ?? '';
      return answer.tool_call_id === id ? answer : copyOfToolMessage(answer, { tool_call_id: id });
    });
    return [withCallIds(entry.message, ids), ...answered];
  });
  return repairs.length === 0 ? { messages: history.given, repairs } : { messages, repairs };
}

/** Gives an answer to its call. Says what was wrong with it. */
function take(
  answer: ToolMessage,
  withCalls: readonly Calls[],
  last: Entry | undefined,
): Pick<Repair, 'what' | 'why'> | undefined {
  const entry = withCalls.findLast(({ message }) =>
    (message.tool_calls ?? []).some(({ id }) => sameId(id, answer.tool_call_id)),
  );
  if (entry === undefined) return { what: 'answer removed', why: 'there is no call of this id' };
  const positions = (entry.message.tool_calls ?? []).flatMap(({ id }, position) =>
    sameId(id, answer.tool_call_id) ? [position] : [],
  );
  const open = positions.find((position) => entry.answers[position] === undefined);
  if (open !== undefined) {
    entry.answers[open] = answer;
    return entry === last
      ? undefined
      : { what: 'answer moved', why: 'other messages stood between it and its call' };
  }
  // What went well in the end is the truth about it.
  const failed = positions.find((position) => entry.answers[position]?.status === 'error');
  if (failed !== undefined && answer.status !== 'error') entry.answers[failed] = answer;
  return { what: 'answer removed', why: 'its call has an answer' };
}

function restoredCalls(given: AIMessage, whole: AIMessage): readonly Repair[] {
  return (whole.tool_calls ?? []).slice(given.tool_calls?.length ?? 0).map(({ id = '', name }) => ({
    what: 'call restored',
    why: 'its arguments cannot be read',
    callId: id,
    tool: name,
  }));
}

function unansweredOf({ message, answers, isLeftBehind }: Calls): readonly CallInHistory[] {
  return (message.tool_calls ?? []).flatMap((call, position) =>
    answers[position] === undefined
      ? [
          {
            call,
            position,
            isLeftBehind,
            ...(message.id === undefined ? {} : { messageId: message.id }),
          },
        ]
      : [],
  );
}

function added({ id = '', name }: ToolCall, isLeftBehind: boolean): Repair {
  const why = isLeftBehind ? 'the conversation went on without it' : 'there was none';
  return { what: 'answer added', why, callId: id, tool: name };
}

/** An id that every provider takes: the call's own, or always the same in its place. */
function idFor(
  { id = '' }: ToolCall,
  used: ReadonlySet<string>,
  make: () => string,
): { readonly id: string; readonly why?: string } {
  if (id === '') return { id: make(), why: 'it had none' };
  const isAccepted = ACCEPTED_ID.test(id);
  const own = isAccepted ? id : `call_${sha256(id).slice(0, 24)}`;
  if (used.has(own)) return { id: make(), why: 'another call has it' };
  return isAccepted ? { id } : { id: own, why: 'not every provider takes it' };
}

function unusedId(seed: string, position: number, used: ReadonlySet<string>): string {
  const id = idForPosition(seed, position);
  return used.has(id) ? unusedId(id, position, used) : id;
}

function sameId(a: string | undefined, b: string | undefined): boolean {
  return (a ?? '') === (b ?? '');
}
