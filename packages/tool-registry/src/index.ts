/** What a tool promises: its entry, the collection of entries, and the forms in which promises are compared. */
export {
  CanonicalJsonError,
  type CanonicalJsonReason,
  canonicalJson,
  isCanonicalJsonError,
  sha256,
} from './canonical-json.js';
export { checkRegistry, type Finding } from './check-registry.js';
export { defineRegistry } from './define-registry.js';
export { defineTool } from './define-tool.js';
export { type Duration, toMilliseconds } from './duration.js';
export { delegates, read } from './idempotency.js';
export { assumed, attemptTimeoutMs, measured } from './latency.js';
export { nearestNames } from './nearest-names.js';
export type { ArgsOf, Entry, Registry, ResourceGroup, ResultOf, ToolName } from './registry.js';
export { REDACTED, redactSecrets, withoutSecrets } from './secrets.js';
export { isSetupError, SetupError, type SetupErrorCode, type SetupProblem } from './setup-error.js';
export type {
  ArgumentRule,
  Capture,
  CompensateWith,
  Delegates,
  Idempotency,
  IdempotentWrite,
  Irreversible,
  KeyCarrier,
  KeyRecipe,
  Probe,
  Read,
  ToolDeclaration,
} from './tool-declaration.js';
export type {
  AnyToolEntry,
  Args,
  EffectClass,
  EntryCapture,
  EntryCarrier,
  EntryCompensation,
  EntryExample,
  EntryIdempotency,
  EntryIdempotentWrite,
  EntryIrreversible,
  EntryKey,
  EntryProbe,
  EntryUndo,
  Latency,
  Measured,
  ModelInput,
  NoCompensation,
  OutputOf,
  ProbeAnswer,
  Result,
  ResultFailure,
  SideEffect,
  ToolEntry,
} from './tool-entry.js';
