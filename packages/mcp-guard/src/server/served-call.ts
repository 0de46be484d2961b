import type { FailureDetails, FailureKind } from '@holdfast/call-guard';
import type { Registry } from '@holdfast/tool-registry';
import { isRecord } from '../message/message.js';
import { META } from '../proxy/meta.js';
import type { ServerRequest } from './request-handlers.js';

/** Longer keys are no keys. */
const LONGEST_KEY = 255;

/** A `tools/call` as its caller means it. */
export interface ServedCall {
  readonly tool: string;
  readonly args: unknown;
  readonly key: string | undefined;
  readonly attempt: number | undefined;
  readonly intent: string | undefined;
  /** How long the caller waits, in milliseconds. */
  readonly leftMs: number | undefined;
  /** How long the tool needs, in milliseconds. */
  readonly neededMs: number;
  /** What an error of the tool means that says nothing itself. */
  readonly effectOnError: 'none' | 'unknown' | undefined;
  /** Why it is refused as it stands. */
  readonly flaw: Refusal<'invalid_arguments'> | undefined;
}

/** Why a call is not made. */
export interface Refusal<K extends FailureKind = FailureKind> {
  readonly kind: K;
  readonly details: FailureDetails[K];
}

/** @param registry what is declared of the server's tools: where a key stands, and how long a tool takes */
export function readServedCall(
  { params = {} }: ServerRequest,
  registry: Registry | undefined,
): ServedCall {
  const tool = typeof params.name === 'string' ? params.name : '';
  const meta: Readonly<Record<string, unknown>> = isRecord(params._meta) ? params._meta : {};
  const entry = registry?.tools.get(tool);
  const idempotency = entry?.idempotency;
  const declared =
    idempotency?.class === 'idempotent-write' && 'meta' in idempotency.sentAs
      ? meta[idempotency.sentAs.meta]
      : undefined;
  const key = declared ?? meta[META.key];
  const intent = meta[META.intent];
  const isKey = typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY;
  return {
    tool,
    args: params.arguments ?? {},
    key: isKey ? key : undefined,
    attempt: numberOr(meta[META.attempt]),
    intent: typeof intent === 'string' ? intent : undefined,
    leftMs: numberOr(meta[META.deadlineMs]),
    neededMs: entry?.latency?.kind === 'measured' ? entry.latency.p50 : 0,
    effectOnError:
      idempotency !== undefined && 'effectOnError' in idempotency
        ? idempotency.effectOnError
        : undefined,
    flaw: key === undefined || isKey ? undefined : badKey(),
  };
}

/** A key that cannot be one must not be taken for none: its caller counts on it. */
function badKey(): Refusal<'invalid_arguments'> {
  const message = `an idempotency key is a text of 1 to ${LONGEST_KEY} characters`;
  return {
    kind: 'invalid_arguments',
    details: { problems: [{ path: ['_meta', META.key], message }] },
  };
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
