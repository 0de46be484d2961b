import type { NextTurn } from './script.js';

/** What is the same in all parts of one response. */
export interface ResponseHead {
  /** `chatcmpl-…` */
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** One turn in the wire format's terms. */
export interface WireTurn {
  content: string | null;
  toolCalls: WireToolCall[];
  finishReason: 'stop' | 'tool_calls';
  usage: Usage;
}

/** @param newCallId gives every call its own id. */
export function toWireTurn(turn: NextTurn, prompt: string, newCallId: () => string): WireTurn {
  const content = 'text' in turn ? turn.text : null;
  const calls = 'toolCalls' in turn ? turn.toolCalls : [];
  const toolCalls = calls.map(
    ({ name, args }): WireToolCall => ({
      id: newCallId(),
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }),
  );
  return {
    content,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: usageOf(prompt, content ?? JSON.stringify(toolCalls)),
  };
}

/** The whole turn as one `chat.completion`. */
export function completion(head: ResponseHead, turn: WireTurn): object {
  const toolCalls = turn.toolCalls.length > 0 ? { tool_calls: turn.toolCalls } : {};
  const message = { role: 'assistant', content: turn.content, refusal: null, ...toolCalls };
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: turn.finishReason }],
    usage: turn.usage,
  };
}

/** The same turn as the `chat.completion.chunk`s of a stream, usage last when it was asked for. */
export function completionChunks(head: ResponseHead, turn: WireTurn, withUsage: boolean): object[] {
  const chunk = (delta: object, finishReason: WireTurn['finishReason'] | null = null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  });
  return [
    chunk({ role: 'assistant', content: turn.content === null ? null : '' }),
    ...inPieces(turn.content ?? '').map((content) => chunk({ content })),
    ...turn.toolCalls.flatMap((call, index) => toolCallDeltas(call, index).map((d) => chunk(d))),
    chunk({}, turn.finishReason),
    ...(withUsage
      ? [{ ...head, object: 'chat.completion.chunk', choices: [], usage: turn.usage }]
      : []),
  ];
}

function toolCallDeltas(call: WireToolCall, index: number): object[] {
  const opening = { ...call, index, function: { ...call.function, arguments: '' } };
  const rest = inPieces(call.function.arguments).map((piece) => ({
    index,
    function: { arguments: piece },
  }));
  return [opening, ...rest].map((part) => ({ tool_calls: [part] }));
}

/** Cut as a provider cuts, in the middle of words and of JSON. */
function inPieces(text: string): string[] {
  return text.match(/[\s\S]{1,16}/g) ?? [];
}

function usageOf(prompt: string, answer: string): Usage {
  const prompt_tokens = estimateTokens(prompt);
  const completion_tokens = estimateTokens(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

/** The usual estimate of four characters per token. */
function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
