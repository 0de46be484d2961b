import type { CommandInstance } from '@langchain/langgraph';
import {
  isGraphBubbleUp,
  isGraphDrained,
  isGraphInterrupt,
  isParentCommand,
} from '@langchain/langgraph';

/** Whether a thrown value is LangGraph's control flow (a pause, a drain): no failure, and not to be touched. */
export function isControlFlow(thrown: unknown): boolean {
  return isGraphBubbleUp(thrown);
}

/** Whether it is a pause or a drain, which LangGraph's streams know for no error. */
export function pausesOrDrains(thrown: unknown): boolean {
  return isGraphInterrupt(thrown) || isGraphDrained(thrown);
}

/**
 * The command in a thrown parent command. LangGraph's tool nodes swallow a thrown one, so it is returned
 * instead.
 */
export function parentCommandIn(thrown: unknown): CommandInstance | undefined {
  if (!isParentCommand(thrown)) return undefined;
  return thrown.command as CommandInstance;
}
