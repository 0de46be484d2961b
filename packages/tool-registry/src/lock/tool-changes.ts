import { canonicalJson } from '../canonical-json.js';
import { isRecord } from '../record.js';
import type { LockedTools } from './lock-file.js';

/** A part of a tool's contract that is another one now. `undefined`: it is not there. */
export interface FieldChange {
  /** The way to it: `inputSchema.properties.path.type`. */
  readonly field: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** What became of a tool since its lock was written. */
export type ToolChange =
  | { readonly tool: string; readonly change: 'new' | 'gone' }
  | {
      readonly tool: string;
      readonly change: 'changed';
      readonly fields: readonly FieldChange[];
    };

/** The longest value that is told, in characters. */
const LONGEST = 200;

/** What differs, tool by tool in the order of their names. The order of members is no difference. */
export function toolChanges(
  was: LockedTools['tools'],
  is: LockedTools['tools'],
): readonly ToolChange[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return names.flatMap((tool) => {
    const change = toolChange(tool, member(was, tool), member(is, tool));
    return change === undefined ? [] : [change];
  });
}

/** What became of one tool; `undefined` for a contract: there is none. */
export function toolChange(tool: string, was: unknown, is: unknown): ToolChange | undefined {
  if (was === undefined) return is === undefined ? undefined : { tool, change: 'new' };
  if (is === undefined) return { tool, change: 'gone' };
  const fields = fieldChanges(was, is, []);
  return fields.length === 0 ? undefined : { tool, change: 'changed', fields };
}

/** One line for a tool that came or went, one for each field that changed. */
export function tellChange(change: ToolChange): readonly string[] {
  if (change.change !== 'changed') return [`${change.tool}: ${change.change}`];
  return change.fields.map(
    ({ field, was, is }) => `${change.tool}: ${field}: ${shown(was)} is now ${shown(is)}`,
  );
}

function fieldChanges(was: unknown, is: unknown, path: readonly string[]): readonly FieldChange[] {
  if (isRecord(was) && isRecord(is)) {
    return [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .sort()
      .flatMap((name) => fieldChanges(member(was, name), member(is, name), [...path, name]));
  }
  if (was !== undefined && is !== undefined && canonicalJson(was) === canonicalJson(is)) return [];
  return [{ field: path.join('.'), was, is }];
}

function member(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = canonicalJson(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
