import { isDeepStrictEqual } from 'node:util';
import type { Question } from '@holdfast/call-guard';
import { type GraphInterrupt, isGraphInterrupt } from '@langchain/langgraph';

/** A pause of a graph: LangGraph's id and value, and whose it is. */
export interface PendingInterrupt {
  readonly id?: string;
  readonly value?: unknown;
  /** The tool call that waits; absent for a pause outside of guarded tools. */
  readonly callId?: string;
  readonly tool?: string;
  /** The calls around it, outermost first, where a tool runs another agent. */
  readonly within?: readonly string[];
}

/** What a tool asked by `interrupt(value)`, beside other questions of its task. */
export interface ToolQuestion {
  readonly callId: string;
  readonly kind: 'interrupt';
  readonly tool: string;
  readonly args: unknown;
  readonly value: unknown;
  /** What was wrong with the answer that was given before. */
  readonly problem?: string;
}

/** The value of a pause by which the guard asks. Answered by `{ [callId]: … }`, one entry per question. */
export interface GuardPause {
  readonly type: 'holdfast';
  readonly questions: readonly (Question | ToolQuestion)[];
}

export function isGuardPause(value: unknown): value is GuardPause {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    value.type === 'holdfast' &&
    'questions' in value &&
    Array.isArray(value.questions)
  );
}

/** Says in a thrown pause which call waits; one inside of it has said so for itself. */
export function nameCall(thrown: unknown, callId: string, tool: string): void {
  if (!isGraphInterrupt(thrown)) return;
  const pause: GraphInterrupt = thrown;
  pause.interrupts = pause.interrupts.map((one: PendingInterrupt) =>
    one.callId === undefined
      ? { ...one, callId, tool }
      : { ...one, within: [callId, ...(one.within ?? [])] },
  ) as typeof pause.interrupts;
}

/** The pauses in what a graph gave. */
export function interruptsIn(output: unknown): readonly PendingInterrupt[] {
  const found: unknown =
    typeof output === 'object' && output !== null
      ? Reflect.get(output, '__interrupt__')
      : undefined;
  return Array.isArray(found) ? distinct(found) : [];
}

/**
 * Each pause once. Inside of a node, a flow of the functional API hands the pause of its task up twice: as
 * the task's and as its own.
 */
export function distinct(pauses: readonly PendingInterrupt[]): readonly PendingInterrupt[] {
  return pauses.filter(
    (pause, at) =>
      !pauses
        .slice(0, at)
        .some(
          ({ id, value }) =>
            id !== undefined && id === pause.id && isDeepStrictEqual(value, pause.value),
        ),
  );
}
