import { canonicalJson } from '@holdfast/tool-registry';

/** One argument that a person changed; `from` or `to` is absent where the argument was. */
export interface ArgumentChange {
  readonly argument: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** That a call ran with other arguments than the model asked for. */
export interface Edit {
  /** Empty where the arguments that ran are not known any more. */
  readonly changes: readonly ArgumentChange[];
  /** Digest of the identity arguments that the model asked for; absent where they could not be read. */
  readonly askedDigest?: string;
}

const LONGEST_VALUE = 200;

/** What differs between the arguments that were asked for and those that run, argument by argument. */
export function changesOf(asked: unknown, args: unknown): readonly ArgumentChange[] {
  const before = named(asked);
  const after = named(args);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((argument) => !isSame(before[argument], after[argument]))
    .map((argument) => ({
      argument,
      ...(before[argument] === undefined ? {} : { from: before[argument] }),
      ...(after[argument] === undefined ? {} : { to: after[argument] }),
    }));
}

/** What a model is told of it. */
export function tellEdit({ changes }: Edit): string {
  const told = changes.map(({ argument, from, to }) =>
    from === undefined
      ? `${argument} added: ${show(to)}`
      : to === undefined
        ? `${argument} left out: was ${show(from)}`
        : `${argument}: ${show(to)} instead of ${show(from)}`,
  );
  const which = told.length === 0 ? '' : ` (${told.join('; ')})`;
  return `A person changed the arguments of this call before it ran${which}. Do not make the original call again.`;
}

function named(args: unknown): Readonly<Record<string, unknown>> {
  if (args === undefined || args === null) return {};
  return typeof args === 'object' && !Array.isArray(args) ? { ...args } : { input: args };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
}

function show(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'nothing';
  } catch {
    text = 'something';
  }
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
