import {
  jsonBytes,
  LEAST_BYTES,
  leftOut,
  leftOutWhole,
  type ResultRules,
  sharesOf,
  type TrimmedResult,
  trim,
} from '@holdfast/call-guard';
import type { ToolMessage } from '@langchain/core/messages';
import { copyOfToolMessage } from './message-copy.js';
import { mapMessages, type ToolOutput } from './tool-result.js';

type Content = ToolMessage['content'];

/**
 * What a tool gave, with the content of its messages cut down to what the model may be given. The whole
 * stays in the artifact, which no model reads, where the tool has put nothing else there. Undefined where
 * nothing is too long, or there is no message: what a program asked for is the program's.
 */
export function trimOutput(
  given: ToolOutput,
  { maxBytes, kept }: ResultRules,
): TrimmedResult | undefined {
  const size = { whole: 0, given: 0 };
  const cutWith = (keepsWhole: boolean) => (message: ToolMessage) => {
    const whole = bytesOf(message.content);
    if (whole <= maxBytes) return message;
    const content = cut(message.content, maxBytes, kept);
    size.whole += whole;
    size.given += bytesOf(content);
    const artifact = keepsWhole ? { artifact: message.artifact ?? message.content } : {};
    return copyOfToolMessage(message, { content, ...artifact });
  };
  const output = mapMessages(given.output, cutWith(true));
  if (size.whole === 0) return undefined;
  const sizes = { wholeBytes: size.whole, givenBytes: size.given };
  return {
    given: { ...given, output },
    kept: { ...given, output: mapMessages(given.output, cutWith(false)) },
    ...sizes,
  };
}

/** For what says how many blocks are missing, in bytes. */
const NOTE_BYTES = 128;

/** The least that a block can be cut down to, in bytes. */
const LEAST_BLOCK_BYTES = 256;

function bytesOf(content: Content): number {
  if (typeof content === 'string') return jsonBytes(content);
  return content.reduce((sum, block) => sum + bytesOfBlock(block), 0);
}

function bytesOfBlock(block: unknown): number {
  return Buffer.byteLength(JSON.stringify(block));
}

/** Texts are cut, each to its share; what is no text is there whole, or its size is. */
function cut(content: Content, maxBytes: number, kept: ResultRules['kept']): Content {
  if (typeof content === 'string') return trim(content, maxBytes, kept);
  const sizes = content.map(bytesOfBlock);
  const shares = sharesOf(sizes, maxBytes - NOTE_BYTES, LEAST_BLOCK_BYTES);
  const blocks = content.flatMap((block, index) => {
    const [bytes = 0, share = 0] = [sizes[index], shares[index]];
    if (share === bytes) return [block];
    if (share === 0) return [];
    if (block.type === 'text' && typeof block.text === 'string') {
      const forText = share - (bytes - jsonBytes(block.text));
      if (forText >= LEAST_BYTES) return [{ ...block, text: trim(block.text, forText, kept) }];
    }
    const what = `a block of ${bytes} bytes, of type ${String(block.type).slice(0, 40)}`;
    return [{ type: 'text', text: leftOutWhole(what) }];
  });
  const missing = content.length - blocks.length;
  if (missing === 0) return blocks;
  return [...blocks, { type: 'text', text: leftOut(missing, content.length, 'items') }];
}
