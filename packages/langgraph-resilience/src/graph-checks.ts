import type { AdapterParts } from './adapter-parts.js';

const checked = new WeakSet<object>();

/**
 * Warns, once per graph, of retry policies on its nodes: they enter the whole node again. The guard answers
 * finished calls then, so nothing is done twice; but what looks like three tries there is one here.
 */
export function warnOfRetriesBelow(graph: object, { guard }: AdapterParts): void {
  if (checked.has(graph)) return;
  checked.add(graph);
  const nodes = nodesOf(graph);
  for (const [name, node] of Object.entries(nodes)) {
    if (typeof node !== 'object' || node === null || !('retryPolicy' in node)) continue;
    if (node.retryPolicy === undefined) continue;
    guard.emit(
      'warning',
      { tenant: guard.tenant, runId: '', intentId: '' },
      {
        code: 'retries_below',
        message: `node ${name} has a retryPolicy: the guard retries each call by its class, so leave it out`,
      },
    );
  }
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
