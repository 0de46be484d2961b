import type { EffectKey } from '@holdfast/effect-ledger';
import type { Failure } from '../failure.js';
import type { Edit } from './edit.js';

/** What leaves the gate. */
export type CallAnswer<R> =
  | {
      readonly ok: true;
      readonly result: R;
      /** `false`: executed now. Otherwise how an earlier result came to answer this call. */
      readonly folded: false | 'replayed' | 'folded' | 'ahead';
      readonly attempts: number;
      readonly repairs: readonly string[];
      readonly warnings: readonly string[];
      readonly key?: EffectKey;
      /** The call id under which the result was made, where that was another one. */
      readonly originalCallId?: string;
      /** Where a person changed what the model asked for. */
      readonly edit?: Edit;
    }
  | { readonly ok: false; readonly failure: Failure };
