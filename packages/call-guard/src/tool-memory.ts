import type { AnyToolEntry, Registry } from '@holdfast/tool-registry';
import { HotSchema } from './hot-schema.js';
import { MemberMemo } from './run/member-memo.js';

/** What a guard keeps of one tool of its registry. It changes nothing but the time that a call takes. */
export interface ToolMemory {
  /** What was asked of it last, what it told, and how it failed, for the fingerprints of them. */
  readonly asked: MemberMemo;
  readonly told: MemberMemo;
  readonly failed: MemberMemo;
  /** What its arguments are checked by. */
  readonly input: HotSchema;
  /** What its results are checked by; undefined where its entry promises nothing. */
  readonly output: HotSchema | undefined;
}

export type ToolMemories = ReadonlyMap<string, ToolMemory>;

export function toolMemories({ tools }: Registry): ToolMemories {
  return new Map([...tools].map(([name, entry]) => [name, memoryOf(entry)]));
}

function memoryOf({ modelInput, output }: AnyToolEntry): ToolMemory {
  return {
    asked: new MemberMemo(),
    told: new MemberMemo(),
    failed: new MemberMemo(),
    input: new HotSchema(modelInput),
    output: output === undefined ? undefined : new HotSchema(output),
  };
}
