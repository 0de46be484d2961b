import type { GuardAdapter, Run } from '@holdfast/call-guard';
import type { Registry } from '@holdfast/tool-registry';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { AskedCalls } from './asked-calls.js';
import type { Stamps } from './checkpointer/stamps.js';
import type { HandOvers } from './hand-overs.js';
import type { RunLookup } from './run-lookup.js';

/** What the parts of the adapter share. Made once per guard. */
export interface AdapterParts {
  readonly guard: GuardAdapter;
  readonly registry: Registry;
  readonly runs: RunLookup;
  readonly stamps: Stamps;
  readonly onNoBarrier: 'rely-on-key' | 'refuse';
  readonly storeInput: boolean;
  /** Names of the tools that were guarded so far. */
  readonly toolNames: Set<string>;
  readonly ask: 'interrupt' | 'message';
  readonly asked: AskedCalls;
  readonly handOvers: HandOvers;
  /** Those that the guard was given. */
  readonly savers: Set<BaseCheckpointSaver>;
  /** The run of the guarded tool that this code runs in, where it does. */
  currentRun(): Run | undefined;
}
