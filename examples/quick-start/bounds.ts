import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import registry from './tools.registry.js';

const guard = createLangGraphGuard({
  registry,
  ledger: sqliteLedger(process.env.LEDGER ?? 'agent.db'),
  // Of each run, unless it says otherwise: guard.run(agent, input, { …, limits: { deadline: '2m' } })
  limits: { deadline: '40s' },
  settings: { attempts: 4, breakerConsecutive: 3, retryAfterMaxMs: 60_000 },
  // Judge and record each call, and act on nothing.
  mode: 'shadow',
  onProgress: ({ tool, waitMs }) => console.log(`${tool}: next try in ${waitMs} ms`),
});

// What would have been refused, folded, tried again; and which effects were repeated.
console.log(guard.shadowReport().saved);

// For runs that begin from now on.
guard.setMode('enforce');
guard.setMode('shadow', 'loop-guard');

// The kill switch of one tool, for all runs.
guard.breakers.open('refund');
console.log(guard.breakers.health('refund')?.state);
guard.breakers.reset('refund');
