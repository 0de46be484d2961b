import type { FailureDetails } from '../failure.js';

/**
 * What an error says of its request, whatever the tool's class:
 * - `unsent`: it never left
 * - `nothing`: it was refused, or undone, by the other side
 * - `done`: it was done, and its answer was lost or is wrong
 * - `unclear`: the other side failed; what that means the entry may say by `effectOnError`
 * - `lost`: it may have been acted on, whatever the entry says
 */
export type Did = 'unsent' | 'nothing' | 'done' | 'unclear' | 'lost';

/** Of several errors in one the worst decides: a lost request outweighs any number of refused ones. */
export const byWeight: readonly Did[] = ['unsent', 'nothing', 'done', 'unclear', 'lost'];

/** The kind of failure that a source recognizes. */
export type Meaning = { readonly did: Did } & (
  | {
      readonly kind:
        | 'rate_limited'
        | 'overloaded'
        | 'business_error'
        | 'transport_lost'
        | 'invalid_arguments'
        | 'result_invalid';
    }
  | { readonly kind: 'auth_failed'; readonly why: FailureDetails['auth_failed']['why'] }
  | { readonly kind: 'dependency_failed'; readonly transient?: true }
  | {
      readonly kind: 'timed_out';
      readonly limit: FailureDetails['timed_out']['limit'];
      readonly afterMs: number;
    }
);

/** What one source reads in one error. */
export interface Reading {
  readonly meaning: Meaning;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

export const limited = { kind: 'rate_limited', did: 'nothing' } as const satisfies Meaning;
export const overloaded = { kind: 'overloaded', did: 'unclear' } as const satisfies Meaning;
export const refused = { kind: 'business_error', did: 'nothing' } as const satisfies Meaning;
/** The other side answered that it will not; it may have begun before it knew. */
export const saidNo = { kind: 'business_error', did: 'unclear' } as const satisfies Meaning;
export const failedThere = { kind: 'dependency_failed', did: 'unclear' } as const satisfies Meaning;
/** The other side could not, and did nothing. */
export const unable = { kind: 'dependency_failed', did: 'nothing' } as const satisfies Meaning;
/** The same, and it passes. */
export const busy = {
  kind: 'dependency_failed',
  did: 'nothing',
  transient: true,
} as const satisfies Meaning;
export const unsent = { kind: 'transport_lost', did: 'unsent' } as const satisfies Meaning;
export const lost = { kind: 'transport_lost', did: 'lost' } as const satisfies Meaning;
export const badResult = { kind: 'result_invalid', did: 'done' } as const satisfies Meaning;

const denied = { kind: 'auth_failed', did: 'nothing' } as const;
export const badCredentials = { ...denied, why: 'credentials' } as const satisfies Meaning;
export const notAllowed = { ...denied, why: 'permission' } as const satisfies Meaning;
/** Nothing comes back with time: somebody has to pay, or to raise a limit. */
export const quotaSpent = { ...denied, why: 'quota' } as const satisfies Meaning;
