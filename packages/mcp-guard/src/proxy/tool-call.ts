import { membersOf } from '../message/json-text.js';
import { isRecord, type MessageId, memberText, type RequestMessage } from '../message/message.js';
import { META } from './meta.js';

/** A `tools/call` of a host. */
export interface ToolCall {
  readonly id: MessageId;
  readonly tool: string;
  readonly args: unknown;
  /** As they were written; undefined where there are none. */
  readonly argsText: string | undefined;
  /** Members of the parameters that are neither name nor arguments, as they were written. */
  readonly others: ReadonlyMap<string, string>;
  readonly meta: ReadonlyMap<string, string>;
  readonly progressToken: MessageId | undefined;
  readonly intent: string | undefined;
  readonly callKey: string | undefined;
  readonly deadlineMs: number | undefined;
}

/** Reads a `tools/call`; undefined where it names no tool, which is the server's to refuse. */
export function readToolCall({ id, params, text }: RequestMessage): ToolCall | undefined {
  if (!isRecord(params) || typeof params.name !== 'string') return undefined;
  const paramsText = memberText(text, 'params') ?? '{}';
  const others = new Map(membersOf(paramsText));
  const argsText = others.get('arguments');
  const metaText = others.get('_meta');
  for (const name of ['name', 'arguments', '_meta']) others.delete(name);
  const meta: Readonly<Record<string, unknown>> = isRecord(params._meta) ? params._meta : {};
  const { progressToken } = meta;
  const deadlineMs = meta[META.deadlineMs];
  return {
    id,
    tool: params.name,
    // What is absent and what is null are calls without arguments.
    args: params.arguments ?? {},
    argsText: argsText === 'null' ? undefined : argsText,
    others,
    meta: isRecord(params._meta) ? membersOf(metaText ?? '{}') : new Map(),
    progressToken:
      typeof progressToken === 'string' || typeof progressToken === 'number'
        ? progressToken
        : undefined,
    intent: textIn(meta, META.intent),
    callKey: textIn(meta, META.key),
    deadlineMs:
      typeof deadlineMs === 'number' && Number.isFinite(deadlineMs) ? deadlineMs : undefined,
  };
}

function textIn(meta: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = meta[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
