import type { CallHost, ResumeMarker, Run } from '@holdfast/call-guard';
import type { Effect, RunRecord } from '@holdfast/effect-ledger';
import { SetupError } from '@holdfast/tool-registry';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import { messagesIn } from './graph-messages.js';
import { configured } from './pregel-config.js';
import {
  type Config,
  finish,
  type Invokable,
  invoke,
  type Limited,
  type Output,
  type RunResult,
  runGraph,
  withReportedRun,
} from './run.js';
import { underDeadline } from './run-deadline.js';
import { decodeInput } from './run-input.js';
import { type Snapshot, snapshotOf } from './snapshot.js';
import { type Stage, stageOf } from './stage.js';
import { langGraphCodec, messageOf, type ToolOutput } from './tool-result.js';
import { isAIMessage, isToolMessage } from './turn.js';
import { endsOfTurn } from './turn-ends.js';

/**
 * Continues the thread's newest run after a crash, whatever was lost: from its checkpoint, or, where none
 * landed, from the input that was written down when it was accepted. Open outcomes are settled first.
 *
 * @throws SetupError `input_invalid` without a `thread_id`
 */
export async function resumeRun<G extends Invokable>(
  graph: G,
  config: Config<G>,
  parts: AdapterParts,
): Promise<RunResult<Output<G>>> {
  const { limits: asked, ...given }: RunnableConfig & Limited = config;
  const limits = asked === undefined ? undefined : parts.guard.limitsOf(asked);
  const threadId = configured(given, 'thread_id');
  if (threadId === undefined) {
    throw new SetupError('input_invalid', [
      {
        field: 'config.configurable.thread_id',
        reason: 'it is missing, so no run can be found',
        fix: 'give the thread whose run goes on: { configurable: { thread_id } }',
      },
    ]);
  }
  const { ledger, tenant } = parts.guard;
  const [record] = await ledger.runs({ tenant, threadId });
  // A thread that no guard has seen: its checkpoint is all there is.
  if (record === undefined) return runGraph(graph, null, config, parts);
  const run = parts.runs.reopen(record, limits);
  await parts.guard.settleOpen(hostOf(run));
  const snapshot = await snapshotOf(graph, given);
  const stage = stageOf(record, snapshot);
  if (stage !== 'lost' && stage !== 'lost-with-input') {
    for (const end of endsOfTurn(messagesIn(snapshot?.values) ?? [])) run.ends.note(end);
  }
  const marker = await markerOf(run, stage, snapshot, parts);
  if (stage !== 'ended') {
    parts.guard.emit('run_resumed', run.subject, {
      skipped: marker.skipped,
      unknown: marker.unknown,
      ...(marker.checkpointId === undefined ? {} : { checkpointId: marker.checkpointId }),
      ...(marker.step === undefined ? {} : { step: marker.step }),
    });
  }
  const inside = withReportedRun(given, run, parts);
  return finish(
    run,
    parts,
    () =>
      underDeadline(inside, run, parts, (bounded) =>
        goOn<G>(graph, stage, record, snapshot, bounded),
      ),
    marker,
  );
}

async function goOn<G extends Invokable>(
  graph: G,
  stage: Stage,
  record: RunRecord,
  snapshot: Snapshot | undefined,
  config: RunnableConfig,
): Promise<Output<G>> {
  switch (stage) {
    case 'ended':
      return snapshot?.values as Output<G>;
    case 'waiting':
      return {
        ...(snapshot?.values as object),
        __interrupt__: snapshot?.interrupts,
      } as Output<G>;
    case 'in-progress':
      return invoke(graph, null, config);
    case 'lost':
      return invoke(graph, await decodeInput(record.input ?? new Uint8Array()), config);
    case 'lost-with-input':
      throw new Error(
        'the run left no checkpoint and its input was not kept: send the input again (resume.needs is "input")',
      );
  }
}

async function markerOf(
  run: Run,
  stage: Stage,
  snapshot: Snapshot | undefined,
  parts: AdapterParts,
): Promise<ResumeMarker> {
  const effects = run.view
    .all()
    .map(({ effect }) => effect)
    .filter((effect) => effect.runId === run.runId);
  const messages = messagesIn(snapshot?.values) ?? [];
  const unrecorded = await unrecordedIn(messages, snapshot, effects, run, parts);
  return {
    skipped: keysOf(effects, ['succeeded']),
    unknown: keysOf(effects, ['unknown', 'attempting']),
    unrecorded,
    ...(snapshot?.checkpointId === undefined ? {} : { checkpointId: snapshot.checkpointId }),
    ...(snapshot?.step === undefined ? {} : { step: snapshot.step }),
    ...(stage === 'lost-with-input' ? { needs: 'input' as const } : {}),
  };
}

function keysOf(effects: readonly Effect[], states: readonly Effect['state'][]): Effect['key'][] {
  return effects.filter(({ state }) => states.includes(state)).map(({ key }) => key);
}

/**
 * Successes of declared writes that the open turn claims and the ledger does not know, under a stamp of
 * this very ledger: it was restored from an older copy, or bypassed.
 */
async function unrecordedIn(
  messages: readonly BaseMessage[],
  snapshot: Snapshot | undefined,
  effects: readonly Effect[],
  run: Run,
  parts: AdapterParts,
): Promise<ResumeMarker['unrecorded']> {
  const { threadId } = run;
  if (threadId === undefined || snapshot?.checkpointId === undefined) return [];
  const { ledger } = parts.guard;
  const stamp = await ledger.stampOf({ threadId, ns: '', id: snapshot.checkpointId });
  if (stamp?.ledgerId !== ledger.id || stamp.runId !== run.runId) return [];
  const turn = messages.slice(
    messages.findLastIndex((message) => message.getType() === 'human') + 1,
  );
  const known = new Set(effects.map(({ place }) => place.callId));
  const callers = new Map(
    turn
      .filter(isAIMessage)
      .flatMap((message) =>
        (message.tool_calls ?? []).map((call) => [call.id ?? '', call.name] as const),
      ),
  );
  const unrecorded = turn
    .filter(isToolMessage)
    .filter((message) => message.status !== 'error' && !isFolded(message))
    .map((message) => ({
      callId: message.tool_call_id,
      tool: callers.get(message.tool_call_id) ?? '',
    }))
    .filter(({ callId, tool }) => isDeclaredWrite(tool, parts) && !known.has(callId));
  for (const { callId, tool } of unrecorded) {
    parts.guard.emit(
      'warning',
      { ...run.subject, tool, callId },
      {
        code: 'checkpoint_ahead',
        message: `the conversation says that ${tool} was done, and the ledger has no row for it`,
      },
    );
  }
  return unrecorded;
}

/** An equal call's result stands under that call's id in the ledger. */
function isFolded(message: BaseMessage & { readonly metadata?: Record<string, unknown> }): boolean {
  const note: unknown = message.metadata?.holdfast;
  return typeof note === 'object' && note !== null && 'folded' in note && note.folded !== false;
}

function isDeclaredWrite(tool: string, { registry }: AdapterParts): boolean {
  const effectClass = registry.tools.get(tool)?.idempotency.class;
  return effectClass === 'idempotent-write' || effectClass === 'irreversible';
}

/** What recovery needs of LangGraph: results as a later call of a tool will be given them. */
function hostOf(run: Run): CallHost {
  return {
    run,
    codec: langGraphCodec,
    present: (result, request): ToolOutput => ({
      output: messageOf(result, { id: request.callId, name: request.tool }),
    }),
  };
}
