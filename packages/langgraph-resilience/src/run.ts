import {
  buildReport,
  type ResumeMarker,
  type Run,
  type RunLimits,
  type RunReport,
} from '@holdfast/call-guard';
import type { RunRecord } from '@holdfast/effect-ledger';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';
import { checkGraph, sendsCalls, warnOfDroppedSends, warnOfSettings } from './graph-checks.js';
import { messagesIn } from './graph-messages.js';
import { checkAnswersAreHeeded } from './heeded-answers.js';
import { interruptsIn, type PendingInterrupt } from './pauses.js';
import { configured } from './pregel-config.js';
import { addressed } from './resume-answers.js';
import { deadlineOf, underDeadline } from './run-deadline.js';
import { decodeInput, type EnteringInput, encodeInput, enteringInput } from './run-input.js';
import { RUN_KEY } from './run-lookup.js';
import { type Snapshot, snapshotOf } from './snapshot.js';
import { isAnswerUngiven, stageOf } from './stage.js';
import { endsOfTurn } from './turn-ends.js';

/** What `run` needs of a graph: an agent, a compiled graph and an entrypoint all fit. */
export interface Invokable {
  invoke(input: unknown, config?: unknown): Promise<unknown>;
}
export interface Streamable extends Invokable {
  stream(input: unknown, config?: unknown): Promise<AsyncIterable<unknown>>;
}
export type Input<G extends Invokable> = Parameters<G['invoke']>[0] | null;
/** What the graph takes, and what bounds the run; see `RunLimits`. */
export type Config<G extends Invokable> = (unknown extends Parameters<G['invoke']>[1]
  ? RunnableConfig
  : NonNullable<Parameters<G['invoke']>[1]>) &
  Limited;
export interface Limited {
  readonly limits?: RunLimits;
}
export type Output<G extends Invokable> = Awaited<ReturnType<G['invoke']>>;

export type RunResult<O> =
  | {
      readonly report: RunReport & { readonly status: 'complete' };
      readonly output: O;
      readonly interrupts: readonly [];
    }
  | {
      readonly report: RunReport & { readonly status: Exclude<RunReport['status'], 'complete'> };
      readonly output?: O;
      /** What the graph asks a person, where it waits for one. */
      readonly interrupts: readonly PendingInterrupt[];
      /** What the graph itself threw. */
      readonly error?: unknown;
    };

export interface RunStream extends AsyncIterable<unknown> {
  /**
   * Settles when the stream was read to its end or left; never rejects for what the graph threw. The graph
   * runs as the stream is read.
   */
  readonly result: Promise<RunResult<unknown>>;
}

/** Runs a graph for an input, or continues its thread for `null` and commands, and reports. */
export async function runGraph<G extends Invokable>(
  graph: G,
  input: Input<G>,
  config: Config<G>,
  parts: AdapterParts,
): Promise<RunResult<Output<G>>> {
  const begun = await begin(graph, input, config, parts);
  return finish(begun.run, parts, () =>
    underDeadline(begun.config, begun.run, parts, (inside) => answerOf(graph, begun, inside)),
  );
}

/** As {@link runGraph}, streaming what the graph streams. */
export function streamGraph<G extends Streamable>(
  graph: G,
  input: Parameters<G['stream']>[0],
  config: NonNullable<Parameters<G['stream']>[1]> & Limited,
  parts: AdapterParts,
): RunStream {
  let settle: (result: RunResult<unknown>) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const result = new Promise<RunResult<unknown>>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  // Whoever reads only the stream sees its errors there.
  result.catch(() => {});
  async function* chunks(): AsyncGenerator<unknown> {
    const begun = await begin(graph, input, config, parts).catch((error: unknown) => {
      fail(error);
      throw error;
    });
    // Whoever stops reading ends the graph in the middle of its work.
    let thrown: { readonly error: unknown } | undefined = {
      error: new Error('the stream was left'),
    };
    const deadline = deadlineOf(begun.config, begun.run, parts);
    try {
      if (begun.answered === undefined) {
        const stream = await graph.stream(begun.graphInput, deadline.config);
        for await (const chunk of stream) yield chunk;
      }
      thrown = undefined;
    } catch (error) {
      thrown = { error };
      throw error;
    } finally {
      deadline.end();
      const ended = thrown;
      settle(
        await finish(begun.run, parts, async () => {
          if (ended !== undefined) throw ended.error;
          const snapshot = await snapshotOf(graph, begun.config);
          return snapshot === undefined
            ? undefined
            : { ...asObject(snapshot.values), __interrupt__: snapshot.interrupts };
        }),
      );
    }
  }
  // One graph, however often somebody asks for its chunks.
  const stream = chunks();
  return { [Symbol.asyncIterator]: () => stream, result };
}

/** Calls a graph whose types were checked where it was given. */
export async function invoke<G extends Invokable>(
  graph: G,
  input: unknown,
  config: RunnableConfig,
): Promise<Output<G>> {
  return (await graph.invoke(input, config)) as Output<G>;
}

async function answerOf<G extends Invokable>(
  graph: G,
  { graphInput, answered }: Begun,
  config: RunnableConfig,
): Promise<Output<G>> {
  return answered === undefined
    ? invoke(graph, graphInput, config)
    : (answered.values as Output<G>);
}

