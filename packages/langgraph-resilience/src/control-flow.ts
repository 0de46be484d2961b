import type { CommandInstance } from '@langchain/langgraph';
import {
  isGraphBubbleUp,
  isGraphDrained,
  isGraphInterrupt,
  isParentCommand,
  type ParentCommand,
} from '@langchain/langgraph';

/** Whether a thrown value is LangGraph's control flow (a pause, a drain): no failure, and not to be touched. */
export function isControlFlow(thrown: unknown): boolean {
  return is(isGraphBubbleUp, thrown);
}

/** Whether it is a pause or a drain, which LangGraph's streams know for no error. */
export function pausesOrDrains(thrown: unknown): boolean {
  return is(isGraphInterrupt, thrown) || is(isGraphDrained, thrown);
}

/**
 * The command in a thrown parent command. LangGraph's tool nodes swallow a thrown one, so it is returned
 * instead.
 */
export function parentCommandIn(thrown: unknown): CommandInstance | undefined {
  if (!is(isParentCommand, thrown)) return undefined;
  return (thrown as ParentCommand).command as CommandInstance;
}

/** LangGraph's own questions fail on null, and on what cannot be read. */
function is(kind: (thrown: unknown) => boolean, thrown: unknown): boolean {
  try {
    return kind(thrown);
  } catch {
    return false;
  }
}
