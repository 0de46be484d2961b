import {
  type CallAnswer,
  type Failure,
  type FieldTree,
  foreignText,
  type ResultCodec,
  redactText,
  redactValue,
  tellEdit,
} from '@holdfast/call-guard';
import { ToolMessage } from '@langchain/core/messages';
import { Command, isCommand, Send, type SendOptions } from '@langchain/langgraph';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { isMessage } from './graph-messages.js';
import { copyOfToolMessage } from './message-copy.js';
import { isToolMessage } from './turn.js';

/** What a tool gave: the message or command that LangGraph gets, and the function's own value before formatting. */
export interface ToolOutput {
  readonly output: unknown;
  readonly own?: { readonly value: unknown };
  /** The id of the call that it was given to; a later pass over an effect may be another call's. */
  readonly callId?: string;
}

export function isToolOutput(value: unknown): value is ToolOutput {
  return typeof value === 'object' && value !== null && 'output' in value;
}

const serializer = new JsonPlusSerializer();

/** Results in LangGraph's own serialization, commands with all their fields. */
export const langGraphCodec: ResultCodec = {
  async encode(result) {
    const output = isToolOutput(result) ? result.output : result;
    const callId = isToolOutput(result) ? result.callId : undefined;
    const stored = isCommand(output)
      ? { ...commandFields(output as Command), ...(callId === undefined ? {} : { callId }) }
      : output;
    const [format, bytes] = await serializer.dumpsTyped(stored);
    return { type: isCommand(output) ? `command+${format}` : format, bytes };
  },
  async decode({ type, bytes }) {
    const isStoredCommand = type.startsWith('command+');
    const format = isStoredCommand ? type.slice('command+'.length) : type;
    const stored: unknown = await serializer.loadsTyped(format, bytes);
    if (!isStoredCommand) return { output: stored };
    const { callId, ...fields } = stored as StoredCommand & Pick<ToolOutput, 'callId'>;
    return { output: commandOf(fields), ...(callId === undefined ? {} : { callId }) };
  },
};

/** What a step of a tool gave, in the same serialization. */
export const stepCodec: ResultCodec = {
  async encode(result) {
    const [type, bytes] = await serializer.dumpsTyped(result);
    return { type, bytes };
  },
  decode: async ({ type, bytes }) => serializer.loadsTyped(type, bytes),
};

interface StoredCommand {
  readonly graph?: string;
  readonly update?: unknown;
  readonly resume?: unknown;
  readonly goto: readonly (string | StoredSend)[];
}
interface StoredSend extends SendOptions {
  readonly node: string;
  readonly args: unknown;
}

function commandFields(command: Command): StoredCommand {
  const goto = command.goto === undefined ? [] : [command.goto].flat();
  return {
    goto: goto.map((target) => (typeof target === 'string' ? target : sendFields(target))),
    ...(command.graph === undefined ? {} : { graph: command.graph }),
    ...(command.update === undefined ? {} : { update: command.update }),
    ...(command.resume === undefined ? {} : { resume: command.resume }),
  };
}

function sendFields({ node, args, timeout }: StoredSend): StoredSend {
  return { node, args, ...(timeout === undefined ? {} : { timeout }) };
}

function commandOf(stored: StoredCommand): Command {
  const goto = stored.goto.map((target) =>
    typeof target === 'string' ? target : new Send(target.node, target.args, target),
  );
  return new Command({
    ...(goto.length === 0 ? {} : { goto }),
    ...(stored.graph === undefined ? {} : { graph: stored.graph }),
    ...(stored.update === undefined ? {} : { update: stored.update as Record<string, unknown> }),
    ...(stored.resume === undefined ? {} : { resume: stored.resume }),
  });
}

/** What the tool's own function returned, else what LangChain made of it. */
export function rawResult(given: unknown): unknown {
  if (!isToolOutput(given)) return given;
  return given.own === undefined ? given.output : given.own.value;
}

/**
 * What an entry's `output` describes in what a tool gave: the function's own value, else the artifact,
 * else the content read as JSON. Undefined for a command, which is no result but a direction.
 */
export function typedResult(given: unknown, hasArtifact: boolean): unknown {
  if (!isToolOutput(given)) return given;
  const { output, own } = given;
  if (own !== undefined && !isDirect(own.value)) {
    if (hasArtifact && Array.isArray(own.value)) return own.value[1];
    return fromText(own.value);
  }
  if (isCommand(output)) return undefined;
  if (!isMessage(output) || !isToolMessage(output)) return fromText(output);
  return output.artifact === undefined ? fromText(output.content) : output.artifact;
}

/** Many tools print what they return. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isDirect(value: unknown): boolean {
  return isCommand(value) || isMessage(value);
}

/** The message of a tool that returned plain content, as LangGraph's nodes make it. */
export function messageOf(
  content: unknown,
  call: { readonly id: string; readonly name: string },
): ToolMessage {
  return new ToolMessage({
    content: typeof content === 'string' ? content : JSON.stringify(content),
    name: call.name,
    tool_call_id: call.id,
    status: 'success',
  });
}

/**
 * What leaves for the caller: the tool's output with what has to be said about it, for a tool call under
 * its id, for plain arguments as what the tool itself would have returned.
 */
