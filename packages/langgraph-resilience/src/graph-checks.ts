import { SetupError } from '@holdfast/tool-registry';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { AdapterParts } from './adapter-parts.js';

const checked = new WeakSet<object>();

/**
 * Warns, once per graph, of what tries again around the guard: retry policies on nodes, which enter the
 * whole node again, and LangChain's retrying middleware, which also swallows a tool's question to a person.
 * The guard answers finished calls then, so nothing is done twice; but what looks like three tries there
 * is one here.
 */
export function warnOfRetriesBelow(graph: object, { guard }: AdapterParts): void {
  if (checked.has(graph)) return;
  checked.add(graph);
  const found = [
    ...retriedNodes(graph).map((name) => `node ${name} has a retryPolicy`),
    ...retryingMiddleware(graph).map((name) => `the agent has ${name}`),
  ];
  for (const what of found) {
    guard.emit(
      'warning',
      { tenant: guard.tenant, runId: '', intentId: '' },
      {
        code: 'retries_below',
        message: `${what}: the guard retries each call by its class, so leave it out`,
      },
    );
  }
}

/**
 * Warns where each call is a task of its own and only one task may run at a time: of the calls of a message
 * LangGraph 1.7 then runs the first, and forgets the others.
 */
export function warnOfDroppedSends(
  graph: object,
  { maxConcurrency }: RunnableConfig,
  { guard }: AdapterParts,
): void {
  if (maxConcurrency !== 1 || !sendsCalls(graph)) return;
  guard.emit(
    'warning',
    { tenant: guard.tenant, runId: '', intentId: '' },
    {
      code: 'sends_dropped',
      message:
        "maxConcurrency is 1 and each call is a task of its own: LangGraph runs only the first call of a message; leave it out, or make the agent with version: 'v1'",
    },
  );
}

/** An agent of `createAgent` does, unless it is told otherwise. */
function sendsCalls(agent: object): boolean {
  const options: unknown = 'options' in agent ? agent.options : undefined;
  if (typeof options !== 'object' || options === null || !('tools' in options)) return false;
  return !('version' in options) || options.version !== 'v1';
}

function retriedNodes(graph: object): readonly string[] {
  return Object.entries(nodesOf(graph))
    .filter(([, node]) => typeof node === 'object' && node !== null && 'retryPolicy' in node)
    .filter(([, node]) => (node as { readonly retryPolicy?: unknown }).retryPolicy !== undefined)
    .map(([name]) => name);
}

/** An agent of `createAgent` keeps the options that it was made with. */
function retryingMiddleware(agent: object): readonly string[] {
  const options: unknown = 'options' in agent ? agent.options : undefined;
  if (typeof options !== 'object' || options === null || !('middleware' in options)) return [];
  return Array.isArray(options.middleware)
    ? options.middleware
        .map((middleware: { readonly name?: string }) => middleware.name ?? '')
        .filter((name) => name === 'toolRetryMiddleware')
    : [];
}

function nodesOf(graph: object): Record<string, unknown> {
  const inner =
    'graph' in graph && typeof graph.graph === 'object' && graph.graph !== null
      ? graph.graph
      : graph;
  return 'nodes' in inner && typeof inner.nodes === 'object' && inner.nodes !== null
    ? { ...inner.nodes }
    : {};
}

/** @throws SetupError for what programs in JavaScript may give instead of a graph and its config. */
export function checkGraph(graph: unknown, config: unknown): void {
  const isGraph =
    typeof graph === 'object' &&
    graph !== null &&
    'invoke' in graph &&
    typeof graph.invoke === 'function';
  if (!isGraph) {
    const fix = 'give an agent, a compiled graph or an entrypoint';
    throw new SetupError('option_out_of_range', [
      { field: 'graph', reason: 'it cannot be invoked', fix },
    ]);
  }
  if (typeof config !== 'object' || config === null) {
    const fix = "give { configurable: { thread_id: 'T1' } }";
    throw new SetupError('option_out_of_range', [
      { field: 'config', reason: 'it is missing', fix },
    ]);
  }
}
