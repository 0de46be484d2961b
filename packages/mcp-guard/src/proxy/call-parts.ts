import type { CallHost, GuardAdapter, Run } from '@holdfast/call-guard';
import type { Registry } from '@holdfast/tool-registry';
import type { MessageId } from '../message/message.js';
import type { PinnedTools } from '../pins/pinned-tools.js';
import type { ResultReader } from '../results/result-reader.js';
import type { OwnRequests } from './own-requests.js';
import type { ToolCall } from './tool-call.js';
import type { ToolDirectory } from './tool-directory.js';
import type { Upstream } from './upstream.js';

/** What becomes of results that are long. */
export interface ResultSetting {
  /** How much of one is given where the tool's entry does not say, in bytes of JSON. Default: all. */
  readonly maxBytes?: number;
  /** Keeps what is left out, and is the tool that reads it. Absent: it is not kept. */
  readonly reader?: ResultReader;
}

/** What the calls of one session share. */
export interface CallParts {
  readonly guard: GuardAdapter;
  readonly registry: Registry;
  readonly own: OwnRequests;
  readonly directory: ToolDirectory;
  /** The run of a call: its intent's, else the session's. */
  runOf(call: ToolCall): Run;
  /** Absent where nothing was reviewed. */
  readonly pins: PinnedTools | undefined;
  /** Tells this session from all others. */
  readonly session: string;
  /** Absent where the run of the call tells its wishes apart. */
  readonly repetition?: NonNullable<CallHost['repetition']>;
  /** For a call whose host sets no deadline, in milliseconds. */
  readonly deadlineMs: number;
  readonly upstream: Pick<Upstream, 'carriesHeaders' | 'leavesProcess' | 'ready'>;
  readonly results: ResultSetting;
  /** Whether a server's word is enough that a tool only reads. */
  readonly trustsAnnotations: boolean;
  tell(text: string, relatedTo: MessageId): void;
}
