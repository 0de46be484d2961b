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
import { elementsOf, membersOf, printMembers, withMember } from '../message/json-text.js';
import { isRecord } from '../message/message.js';
import { type CallResult, callResult } from '../proxy/call-result.js';
import { META } from '../proxy/meta.js';

/** What there is to know of a result beside itself. */
export interface TrimSetting {
  /** A host checks the structured content against a schema, and refuses a result without it. */
  readonly needsStructure: boolean;
  /** Keeps a text that was cut, for later. Resolves with its name; undefined where it is not kept. */
  keep?(text: string): Promise<string | undefined>;
  /** The tool that reads what is kept. */
  readonly reader?: string;
}

/** For what says that the result was cut, in its text and in its `_meta`, in bytes. */
const NOTE_BYTES = 1_536;

/** The least that a block of the content can be cut down to, in bytes. */
const LEAST_BLOCK_BYTES = 320;

/** Of how many parts it is told in detail what became of them. */
const MOST_TOLD = 4;

/** Something that is not given, or not all of it. */
interface CutPart {
  readonly part: string;
  readonly text: string;
}

/**
 * A result of a tool, cut down to what may leave; undefined where it is short enough. Texts are cut, images and
 * blobs are there whole or their size is, structured content is there whole or not at all. Where the host
 * needs it, it stays and is not counted.
 */
export function trimResult(
  whole: CallResult,
  rules: ResultRules,
  setting: TrimSetting,
): Promise<TrimmedResult> | undefined {
  const wholeBytes = Buffer.byteLength(whole.text);
  return wholeBytes <= rules.maxBytes ? undefined : cutDown(whole, wholeBytes, rules, setting);
}

async function cutDown(
  { text, result }: CallResult,
  wholeBytes: number,
  rules: ResultRules,
  setting: TrimSetting,
): Promise<TrimmedResult> {
  const isError = result.isError === true;
  const needsStructure = setting.needsStructure && !isError;
  const beside = membersBeside(text, rules.maxBytes - NOTE_BYTES, needsStructure);
  const content = contentOf(text, beside.left, rules.kept);
  const parts = [...content.cut, ...beside.cut];
  const told = await Promise.all(
    parts.slice(0, MOST_TOLD).map(async ({ part, text: whole }) => ({
      part: part.slice(0, 40),
      characters: whole.length,
      ref: await setting.keep?.(whole),
    })),
  );
  const note = noteOf(wholeBytes, told, parts.length - told.length, isError, setting.reader);
  const block = JSON.stringify({ type: 'text', text: note });
  const members = new Map([
    ['content', `[${[...content.blocks, block].join(',')}]`],
    ...beside.members,
  ]);
  const meta = members.get('_meta');
  members.set(
    '_meta',
    withMember(
      meta?.startsWith('{') === true ? meta : '{}',
      META.trimmed,
      JSON.stringify({ bytes: wholeBytes, parts: told }),
    ),
  );
  const given = callResult(printMembers(members));
  return { given, wholeBytes, givenBytes: Buffer.byteLength(given.text) };
}

/** What stands beside the content and may stay; what is large goes as a whole. */
function membersBeside(
  text: string,
  most: number,
  needsStructure: boolean,
): {
  readonly members: ReadonlyMap<string, string>;
  readonly cut: readonly CutPart[];
  readonly left: number;
} {
  const members = new Map<string, string>();
  const cut: CutPart[] = [];
  let left = most;
  for (const [name, value] of membersOf(text)) {
    if (name === 'content') continue;
    const bytes = Buffer.byteLength(value) + jsonBytes(name) + 4;
    const isStructure = name === 'structuredContent';
    if (bytes <= most / (isStructure ? 2 : 16)) {
      members.set(name, value);
      left -= bytes;
    } else if (isStructure && needsStructure) members.set(name, value);
    else cut.push({ part: name, text: value });
  }
  return { members, cut, left };
}

