/** The reviewed snapshot of what tools promise, and what became of it since. */
export { LOCK_FILE, type Lock, type LockedTools, readLock } from './lock-file.js';
export { pinnedDefinition } from './locked-tools.js';
export {
  type FieldChange,
  type ToolChange,
  tellChange,
  toolChange,
  toolChanges,
} from './tool-changes.js';
