/**
 * What is wrong with a thread's messages, written as `conversationOf` writes them: a provider refuses a
 * history in which a call is unanswered, answered twice, or answered anywhere but after its message.
 */
export function flawsOf(conversation: readonly string[]): readonly string[] {
  const flaws: string[] = [];
  let open = new Set<string>();
  for (const line of conversation) {
    const answered = /^tool answers (\d+)$/.exec(line)?.[1];
    if (answered !== undefined) {
      if (!open.delete(answered)) flaws.push(`an answer to nothing: ${line}`);
      continue;
    }
    for (const call of open) flaws.push(`call ${call} is unanswered`);
    open = new Set(/^ai calls (.+)$/.exec(line)?.[1]?.split(', '));
  }
  for (const call of open) flaws.push(`call ${call} is unanswered`);
  if (conversation.at(-1) !== 'ai') flaws.push(`the last word is ${conversation.at(-1)}`);
  return flaws;
}