/** The blocks of the content, each in its share. */
function contentOf(
  text: string,
  most: number,
  kept: ResultRules['kept'],
): { readonly blocks: readonly string[]; readonly cut: readonly CutPart[] } {
  const list = membersOf(text).get('content');
  const written = list?.startsWith('[') === true ? elementsOf(list) : [];
  const sizes = written.map((block) => Buffer.byteLength(block) + 1);
  const budget = most - LEAST_BLOCK_BYTES;
  const shares = sharesOf(sizes, budget, LEAST_BLOCK_BYTES);
  const blocks: string[] = [];
  const cut: CutPart[] = [];
  written.forEach((block, index) => {
    const share = shares[index] ?? 0;
    if (share === sizes[index]) {
      blocks.push(block);
      return;
    }
    const short = cutBlock(block, share - 1, kept);
    cut.push({ part: `content ${index}`, text: short.whole });
    if (share > 0) blocks.push(short.block);
  });
  const missing = written.length - blocks.length;
  if (missing > 0) {
    const said = leftOut(missing, written.length, 'items');
    blocks.push(JSON.stringify({ type: 'text', text: said }));
  }
  return { blocks, cut };
}

/** One block in at most `most` bytes, and what all of it says. */
function cutBlock(
  written: string,
  most: number,
  kept: ResultRules['kept'],
): { readonly block: string; readonly whole: string } {
  const block: unknown = JSON.parse(written);
  if (!isRecord(block)) return { block: textBlock(leftOutWhole('a block')), whole: written };
  if (typeof block.text === 'string') return cutText(written, block.text, most, kept);
  const { resource } = block;
  if (isRecord(resource) && typeof resource.text === 'string') {
    const inner = membersOf(written).get('resource') ?? '{}';
    const around = Buffer.byteLength(written) - Buffer.byteLength(inner);
    const short = cutText(inner, resource.text, most - around, kept);
    return { block: withMember(written, 'resource', short.block), whole: short.whole };
  }
  const data = isRecord(resource) ? resource.blob : block.data;
  const whole = typeof data === 'string' ? data : written;
  return { block: textBlock(leftOutWhole(describe(block, resource, whole))), whole };
}

/** An object with a `text` that is shortened until all of it fits. */
function cutText(
  written: string,
  text: string,
  most: number,
  kept: ResultRules['kept'],
): { readonly block: string; readonly whole: string } {
  const around = Buffer.byteLength(withMember(written, 'text', '""'));
  if (most - around >= LEAST_BYTES) {
    const short = JSON.stringify(trim(text, most - around, kept));
    return { block: withMember(written, 'text', short), whole: text };
  }
  return { block: textBlock(leftOut(text.length, text.length, 'characters')), whole: text };
}

function textBlock(text: string): string {
  return JSON.stringify({ type: 'text', text });
}

/** What it is that is left out: its kind and its size. */
function describe(
  block: Readonly<Record<string, unknown>>,
  resource: unknown,
  data: string,
): string {
  const mime = isRecord(resource) ? resource.mimeType : block.mimeType;
  const kind = typeof mime === 'string' ? mime : `block of type ${String(block.type)}`;
  const bytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
  return `${kind.slice(0, 60)} of ${bytes} bytes`;
}

interface Told {
  readonly part: string;
  readonly characters: number;
  readonly ref: string | undefined;
}

/** What the model reads about it. */
function noteOf(
  wholeBytes: number,
  told: readonly Told[],
  untold: number,
  isError: boolean,
  reader: string | undefined,
): string {
  const names = told.map(({ part, characters }) => `${part} (${characters} characters)`);
  const more = untold === 0 ? '' : ` and ${untold} more`;
  const done = isError ? '' : ' The call itself has succeeded: do not repeat it to see the rest.';
  const refs = told.filter(({ ref }) => ref !== undefined);
  const how =
    reader === undefined || refs.length === 0
      ? ''
      : ` What was left out can be read with ${reader}: ${refs
          .map(({ part, ref }) => `${part} is ${JSON.stringify({ ref })}`)
          .join(', ')}.`;
  return `[holdfast] This result has ${wholeBytes} bytes, and was shortened: ${names.join(', ')}${more}.${done}${how}`;
}
