import type { Run, WarningCode } from '@holdfast/call-guard';
import { attemptTimeoutMs, SetupError } from '@holdfast/tool-registry';
import type { AdapterParts } from './adapter-parts.js';

const checked = new WeakSet<object>();

/** Warns, once per graph, of what LangGraph and LangChain do around the guard that it does by itself. */
export function warnOfSettings(graph: object, parts: AdapterParts): void {
  if (checked.has(graph)) return;
  checked.add(graph);
  warnOfRetriesBelow(graph, parts);
  warnOfShortNodes(graph, parts);
}

/**
 * What tries again around the guard: retry policies on nodes, which enter the whole node again, and
 * LangChain's retrying middleware, which also swallows a tool's question to a person. The guard answers
 * finished calls then, so nothing is done twice; but what looks like three tries there is one here.
 */
function warnOfRetriesBelow(graph: object, parts: AdapterParts): void {
  const found = [
    ...retriedNodes(graph).map((name) => `node ${name} has a retryPolicy`),
    ...retryingMiddleware(graph).map((name) => `the agent has ${name}`),
  ];
  for (const what of found) {
    warn(
      'retries_below',
      `${what}: the guard retries each call by its class, so leave it out`,
      parts,
    );
  }
}

/**
 * A node that LangGraph gives less time than one try of a tool in it may take: the node fails, with all
 * that its other calls did, while the tool works on.
 */
function warnOfShortNodes(graph: object, parts: AdapterParts): void {
  for (const [name, node] of Object.entries(nodesOf(graph))) {
    const nodeMs = nodeTimeoutMs(node);
    const slower = toolNamesIn(node).flatMap((tool) => {
      const entry = parts.registry.tools.get(tool);
      const toolMs = entry && attemptTimeoutMs(entry);
      return toolMs === undefined || toolMs <= nodeMs ? [] : [`${tool} ${toolMs} ms`];
    });
    if (slower.length === 0) continue;
    const message = `node ${name} has a timeout of ${nodeMs} ms, and one try may take longer (${slower.join(', ')}): the guard ends each try in time, so leave it out or make it longer than all tries together`;
    warn('node_timeout_shorter', message, parts);
  }
}

function warn(code: WarningCode, message: string, { guard }: AdapterParts): void {
  guard.emit('warning', { tenant: guard.tenant, runId: '', intentId: '' }, { code, message });
}

const told = new WeakSet<Run>();

/**
 * Warns, once per run, where each call is a task of its own and only one task may run at a time: of the calls
 * of a message LangGraph 1.7 then runs the first, and forgets the others.
 */
export function warnOfDroppedSends(run: Run, { guard }: AdapterParts): void {
  if (told.has(run)) return;
  told.add(run);
  guard.emit('warning', run.subject, {
    code: 'sends_dropped',
    message:
      "maxConcurrency is 1 and each call is a task of its own: LangGraph runs only the first call of a message; leave it out, or make the agent with version: 'v1'",
  });
}

/** Whether each call is a task of its own: an agent of `createAgent` makes them so, unless it is told otherwise. */
export function sendsCalls(agent: object): boolean {
  const options: unknown = 'options' in agent ? agent.options : undefined;
  if (typeof options !== 'object' || options === null || !('tools' in options)) return false;
  return !('version' in options) || options.version !== 'v1';
}

function retriedNodes(graph: object): readonly string[] {
  return Object.entries(nodesOf(graph))
    .filter(([, node]) => memberOf(node, 'retryPolicy') !== undefined)
    .map(([name]) => name);
}

/** How long LangGraph lets a node run, or be silent, in milliseconds. */
function nodeTimeoutMs(node: unknown): number {
  const timeout = memberOf(node, 'timeout');
  const limits = [memberOf(timeout, 'runTimeout'), memberOf(timeout, 'idleTimeout')];
  return Math.min(...limits.map((limit) => (typeof limit === 'number' ? limit : Infinity)));
}

/** Those that a node says it has; a function of one's own says nothing. */
function toolNamesIn(node: unknown): readonly string[] {
  const tools = memberOf(memberOf(node, 'bound'), 'tools');
  if (!Array.isArray(tools)) return [];
  return tools.map((tool) => memberOf(tool, 'name')).filter((name) => typeof name === 'string');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
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

function nodesOf(graph: object): object {
  const nodes = memberOf(memberOf(graph, 'graph') ?? graph, 'nodes');
  return typeof nodes === 'object' && nodes !== null ? nodes : {};
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
