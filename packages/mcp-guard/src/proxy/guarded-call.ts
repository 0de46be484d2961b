import { isDeepStrictEqual } from 'node:util';
import {
  type CallContext,
  type CallHost,
  type CallRequest,
  type Execute,
  type GuardAdapter,
  type ResultRules,
  type Run,
  StatedFailure,
  type TrimmedResult,
} from '@holdfast/call-guard';
import { type Registry, sha256 } from '@holdfast/tool-registry';
import { isDeeperThan, lossyNumber, membersOf, printMembers } from '../message/json-text.js';
import { isRecord, type MessageId, type RpcError } from '../message/message.js';
import type { PinnedTools } from '../pins/pinned-tools.js';
import type { ResultReader } from '../results/result-reader.js';
import { trimResult } from '../results/trimmed-result.js';
import { anyArguments, type ToolSchemas } from '../schema/tool-schemas.js';
import type { CallActivity } from './call-activity.js';
import {
  type CallResult,
  callResult,
  errorResponse,
  failureText,
  isCallResult,
  presented,
  redacted,
  relabeled,
  resultCodec,
  resultResponse,
  successText,
  textOf,
  typedResult,
} from './call-result.js';
import { META } from './meta.js';
import type { OwnRequests, Reply } from './own-requests.js';
import { presumedClass } from './presumed-class.js';
import { statedBy, withoutServerWord } from './server-word.js';
import type { ToolCall } from './tool-call.js';
import type { ToolDirectory } from './tool-directory.js';
import { type Upstream, UpstreamLost } from './upstream.js';

/** How deep arguments may be nested, in levels. */
const DEEPEST = 500;

/** What becomes of results that are long. */
export interface ResultSetting {
  /** How much of one is given where the tool's entry does not say, in bytes of JSON. Default: all. */
  readonly maxBytes?: number;
  /** Keeps what is left out, and is the tool that reads it. Absent: it is not kept. */
  readonly reader?: ResultReader;
}

/** What the calls of one session share. */
export interface CallParts {
  readonly guard: GuardAdapter;
  readonly registry: Registry;
  readonly own: OwnRequests;
  readonly directory: ToolDirectory;
  /** The run of a call: its intent's, else the session's. */
  runOf(call: ToolCall): Run;
  /** Absent where nothing was reviewed. */
  readonly pins: PinnedTools | undefined;
  /** Tells this session from all others. */
  readonly session: string;
  /** Absent where the run of the call tells its wishes apart. */
  readonly repetition?: NonNullable<CallHost['repetition']>;
  /** For a call whose host sets no deadline, in milliseconds. */
  readonly deadlineMs: number;
  readonly upstream: Pick<Upstream, 'carriesHeaders' | 'ready'>;
  readonly results: ResultSetting;
  /** Whether a server's word is enough that a tool only reads. */
  readonly trustsAnnotations: boolean;
  tell(text: string, relatedTo: MessageId): void;
}

/**
 * Takes one call through the gate and gives the response for its host.
 *
 * @param signal aborted when the host gives the call up
 * @param activity what is told of its signs of life
 */
export async function guardCall(
  given: ToolCall,
  signal: AbortSignal,
  activity: CallActivity,
  parts: CallParts,
): Promise<string> {
  const { guard } = parts;
  const run = parts.runOf(given);
  const isEnforced = run.modes.guard === 'enforce';
  const tool = isEnforced ? await parts.directory.ownNameOf(given.tool) : given.tool;
  const call = tool === given.tool ? given : { ...given, tool };
  const found = isEnforced ? await parts.directory.find(tool) : undefined;
  const presumed = presumedClass(found?.tool?.definition, parts.trustsAnnotations);
  const isRead = (parts.registry.tools.get(tool)?.idempotency.class ?? presumed) === 'read';
  let last: Reply | undefined;
  const passOn = progressOf(call, parts);
  const onProgress: typeof passOn = (params) => {
    activity.alive();
    passOn(params);
  };
  const send: Execute<unknown, unknown> = async (_, context) => {
    last = undefined;
    last = await sendCall(call, context, { onProgress, activity, signal: context.signal }, parts);
    return outputOf(last, isRead);
  };
  /** What the server itself refused is the server's to say. */
  const refusalOf = (reply: Reply | undefined): string | undefined =>
    reply?.replied === 'error' ? relabeled(reply.text, call.id) : undefined;
  const request = requestOf(call, signal, isRead, parts);
  const host = hostOf(call, run, parts);
  if (!isEnforced) {
    const known = run.modes.guard === 'shadow' ? parts.directory.peek(call.tool) : undefined;
    const watching = known === undefined ? host : { ...host, ...checksBy(known.schemas) };
    return guard
      .passBy(request, watching, (context) => send(call.args, context))
      .then(textOf)
      .then(
        (text) => resultResponse(call.id, text),
        (error: unknown) => refusalOf(last) ?? errorResponse(call.id, String(error)),
      );
  }
  const isThere = found === undefined || found.tool !== undefined;
  const schemas = found?.tool?.schemas;
  const hasOutputSchema = schemas?.hasOutput ?? false;
  const trim = trimFor(call, hasOutputSchema, parts);
  const changed = parts.pins?.refusal(found && { definition: found.tool?.definition });
  // It may be readable with the next call.
  if (changed?.change === 'unread') parts.directory.forget();
  const answer = await guard.call(
    changed === undefined
      ? request
      : { ...request, flaw: { kind: 'contract_changed', details: changed } },
    {
      ...host,
      ...(presumed === undefined ? {} : { presumed }),
      watchIdle: (clock) => activity.watch(clock),
      trim: async (output, rules) => (isCallResult(output) ? trim(output, rules) : undefined),
      ...(parts.results.maxBytes === undefined ? {} : { maxResultBytes: parts.results.maxBytes }),
      // Nobody else asks what it was meant to be.
      ...(isThere ? {} : { toolNames: await parts.directory.names() }),
      ...checksBy(schemas),
    },
    isThere ? send : undefined,
  );
  if (answer.ok) return resultResponse(call.id, successText(answer));
  const refusal = refusalOf(last);
  if (refusal !== undefined) return refusal;
  const said = last?.replied === 'result' ? callResult(withoutServerWord(last.text)) : undefined;
  const shown = said === undefined ? undefined : await shortened(said, call, trim, parts);
  return resultResponse(call.id, failureText(answer.failure, shown, hasOutputSchema));
}

