import { isDeepStrictEqual } from 'node:util';
import type { CallContext } from '@holdfast/call-guard';
import { membersOf, printMembers } from '../message/json-text.js';
import { isRecord } from '../message/message.js';
import type { CallParts } from './call-parts.js';
import { META } from './meta.js';
import type { ToolCall } from './tool-call.js';

/** What the guard itself says: a host that says it too is not heard. */
const OWN: ReadonlySet<string> = new Set(['progressToken', ...Object.values(META)]);

/** What the server is told of a call: what the host wrote, as it wrote it, and in `_meta` what is the guard's. */
export function paramsText(
  call: ToolCall,
  context: CallContext,
  progressToken: string,
  parts: CallParts,
): string {
  const args = argumentsText(context, call);
  let text = `{"name":${JSON.stringify(call.tool)}`;
  if (args !== undefined) text += `,"arguments":${args}`;
  for (const [name, value] of call.others) text += `,${JSON.stringify(name)}:${value}`;
  return `${text},"_meta":${metaText(call, context, progressToken, parts)}}`;
}

function metaText(
  call: ToolCall,
  context: CallContext,
  progressToken: string,
  parts: CallParts,
): string {
  const { attempt, remainingMs } = context;
  const names = keyNames(call, parts);
  const key = names.length === 0 ? undefined : context.idempotencyKey;
  const keys = key === undefined ? NONE : names;
  let text = '{';
  for (const [name, value] of call.meta) {
    if (!OWN.has(name) && !keys.includes(name)) text += `${JSON.stringify(name)}:${value},`;
  }
  text += `"progressToken":${JSON.stringify(progressToken)},"${META.attempt}":${attempt}`;
  if (call.intent !== undefined) text += `,"${META.intent}":${JSON.stringify(call.intent)}`;
  if (Number.isFinite(remainingMs)) text += `,"${META.deadlineMs}":${Math.floor(remainingMs)}`;
  for (const name of keys) text += `,${JSON.stringify(name)}:${JSON.stringify(key)}`;
  return `${text}}`;
}

/** Arguments that an effect was declared with are sent as they were written then, whoever tries again. */
function argumentsText({ input, inputText }: CallContext, call: ToolCall): string | undefined {
  return inputText === undefined || inputText === (call.argsText ?? '{}')
    ? asWritten(input, call)
    : asWritten(input, { args: JSON.parse(inputText), argsText: inputText });
}

/** As they were written, but for what the guard had to change. */
export function asWritten(
  input: unknown,
  { args, argsText }: Pick<ToolCall, 'args' | 'argsText'>,
): string | undefined {
  if (input === args || isDeepStrictEqual(input, args)) return argsText;
  if (!isRecord(input) || !isRecord(args) || argsText === undefined) return JSON.stringify(input);
  const written = membersOf(argsText);
  return printMembers(
    new Map(
      Object.entries(input).map(([name, value]) => [
        name,
        (isDeepStrictEqual(value, args[name]) ? written.get(name) : undefined) ??
          JSON.stringify(value),
      ]),
    ),
  );
}

/**
 * Under which names the key is sent. Reading it says that it was sent to where the server looks for it, so a
 * server that looks elsewhere is not told.
 */
function keyNames({ tool }: ToolCall, { registry }: CallParts): readonly string[] {
  const idempotency = registry.tools.get(tool)?.idempotency;
  switch (idempotency?.class) {
    case 'read':
    case 'delegates':
      return NONE;
    case 'idempotent-write':
      return 'meta' in idempotency.sentAs ? [idempotency.sentAs.meta] : NONE;
    // It protects nothing there, and lets a probe find the effect.
    case 'irreversible':
    case undefined:
      return [META.key];
  }
}

const NONE: readonly string[] = [];
