import type { Delegates, Read } from './tool-declaration.js';

/** The class of a tool that changes nothing: it may be repeated at will and is in no ledger. */
export const read = (): Read => ({ class: 'read' });

/** The class of a tool that only runs other guarded calls, such as a sub-agent or a subgraph. */
export const delegates = (): Delegates => ({ class: 'delegates' });
