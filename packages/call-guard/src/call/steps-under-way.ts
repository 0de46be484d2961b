import type { EffectKey } from '@holdfast/effect-ledger';
import type { FailureFacts } from '../failure.js';

/** What became of a step that ran in this process. */
export type StepEnd =
  | { readonly ended: 'gave'; readonly result: unknown }
  | { readonly ended: 'threw'; readonly error: unknown; readonly facts: FailureFacts };

/** Steps under way in this process, by key. */
export type StepsUnderWay = Map<EffectKey, Promise<StepEnd>>;
