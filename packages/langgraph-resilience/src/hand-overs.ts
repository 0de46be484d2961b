import type { GuardAdapter, Run } from '@holdfast/call-guard';
import type { Place } from '@holdfast/effect-ledger';
import { Command, isCommand } from '@langchain/langgraph';

interface HandOver {
  readonly run: Run;
  readonly place: Partial<Place> | undefined;
  readonly tool: string;
  readonly callId: string;
}

/**
 * Calls that leave for the parent graph with a command. Of several tasks that do LangGraph lets one go, and
 * what the others gave reaches nobody. That is LangGraph's to mend, and ours to say.
 */
export class HandOvers {
  /** For each message of a run the tasks that its calls left from, by the call's position. */
  readonly #tasks = new WeakMap<Run, Map<string, Map<number, string>>>();

  constructor(private readonly guard: Pick<GuardAdapter, 'emit'>) {}

  /** @param output what a call gave; anything but a command for the parent graph is none of ours */
  note(output: unknown, { run, place, tool, callId }: HandOver): void {
    if (!isCommand(output) || (output as Command).graph !== Command.PARENT) return;
    const { messageId, position, taskId } = place ?? {};
    if (messageId === undefined || position === undefined || taskId === undefined) return;
    const tasks = this.#tasksOf(run, messageId, position);
    const isLost = [...tasks.values()].some((other) => other !== taskId);
    tasks.set(position, taskId);
    if (!isLost) return;
    this.guard.emit(
      'warning',
      { ...run.subject, tool, callId },
      {
        code: 'hand_over_lost',
        message: `${tool} leaves for the parent graph, and so does another call of its message, each as a task of its own: LangGraph lets one of them go. Put them into one task (guard.toolNode without guard.route, or the agent with version: 'v1')`,
      },
    );
  }

  /** Where others of the message left from. The same call again is another pass over its message. */
  #tasksOf(run: Run, messageId: string, position: number): Map<number, string> {
    const messages = this.#tasks.get(run) ?? new Map<string, Map<number, string>>();
    this.#tasks.set(run, messages);
    const known = messages.get(messageId);
    const tasks = known === undefined || known.has(position) ? new Map<number, string>() : known;
    messages.set(messageId, tasks);
    return tasks;
  }
}
