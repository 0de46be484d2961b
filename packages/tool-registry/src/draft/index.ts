/** A first registry for tools that are there: what can be known of them, and what a person has to decide. */
export type { Draft } from './registry-source.js';
export { draftForServer } from './server-draft.js';
export { writeDraft } from './write-draft.js';
