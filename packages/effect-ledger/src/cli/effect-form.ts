import { withoutSecrets } from '@holdfast/tool-registry';
import type { Effect, StoredResult } from '../effect.js';
import type { LoggedMove } from '../ledger-tables.js';
import { isGone } from '../owner.js';
import { sentArguments } from './argument-search.js';
import { plain } from './plain-text.js';

/** The tool, and for a part of its code the part's name. */
export function titleOf({ tool, step }: Effect): string {
  return step === undefined ? tool : `${tool}, step ${step.name}`;
}

/** What became of an effect, in a few words. */
export function outcomeOf(effect: Effect): string {
  switch (effect.state) {
    case 'attempting':
      return isGone(effect.owner)
        ? 'attempting (its process is gone)'
        : `attempting (process ${effect.owner.pid} on ${plain(effect.owner.host.split(' ', 1)[0] ?? '')})`;
    case 'suspended':
      return 'suspended';
    case 'failed':
      return `failed, no effect (${plain(effect.failureKind)})`;
    case 'unknown':
      return `unknown (${plain(effect.reason)})`;
    case 'succeeded': {
      const { settlement } = effect;
      switch (settlement.settled) {
        case 'open':
          return 'succeeded';
        case 'compensating':
          return 'succeeded, being undone';
        case 'compensated':
          return 'undone';
        case 'manual':
          return `succeeded, left to a person (${plain(settlement.reason)})`;
      }
    }
  }
}

/** When its first attempt began, and when its last one ended. */
export function timesOf({ attempts }: Effect): {
  readonly startedAt: number;
  readonly endedAt?: number;
} {
  const endedAt = attempts.at(-1)?.endedAt;
  return { startedAt: attempts[0]?.startedAt ?? 0, ...(endedAt !== undefined && { endedAt }) };
}

export function resultOf(result: StoredResult): string {
  if (!result.kept) return `not kept: ${plain(result.reason)}`;
  return `${plain(result.type)}, ${result.bytes.length} bytes`;
}

/**
 * An effect as `--json` prints it: without contents of results, undos and states before.
 *
 * @param more its moves, and its arguments where they are still kept
 */
export function effectJson(
  effect: Effect,
  more: { readonly moves?: readonly LoggedMove[]; readonly withArgs?: boolean } = {},
): Readonly<Record<string, unknown>> {
  const { frozenArgs, before, ...rest } = effect;
  const args = more.withArgs === true ? withoutSecrets(sentArguments(frozenArgs)) : undefined;
  return {
    ...rest,
    ...(rest.state === 'succeeded' && {
      result: withoutBytes(rest.result),
      undo: withoutArgs(rest.undo, more.withArgs === true),
    }),
    ...(args !== undefined && { args }),
    ...(more.moves !== undefined && { moves: more.moves }),
  };
}

function withoutBytes(result: StoredResult) {
  if (!result.kept) return result;
  const { bytes: _, ...rest } = result;
  return rest;
}

function withoutArgs(undo: Extract<Effect, { state: 'succeeded' }>['undo'], withArgs: boolean) {
  if (undo.undo !== 'ready') return undo;
  const { args, ...rest } = undo;
  return withArgs ? { ...rest, args: withoutSecrets(sentArguments(args)) } : rest;
}