interface Begun {
  readonly run: Run;
  readonly graphInput: unknown;
  readonly config: RunnableConfig;
  /** Where all is done and answered, and only the answer was never given: nothing is left for the graph. */
  readonly answered?: Snapshot;
}

async function begin(
  graph: Invokable,
  input: unknown,
  { limits: asked, ...config }: RunnableConfig & Limited,
  parts: AdapterParts,
): Promise<Begun> {
  checkGraph(graph, config);
  const limits = asked === undefined ? undefined : parts.guard.limitsOf(asked);
  warnOfSettings(graph, parts);
  const begun = await enter(graph, input, config, limits, parts);
  if (config.maxConcurrency === 1 && sendsCalls(graph)) warnOfDroppedSends(begun.run, parts);
  return begun;
}

async function enter(
  graph: Invokable,
  input: unknown,
  config: RunnableConfig,
  limits: ReturnType<AdapterParts['guard']['limitsOf']> | undefined,
  parts: AdapterParts,
): Promise<Begun> {
  const entering = enteringInput(input, parts.guard.newId);
  const snapshot = await snapshotOf(graph, config);
  const messages = messagesIn(snapshot?.values) ?? [];
  if (entering === undefined) {
    const run = await parts.runs.of(config, messages.length === 0 ? undefined : messages, limits);
    checkAnswersAreHeeded(run.modes.guard, snapshot?.interrupts ?? []);
    for (const end of endsOfTurn(messages)) run.ends.note(end);
    const graphInput = await addressed(input, snapshot?.interrupts ?? [], parts.registry);
    return { run, graphInput, config: withReportedRun(config, run, parts) };
  }
  const threadId = configured(config, 'thread_id');
  const bytes = parts.storeInput ? await encodeInput(entering) : undefined;
  const { run, continued } = await parts.runs.accept(
    threadId,
    configured(config, 'intent_id'),
    { ...entering, ...(bytes === undefined ? {} : { bytes }) },
    messages,
    limits,
  );
  await run.admit();
  const inside = withReportedRun(config, run, parts);
  if (continued === undefined) return { run, graphInput: entering.graphInput, config: inside };
  for (const end of endsOfTurn(messages)) run.ends.note(end);
  parts.guard.emit('run_resumed', run.subject, { skipped: [], unknown: [] });
  if (continued.inputDigest === entering.digest && isAnswerUngiven(continued, snapshot)) {
    return { run, graphInput: null, config: inside, answered: snapshot };
  }
  return { run, graphInput: await inputAgain(entering, continued, snapshot), config: inside };
}

/**
 * What a graph is given for a message that was sent again: nothing where its turn is under way, so that
 * the turn goes on instead of the message standing there twice; where the checkpoints lost it, the input
 * as it was accepted, under the id by which the ledger knows it.
 */
async function inputAgain(
  entering: EnteringInput,
  record: RunRecord,
  snapshot: Snapshot | undefined,
): Promise<unknown> {
  if (record.inputDigest !== entering.digest) return entering.graphInput;
  switch (stageOf(record, snapshot)) {
    case 'in-progress':
      return null;
    case 'lost':
      return decodeInput(record.input ?? new Uint8Array());
    case 'lost-with-input':
    case 'waiting':
    case 'ended':
      return entering.graphInput;
  }
}

/** The config by which every guarded call inside finds this run. */
export function withRun<C extends RunnableConfig>(config: C, run: Run, parts: AdapterParts): C {
  parts.stamps.follow(run);
  return { ...config, configurable: { ...config.configurable, [RUN_KEY]: { run } } };
}

/** As {@link withRun}, for an invocation whose report tells its end: that of {@link finish}. */
export function withReportedRun<C extends RunnableConfig>(
  config: C,
  run: Run,
  parts: AdapterParts,
): C {
  run.endsByReport = true;
  return withRun(config, run, parts);
}

/** Runs the work and reports on what the ledger then holds. */
export async function finish<O>(
  run: Run,
  parts: AdapterParts,
  work: () => Promise<O>,
  resume?: ResumeMarker,
): Promise<RunResult<O>> {
  let ended: { readonly output: O } | { readonly error: unknown };
  try {
    ended = { output: await work() };
  } catch (error) {
    ended = { error };
  }
  const interrupts = 'output' in ended ? interruptsIn(ended.output) : [];
  const isWritten = run.modes.guard !== 'off';
  const report = buildReport({
    runId: run.runId,
    intentId: run.intentId,
    effects: isWritten ? await parts.guard.ledger.find({ runId: run.runId }) : [],
    time: run.budget.explain().time,
    ends: run.ends.open,
    interrupted: interrupts.length > 0,
    threw: 'error' in ended,
    locale: run.locale,
    ...(resume === undefined ? {} : { resume }),
  });
  const { status } = report;
  const consumedMs = Math.round(run.budget.deadline.consumedMs());
  if (isWritten && status === 'complete') {
    await parts.guard.ledger.endRun(run.runId, status, consumedMs);
  } else if (isWritten) await parts.guard.ledger.consume(run.runId, consumedMs);
  parts.guard.emit('run_finished', run.subject, { status });
  if (status === 'complete' && 'output' in ended) {
    return { report: { ...report, status }, output: ended.output, interrupts: [] };
  }
  if (status === 'complete') throw new TypeError('a run that threw cannot be complete');
  return { report: { ...report, status }, interrupts, ...ended };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
