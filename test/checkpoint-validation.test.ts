/** LangGraph's own suite for checkpointers, on savers that the guard wrapped. */

import { memoryLedger } from '@holdfast/effect-ledger';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { type BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { specTest } from '@langchain/langgraph-checkpoint-validation';
import Database from 'libsql';
import { caseRegistry } from './support/case-registry.js';

/** A saver as an adopter has it: the guard's ledger beside it. */
function guarded<S extends BaseCheckpointSaver>(saver: S): S {
  const guard = createLangGraphGuard({ registry: caseRegistry, ledger: memoryLedger() });
  return guard.checkpointer(saver);
}

// By the savers' own names: by them the suite knows the one thing that both leave out, wrapped or not.
specTest({
  checkpointerName: 'MemorySaver',
  createCheckpointer: () => guarded(new MemorySaver()),
});

specTest({
  checkpointerName: '@langchain/langgraph-checkpoint-sqlite',
  createCheckpointer: () => guarded(new SqliteSaver(new Database(':memory:'))),
  destroyCheckpointer: (saver) => void saver.db.close(),
});