/** What the server says of a call; where it cannot be asked, only what the protocol does. */
function checksBy(schemas: ToolSchemas | undefined): Partial<CallHost> {
  if (schemas === undefined) return { argumentRules: anyArguments };
  return {
    argumentRules: schemas.argumentRules,
    resultProblems: (output) => (isCallResult(output) ? schemas.resultProblems(output.result) : []),
  };
}

type Trim = (result: CallResult, rules: ResultRules) => Promise<TrimmedResult | undefined>;

function trimFor(
  { tool }: ToolCall,
  needsStructure: boolean,
  { registry, results }: CallParts,
): Trim {
  // What must not be kept is not kept for later either.
  const isSecret = (registry.tools.get(tool)?.redactedResult.length ?? 0) > 0;
  const reader = isSecret ? undefined : results.reader;
  return (result, rules) =>
    trimResult(result, rules, {
      needsStructure,
      ...(reader === undefined ? {} : { reader: reader.name, keep: (text) => reader.keep(text) }),
    });
}

/** An error result of the server's own, which does not leave the gate as a result. */
async function shortened(
  said: CallResult,
  { tool }: ToolCall,
  trim: Trim,
  { registry, results }: CallParts,
): Promise<CallResult> {
  const maxBytes = registry.tools.get(tool)?.resultCap.maxBytes ?? results.maxBytes;
  if (maxBytes === undefined) return said;
  const trimmed = await trim(said, { maxBytes, kept: {} });
  return isCallResult(trimmed?.given) ? trimmed.given : said;
}

/**
 * Sends a call on that has passed the gate already, as the tool that makes it: under its key, within its time.
 *
 * @param signal aborted when the host gives the call up
 * @throws what keeps it from an answer
 */
export async function passCall(
  call: ToolCall,
  signal: AbortSignal,
  passed: CallContext,
  activity: CallActivity,
  parts: CallParts,
): Promise<string> {
  const onProgress = progressOf(call, parts);
  const isRead = parts.registry.tools.get(call.tool)?.idempotency.class === 'read';
  const reply = await sendCall(call, passed, { onProgress, activity, signal }, parts);
  switch (reply.replied) {
    case 'result':
      return resultResponse(call.id, withoutServerWord(reply.text));
    case 'error':
      return relabeled(reply.text, call.id);
    case 'oversized':
      return resultResponse(call.id, outputOf(reply, isRead).text);
  }
}

function requestOf(
  call: ToolCall,
  signal: AbortSignal,
  isRead: boolean,
  parts: CallParts,
): CallRequest {
  const { argsText } = call;
  const isTooDeep = argsText !== undefined && isDeeperThan(argsText, DEEPEST);
  const echo = isTooDeep
    ? `its arguments are nested more than ${DEEPEST} levels deep`
    : isRead
      ? undefined
      : lossOf(argsText);
  return {
    tool: call.tool,
    // What walks through them would run out of stack.
    args: isTooDeep ? {} : call.args,
    // Ids begin anew with each session; a host that uses one for two calls means two calls.
    callId: `${parts.session}/${JSON.stringify(call.id)}/${sha256(argsText ?? '').slice(0, 8)}`,
    signal,
    deadlineMs: call.deadlineMs ?? parts.deadlineMs,
    ...(call.callKey === undefined ? {} : { callKey: call.callKey }),
    ...(echo === undefined ? {} : { flaw: { kind: 'malformed_call', details: { echo } } }),
  };
}

/** What two calls that differ could lose, so that they would be one. */
function lossOf(argsText: string | undefined): string | undefined {
  const lossy = argsText === undefined ? undefined : lossyNumber(argsText);
  return lossy && `${lossy} has more digits than a number can keep: send it as text`;
}