export function presentAnswer(
  answer: Extract<CallAnswer<unknown>, { ok: true }>,
  call: { readonly id: string; readonly name: string } | undefined,
): unknown {
  const { output } = isToolOutput(answer.result) ? answer.result : { output: answer.result };
  // An equal call may have been made in the other form.
  if (call === undefined)
    return isMessage(output) && isToolMessage(output) ? output.content : output;
  const message = isMessage(output) || isCommand(output) ? output : messageOf(output, call);
  const from = answer.folded === false ? call.id : (madeUnder(answer) ?? call.id);
  return withNotes(underCallId(message, from, call.id), call.id, notesOf(answer), answer);
}

/** A stored message says itself which call it answered; a command stands for several. */
function madeUnder({
  result,
  originalCallId,
}: Extract<CallAnswer<unknown>, { ok: true }>): string | undefined {
  const { output, callId }: ToolOutput = isToolOutput(result) ? result : { output: result };
  if (isMessage(output) && isToolMessage(output)) return output.tool_call_id;
  return callId ?? originalCallId;
}

function notesOf(answer: Extract<CallAnswer<unknown>, { ok: true }>): readonly string[] {
  const how = howNotes(answer);
  return answer.edit === undefined ? how : [tellEdit(answer.edit), ...how];
}

function howNotes(answer: Extract<CallAnswer<unknown>, { ok: true }>): readonly string[] {
  switch (answer.folded) {
    case false:
      return answer.warnings;
    // The same call again, after a crash or on a replay: what was first given, unchanged.
    case 'replayed':
      return [];
    case 'folded':
      return ['This was already done by an equal call. It was not done again.'];
    case 'ahead':
      return ['This was already done before the interruption. It was not done again.'];
  }
}

function withNotes(
  output: unknown,
  callId: string,
  notes: readonly string[],
  answer: Extract<CallAnswer<unknown>, { ok: true }>,
): unknown {
  const { repairs, folded, key, edit } = answer;
  if (notes.length === 0 && repairs.length === 0) return output;
  return mapMessages(output, (message) =>
    message.tool_call_id === callId
      ? copyOfToolMessage(message, {
          content: withText(message.content, notes.map((note) => `\n[${note}]`).join('')),
          metadata: {
            ...message.metadata,
            holdfast: {
              ...(key === undefined ? {} : { key }),
              folded,
              repairs,
              notes,
              ...(edit === undefined ? {} : { changes: edit.changes }),
            },
          },
        })
      : message,
  );
}

function withText(content: ToolMessage['content'], text: string): ToolMessage['content'] {
  if (text === '') return content;
  if (typeof content === 'string') return content + text;
  return [...content, { type: 'text', text: text.trimStart() }];
}

function underCallId(output: unknown, from: string, to: string): unknown {
  if (from === to) return output;
  return mapMessages(output, (message) =>
    message.tool_call_id === from ? copyOfToolMessage(message, { tool_call_id: to }) : message,
  );
}

/** The tool messages of an output changed, be it one or a command that adds some. */
export function mapMessages(
  output: unknown,
  change: (message: ToolMessage) => ToolMessage,
): unknown {
  if (isMessage(output)) return isToolMessage(output) ? change(output) : output;
  if (!isCommand(output)) return output;
  const fields = commandFields(output as Command);
  const { update } = fields;
  if (typeof update !== 'object' || update === null || !('messages' in update)) return output;
  const messages = Array.isArray(update.messages)
    ? update.messages.map((message: unknown) => mapMessages(message, change))
    : update.messages;
  return commandOf({ ...fields, update: { ...update, messages } });
}

/** What a tool gave, without fields that must not be kept: of its messages' content and artifacts. */
export function redactOutput(given: unknown, fields: FieldTree): unknown {
  if (!isToolOutput(given)) return redactValue(given, fields);
  const { output, callId } = given;
  if (!isMessage(output) && !isCommand(output)) {
    const redacted =
      typeof output === 'string' ? redactText(output, fields) : redactValue(output, fields);
    return { output: redacted, ...(callId === undefined ? {} : { callId }) };
  }
  const without = (message: ToolMessage): ToolMessage =>
    copyOfToolMessage(message, {
      content: contentWithout(message.content, fields),
      ...(message.artifact === undefined
        ? {}
        : {
            artifact:
              typeof message.artifact === 'string'
                ? redactText(message.artifact, fields)
                : redactValue(message.artifact, fields),
          }),
    });
  return {
    output: mapMessages(output, without),
    ...(callId === undefined ? {} : { callId }),
  };
}

function contentWithout(
  content: ToolMessage['content'],
  fields: FieldTree,
): ToolMessage['content'] {
  if (typeof content === 'string') return redactText(content, fields);
  return content.map((block) =>
    block.type === 'text' && typeof block.text === 'string'
      ? { ...block, text: redactText(block.text, fields) }
      : block,
  );
}

/** A failure as the model's providers pass it on: text. Code finds the object in the artifact. */
export function failureMessage(failure: Failure, callId: string): ToolMessage {
  const { cause, ...facts } = failure;
  const artifact = cause === undefined ? facts : { ...facts, cause: storable(cause) };
  return new ToolMessage({
    content: failure.forModel,
    name: failure.tool,
    tool_call_id: callId,
    status: failure.effect === 'done' ? 'success' : 'error',
    artifact,
  });
}

/** What of a thrown value can be kept in the conversation; some cannot even be read. */
function storable(cause: unknown): unknown {
  try {
    return cause instanceof Error
      ? { name: cause.name, message: foreignText(cause.message) }
      : foreignText(String(cause));
  } catch {
    return 'something that cannot be read';
  }
}
