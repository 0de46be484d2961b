import type { FailureDetails, FailureKind } from '../failure.js';

/**
 * What a user may read, in one language: sentences with `{action}` where the name of the tool stands.
 * They say what could not be done, what was done, and that what was done will not be repeated.
 */
export interface UserTexts {
  /** How a tool is named inside of a sentence; `{step}` is a step of it. */
  readonly action: { readonly ofTool: string; readonly ofStep: string };
  /** How it is named in a list. */
  readonly item: { readonly ofTool: string; readonly ofStep: string };
  readonly separator: string;
  /** Between two sentences. */
  readonly space: string;
  readonly done: string;
  readonly uncertain: string;
  /** The same, where parts of it are known: `{parts}`. */
  readonly uncertainWithParts: string;
  /** Follows what is uncertain: the other side is asked, or answers an equal sending. */
  readonly checked: string;
  /** Follows what is uncertain and nothing here can find out. */
  readonly leftToPerson: string;
  /** Follows what another process left uncertain. */
  readonly notRepeated: string;
  /** Certainly without an effect. */
  readonly notDone: Readonly<Record<Exclude<FailureKind, 'auth_failed'>, string>>;
  readonly denied: Readonly<Record<FailureDetails['auth_failed']['why'], string>>;
  readonly report: {
    readonly complete: string;
    readonly interrupted: string;
    readonly partial: string;
    readonly failed: string;
    /** What is done, as a list: `{items}`. */
    readonly done: string;
  };
}
