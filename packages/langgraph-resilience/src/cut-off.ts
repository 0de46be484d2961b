import type { AIMessage } from '@langchain/core/messages';
import { isRecord } from './record.js';

type Metadata = Record<string, unknown>;

/** How providers call what says why a message ended. */
const END_MARKS = ['finish_reason', 'stop_reason', 'finishReason', 'stopReason', 'done_reason'];

/** Ends that leave a message unfinished, in the providers' words. */
const UNFINISHED = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
]);

/** These always say how a message ended: what comes of them without a word about it broke off. */
const ALWAYS_SAY = new Set(['openai', 'anthropic']);

/** Why a message of the model is not all that it was to be. Undefined for a whole one. */
export function cutOff(message: AIMessage): string | undefined {
  const { response_metadata: metadata, additional_kwargs: more } = message;
  const ends = [...endMarks(metadata), ...endMarks(more)];
  return ends.find((end) => UNFINISHED.has(end.toLowerCase())) ?? noted(metadata);
}

/**
 * The metadata of a message with what LangChain keeps beside it while others listen to its stream: how it
 * ended. A stream that closed without a word about that is noted.
 */
export function withEnd(
  { response_metadata, additional_kwargs }: AIMessage,
  generationInfo: Metadata | undefined,
): Metadata {
  const metadata: Metadata = { ...generationInfo, ...response_metadata };
  const isSilent = endMarks(metadata).length === 0 && endMarks(additional_kwargs).length === 0;
  return isSilent && ALWAYS_SAY.has(String(metadata.model_provider))
    ? { ...metadata, holdfast: { cutOff: 'stream closed' } }
    : metadata;
}

/** Everything that says how the message ended. */
function endMarks(metadata: Metadata): readonly string[] {
  const { status, incomplete_details: incomplete } = metadata;
  const reason = isRecord(incomplete) ? incomplete.reason : undefined;
  return [...END_MARKS.map((name) => metadata[name]), status, reason].filter(
    (mark): mark is string => typeof mark === 'string' && mark !== '',
  );
}

function noted({ holdfast }: Metadata): string | undefined {
  return isRecord(holdfast) && typeof holdfast.cutOff === 'string' ? holdfast.cutOff : undefined;
}
