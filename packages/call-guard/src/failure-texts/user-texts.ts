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
  /** Uncertain, and being checked. */
  readonly uncertain: string;
  /** The same, where parts of it are known: `{parts}`. */
  readonly uncertainWithParts: string;
  /** Uncertain, left so by another process. */
  readonly unsettled: string;
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
