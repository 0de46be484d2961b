import type { EffectKey } from '../effect.js';
import type { LedgerReader } from '../sqlite/ledger-reader.js';
import { CommandError } from './command-error.js';

/** What an id on the command line stands for. */
export type Resolved =
  | { readonly is: 'run'; readonly runId: string }
  | { readonly is: 'effect'; readonly key: EffectKey }
  | { readonly is: 'thread'; readonly threadId: string };

/** How many candidates are named. */
const shown = 5;
/** Fewer characters begin too many keys. */
const leastBeginning = 4;

/**
 * The run, effect or thread whose id this is, or the only run or effect whose id begins so; undefined if
 * there is none.
 */
export function resolveId(reader: LedgerReader, text: string): Resolved | undefined {
  const exact = resolveExact(reader, text);
  if (exact !== undefined) return exact;
  if (reader.countRuns({ threadId: text }) > 0) return { is: 'thread', threadId: text };
  if (text.length < leastBeginning) return undefined;
  const [first, ...more] = reader.idsLike(text, shown + 1);
  if (first === undefined) return undefined;
  if (more.length === 0) return resolveExact(reader, first);
  const named = [first, ...more].slice(0, shown).join(', ');
  throw new CommandError(
    `${text} may be several: ${named}${more.length === shown ? ', …' : ''}`,
    'give more of the one that is meant',
  );
}

/** @throws CommandError when it is no run. */
export function resolveRun(reader: LedgerReader, text: string): string {
  const found = resolveId(reader, text);
  if (found?.is === 'run') return found.runId;
  throw new CommandError(
    `no run is named ${text}`,
    `see which there are: effect-ledger list ${reader.location}`,
  );
}

/** @throws CommandError when it is no effect's key. */
export function resolveKey(reader: LedgerReader, text: string): EffectKey {
  const found = resolveId(reader, text);
  if (found?.is === 'effect') return found.key;
  throw new CommandError(
    `no effect has the key ${text}`,
    `look for its call, thread or tool: effect-ledger find ${reader.location} --help`,
  );
}

function resolveExact(reader: LedgerReader, id: string): Resolved | undefined {
  const [run] = reader.runs({ runId: id }, 1);
  if (run !== undefined) return { is: 'run', runId: run.runId };
  const [effect] = reader.findEffects({ key: id });
  return effect && { is: 'effect', key: effect.key };
}
