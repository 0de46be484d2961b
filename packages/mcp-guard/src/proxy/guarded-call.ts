import type {
  CallHost,
  CallRequest,
  Execute,
  ResultRules,
  Run,
  TrimmedResult,
} from '@holdfast/call-guard';
import { isDeeperThan, lossyNumber } from '../message/json-text.js';
import { trimResult } from '../results/trimmed-result.js';
import { anyArguments, type ToolSchemas } from '../schema/tool-schemas.js';
import type { CallActivity } from './call-activity.js';
import { callIdOf } from './call-id.js';
import { asWritten } from './call-params.js';
import type { CallParts } from './call-parts.js';
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
import type { Reply } from './own-requests.js';
import { presumedClass } from './presumed-class.js';
import { outputOf, progressOf, sendCall } from './send-call.js';
import { withoutServerWord } from './server-word.js';
import type { ToolCall } from './tool-call.js';

/** How deep arguments may be nested, in levels. */
const DEEPEST = 500;

/**
 * Takes one call through the gate.
 *
 * @param signal aborted when the host gives the call up
 * @param activity what is told of its signs of life
 * @param respond takes the response for its host, once and as soon as there is one
 */
export async function guardCall(
  given: ToolCall,
  signal: AbortSignal,
  activity: CallActivity,
  parts: CallParts,
  respond: (response: string) => void,
): Promise<void> {
  const { guard } = parts;
  const run = parts.runOf(given);
  const isEnforced = run.modes.guard === 'enforce';
  // Whoever waits for what is there lets others go first.
  const known = isEnforced ? parts.directory.known(given.tool) : undefined;
  const isLookedFor = isEnforced && known === undefined;
  const tool = isLookedFor ? await parts.directory.ownNameOf(given.tool) : given.tool;
  const call = tool === given.tool ? given : { ...given, tool };
  const found = isLookedFor ? await parts.directory.find(tool) : known && { tool: known };
  const presumed = presumedClass(found?.tool?.definition, parts.trustsAnnotations);
  const isRead = (parts.registry.tools.get(tool)?.idempotency.class ?? presumed) === 'read';
  let last: Reply | undefined;
  const passOn = progressOf(call, parts);
  const onProgress: typeof passOn = (params) => {
    activity.alive();
    passOn(params);
  };
  const send: Execute<unknown, unknown> = (_, context) => {
    last = undefined;
    return sendCall(call, context, { onProgress, activity }, context, parts, (reply) => {
      last = reply;
      return outputOf(reply, isRead);
    });
  };
  /** What the server itself refused is the server's to say. */
  const refusalOf = (reply: Reply | undefined): string | undefined =>
    reply?.replied === 'error' ? relabeled(reply.text, call.id) : undefined;
  const request = requestOf(call, signal, isRead, parts);
  const host = hostOf(call, run, parts);
  if (!isEnforced) {
    const listed = run.modes.guard === 'shadow' ? parts.directory.peek(call.tool) : undefined;
    if (listed !== undefined) checkBy(listed.schemas, host);
    const response = await guard
      .passBy(request, host, (context) => send(call.args, context))
      .then(textOf)
      .then(
        (text) => resultResponse(call.id, text),
        (error: unknown) => refusalOf(last) ?? errorResponse(call.id, String(error)),
      );
    respond(response);
    return;
  }
  const isThere = found === undefined || found.tool !== undefined;
  const schemas = found?.tool?.schemas;
  const hasOutputSchema = schemas?.hasOutput ?? false;
  const trim = trimFor(call, hasOutputSchema, parts);
  const changed = parts.pins?.refusal(found && { definition: found.tool?.definition });
  // It may be readable with the next call.
  if (changed?.change === 'unread') parts.directory.forget();
  host.answer = (answer) => {
    if (answer.ok) respond(resultResponse(call.id, successText(answer)));
  };
  host.watchIdle = (clock) => activity.watch(clock);
  host.trim = (output, rules) => (isCallResult(output) ? trim(output, rules) : undefined);
  if (presumed !== undefined) host.presumed = presumed;
  if (parts.results.maxBytes !== undefined) host.maxResultBytes = parts.results.maxBytes;
  // Nobody else asks what it was meant to be.
  if (!isThere) host.toolNames = await parts.directory.names();
  checkBy(schemas, host);
  const answer = await guard.call(
    changed === undefined
      ? request
      : { ...request, flaw: { kind: 'contract_changed', details: changed } },
    host,
    isThere ? send : undefined,
  );
  if (answer.ok) return;
  const refusal = refusalOf(last);
  if (refusal !== undefined) {
    respond(refusal);
    return;
  }
  const said = last?.replied === 'result' ? callResult(withoutServerWord(last.text)) : undefined;
  const shown = said === undefined ? undefined : await shortened(said, call, trim, parts);
  respond(resultResponse(call.id, failureText(answer.failure, shown, hasOutputSchema)));
}

/** What the server says of a call; where it cannot be asked, only what the protocol does. */
function checkBy(schemas: ToolSchemas | undefined, host: HostDraft): void {
  host.argumentRules = schemas?.argumentRules ?? anyArguments;
  if (schemas === undefined) return;
  host.resultProblems = (output) =>
    isCallResult(output) ? schemas.resultProblems(output.result) : [];
}

type Trim = (
  result: CallResult,
  rules: ResultRules,
) => Promise<TrimmedResult | undefined> | undefined;

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
  const request: { -readonly [F in keyof CallRequest]: CallRequest[F] } = {
    tool: call.tool,
    // What walks through them would run out of stack.
    args: isTooDeep ? {} : call.args,
    callId: callIdOf(call, parts.session),
    signal,
    deadlineMs: call.deadlineMs ?? parts.deadlineMs,
  };
  if (call.callKey !== undefined) request.callKey = call.callKey;
  if (echo !== undefined) request.flaw = { kind: 'malformed_call', details: { echo } };
  return request;
}

/** What two calls that differ could lose, so that they would be one. */
function lossOf(argsText: string | undefined): string | undefined {
  const lossy = argsText === undefined ? undefined : lossyNumber(argsText);
  return lossy && `${lossy} has more digits than a number can keep: send it as text`;
}

/** Written field by field: each call has one, and to spread parts of it takes longer. */
type HostDraft = { -readonly [F in keyof CallHost]: CallHost[F] };

function hostOf(call: ToolCall, run: Run, parts: CallParts): HostDraft {
  const host: HostDraft = {
    run,
    codec: resultCodec,
    rawResult,
    typedResult,
    inputText: (input) => asWritten(input, call) ?? JSON.stringify(input),
    present: presented,
    redact: redacted,
    leavesProcess: parts.upstream.leavesProcess ?? false,
  };
  // An intent tells a repetition from a new wish by itself.
  if (call.intent === undefined && parts.repetition !== undefined) {
    host.repetition = parts.repetition;
  }
  return host;
}

function rawResult(output: unknown): unknown {
  return isCallResult(output) ? output.result : output;
}
