import { eachMember, membersOf } from '../message/json-text.js';
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

const NO_MEMBERS: ReadonlyMap<string, string> = new Map();

/** Reads a `tools/call`; undefined where it names no tool, which is the server's to refuse. */
export function readToolCall({ id, params, text }: RequestMessage): ToolCall | undefined {
  if (!isRecord(params) || typeof params.name !== 'string') return undefined;
  const paramsText = memberText(text, 'params') ?? '{}';
  let argsText: string | undefined;
  let metaText = '{}';
  let others: Map<string, string> | undefined;
  eachMember(paramsText, (name, start, end) => {
    if (name === 'name') return;
    const member = paramsText.slice(start, end);
    if (name === 'arguments') argsText = member;
    else if (name === '_meta') metaText = member;
    else others = (others ?? new Map<string, string>()).set(name, member);
  });
  const meta: Readonly<Record<string, unknown>> = isRecord(params._meta) ? params._meta : {};
  const { progressToken } = meta;
  const deadlineMs = meta[META.deadlineMs];
  return {
    id,
    tool: params.name,
    // What is absent and what is null are calls without arguments.
    args: params.arguments ?? {},
    argsText: argsText === 'null' ? undefined : argsText,
    others: others ?? NO_MEMBERS,
    meta: isRecord(params._meta) ? membersOf(metaText) : NO_MEMBERS,
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
