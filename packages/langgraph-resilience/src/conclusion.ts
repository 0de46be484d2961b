import type { Run } from '@holdfast/call-guard';
import type { AIMessage } from '@langchain/core/messages';
import type { AdapterParts } from './adapter-parts.js';
import { copyOfAIMessage } from './message-copy.js';

/**
 * The end of a run that goes round in circles: so many calls were refused as loops that another round would
 * only cost. The model's message stays what it says, without the calls it asks for; one that says nothing
 * says why it ends here.
 *
 * @param isOurs whether calls of this name are tool calls; others may be structured output
 */
export function concluded(
  answer: AIMessage,
  run: Run,
  isOurs: (name: string) => boolean,
  { guard }: AdapterParts,
): AIMessage {
  const calls = answer.tool_calls ?? [];
  const goesOn = run.loopRefusals < guard.limits.maxRepeats;
  const isCall = (name: string): boolean => isOurs(name) || run.loopedTools.has(name);
  if (goesOn || calls.length === 0 || !calls.every(({ name }) => isCall(name))) return answer;
  const tools = [...new Set(calls.map(({ name }) => name))].join(', ');
  guard.emit('warning', run.subject, {
    code: 'loop_ended_run',
    message: `the run was ended: ${run.loopRefusals} calls were refused as loops, and the model asked for ${tools} again`,
  });
  const { tool_calls: _, ...additional_kwargs } = answer.additional_kwargs;
  return copyOfAIMessage(answer, {
    content:
      answer.text === ''
        ? `I stopped here: the same calls gave the same results over and over (${tools}). What is known so far stands above; the rest is not done.`
        : answer.text,
    tool_calls: [],
    invalid_tool_calls: [],
    additional_kwargs,
  });
}
