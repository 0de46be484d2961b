import type { ArgumentProblem } from '../failure.js';

/** A problem with one argument, and what a repair of it would have to know. */
export interface ArgumentIssue extends ArgumentProblem {
  /** The types that the schema takes there, where the value is of none of them; else nothing. */
  readonly expected: readonly string[];
  /** Whether the schema knows no null there. A rule of the tool's own may mean something by it. */
  readonly refusesNull: boolean;
}

/** What an adapter knows of a tool's arguments without an entry, or besides it: the tool's own schema. */
export interface ArgumentRules {
  /** All that is wrong with the arguments. Nothing: they are valid. */
  check(input: unknown): readonly ArgumentIssue[];
  /** Arguments that nobody forbids and that whoever takes them would drop without a word. */
  unknown(input: unknown): readonly ArgumentProblem[];
  /** The arguments that are named at the top. */
  readonly names: ReadonlySet<string>;
}