function hostOf(call: ToolCall, run: Run, parts: CallParts): CallHost {
  return {
    run,
    codec: resultCodec,
    rawResult: (output) => (isCallResult(output) ? output.result : output),
    typedResult,
    inputText: (input) => asWritten(input, call) ?? JSON.stringify(input),
    present: presented,
    redact: redacted,
    // An intent tells a repetition from a new wish by itself.
    ...(call.intent === undefined && parts.repetition !== undefined
      ? { repetition: parts.repetition }
      : {}),
  };
}

/** What hears of a call that is under way. */
interface Hears {
  readonly onProgress: (params: Readonly<Record<string, unknown>>) => void;
  readonly activity: CallActivity;
  readonly signal: AbortSignal;
}

async function sendCall(
  call: ToolCall,
  context: CallContext,
  { onProgress, activity, signal }: Hears,
  parts: CallParts,
): Promise<Reply> {
  try {
    await parts.upstream.ready();
    // Bringing the server to work is no silence of the tool's.
    activity.alive();
    const text = (token: string): string => paramsText(call, context, token, parts);
    return await parts.own.request('tools/call', text, {
      signal,
      onProgress,
      forHost: call.id,
      // Reading them says that the key was sent.
      ...(parts.upstream.carriesHeaders ? { headers: context.headers() } : {}),
    });
  } catch (error) {
    if (!(error instanceof UpstreamLost)) throw error;
    if (error.sent) throw new ServerError({ code: -32000, message: 'Connection closed' });
    throw new StatedFailure('transport_lost', 'none', { sent: false }, error);
  }
}

/** Passes progress on under the host's token. A later attempt counts anew; what a host sees only grows. */
function progressOf(
  { id, progressToken }: ToolCall,
  { tell }: CallParts,
): (params: Readonly<Record<string, unknown>>) => void {
  let reached = Number.NEGATIVE_INFINITY;
  return (params) => {
    const { progress } = params;
    if (progressToken === undefined || typeof progress !== 'number' || progress <= reached) return;
    reached = progress;
    const method = 'notifications/progress';
    tell(JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, progressToken } }), id);
  };
}

function outputOf(reply: Reply, isRead: boolean): CallResult {
  switch (reply.replied) {
    case 'result': {
      const text = withoutServerWord(reply.text);
      const result = text === reply.text ? callResult(text, reply.result) : callResult(text);
      const stated = result.result.isError === true ? statedBy(reply) : undefined;
      if (stated !== undefined) throw stated;
      return result;
    }
    case 'error':
      throw statedBy(reply) ?? new ServerError(reply.error);
    case 'oversized': {
      const message = `the answer has ${reply.bytes} bytes, more than a message may have`;
      const problems = [{ path: [], message }];
      throw new StatedFailure('result_invalid', isRead ? 'none' : 'done', { problems });
    }
  }
}

/** An error of the server, as clients of the protocol throw it. */
class ServerError extends Error {
  override readonly name = 'McpError';
  readonly code: number;
  constructor({ code, message }: RpcError) {
    // Each hop of other proxies puts its own prefix before the text.
    super(`MCP error ${code}: ${message.replace(/^(?:MCP error -?\d+: )+/, '')}`);
    this.code = code;
  }
}

function paramsText(
  call: ToolCall,
  context: CallContext,
  progressToken: string,
  parts: CallParts,
): string {
  const args = argumentsText(context, call);
  const meta = new Map(call.meta);
  if (meta.size > 0) for (const name of Object.values(META)) meta.delete(name);
  const set = (name: string, value: unknown): void => {
    if (value !== undefined) meta.set(name, JSON.stringify(value));
  };
  set('progressToken', progressToken);
  set(META.attempt, context.attempt);
  set(META.intent, call.intent);
  if (Number.isFinite(context.remainingMs)) {
    set(META.deadlineMs, Math.floor(context.remainingMs));
  }
  for (const name of keyNames(call, parts)) set(name, context.idempotencyKey);
  return printMembers(
    new Map([
      ['name', JSON.stringify(call.tool)],
      ...(args === undefined ? [] : [['arguments', args] as const]),
      ...call.others,
      ['_meta', printMembers(meta)],
    ]),
  );
}

/** Arguments that an effect was declared with are sent as they were written then, whoever tries again. */
function argumentsText({ input, inputText }: CallContext, call: ToolCall): string | undefined {
  return inputText === undefined || inputText === (call.argsText ?? '{}')
    ? asWritten(input, call)
    : asWritten(input, { args: JSON.parse(inputText), argsText: inputText });
}

/** As they were written, but for what the guard had to change. */
function asWritten(
  input: unknown,
  { args, argsText }: Pick<ToolCall, 'args' | 'argsText'>,
): string | undefined {
  if (isDeepStrictEqual(input, args)) return argsText;
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
      return [];
    case 'idempotent-write':
      return 'meta' in idempotency.sentAs ? [idempotency.sentAs.meta] : [];
    // It protects nothing there, and lets a probe find the effect.
    case 'irreversible':
    case undefined:
      return [META.key];
  }
}
