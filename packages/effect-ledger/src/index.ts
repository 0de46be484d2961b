export type { Decision, NewDecision } from './decision.js';
export type {
  Attempt,
  Declaration,
  Effect,
  EffectIn,
  EffectKey,
  EffectState,
  Evidence,
  Owner,
  Place,
  Settlement,
  Step,
  StoredResult,
  Undo,
  WriteClass,
} from './effect.js';
export { isInDoubt } from './effect-change.js';
export { effectKey, stepKey, type WishParts, wishDigest } from './effect-key.js';
export { type IdentityRecipe, identityOf } from './identity.js';
export { isLedgerError, LedgerError } from './ledger-error.js';
export { type Meeting, meet, type Standing } from './meeting.js';
export { type MemoryLedgerOptions, memoryLedger } from './memory-ledger.js';
export { isGone, ownerIdentity } from './owner.js';
export type {
  Admission,
  AttemptEnd,
  CheckpointRef,
  CheckpointStamp,
  Claim,
  Claimant,
  DecisionQuery,
  EffectQuery,
  LeaseState,
  LedgerStore,
  Moved,
  RunQuery,
  RunRecord,
  WhatWasRead,
} from './store.js';
export { nextState, type Transition } from './transitions.js';
export { type UndoOrder, undoOrder } from './undo-order.js';
