/** What the user of a run may be shown while a call takes longer than one try. */
export interface ProgressUpdate {
  readonly what: 'waiting_to_retry';
  readonly tool: string;
  readonly callId: string;
  readonly runId: string;
  /** The try that comes next, 2 for the second. */
  readonly attempt: number;
  /** Milliseconds until then. */
  readonly waitMs: number;
  /** The kind of the failure that made it necessary. */
  readonly because: string;
  /** Whether the other side asked for the wait. */
  readonly directedBy: 'server' | 'guard';
}
