/** Calls that are shown to the model must be calls that would be accepted. */
import type { z } from 'zod';
import { withoutArgument } from '../input-schema.js';
import { checkText, type Report, settingsOf, show } from './settings.js';

/** What only an asynchronous refinement knows is not known here. By its name: zod may be there twice. */
const isAsync = (error: unknown) =>
  error instanceof Error && error.constructor.name === '$ZodAsyncError';

/** What is wrong with an example's arguments, or nothing. */
function problemOf(args: unknown, input: z.ZodType): string | undefined {
  try {
    const parsed = input.safeParse(args);
    if (parsed.success) return undefined;
    const [issue] = parsed.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
    return `the input does not take it (${at}${issue?.message})`;
  } catch (error) {
    if (isAsync(error)) return undefined;
    return `the input cannot parse it (${error instanceof Error ? error.message : String(error)})`;
  }
}

/**
 * Example calls: each parses with what the model fills in.
 *
 * @param carrier the argument that carries the idempotency key, which an example leaves out
 */
export function checkExamples(
  value: unknown,
  field: string,
  input: z.ZodType | undefined,
  carrier: string | undefined,
  report: Report,
): void {
  if (!Array.isArray(value)) {
    report(field, `${show(value)} is not a list`, 'give a list: [{ args: { … }, note: … }]');
    return;
  }
  const modelInput =
    input && carrier !== undefined ? (withoutArgument(input, carrier) ?? input) : input;
  value.forEach((given: unknown, i) => {
    const example = settingsOf(given, `${field}[${i}]`, ['args', 'note'], report);
    if (example === undefined) return;
    if (example.note !== undefined) {
      checkText(example.note, `${field}[${i}].note`, 'an order of today', report);
    }
    const problem = modelInput && problemOf(example.args, modelInput);
    if (problem === undefined) return;
    report(`${field}[${i}].args`, problem, 'give arguments as the model would');
  });
}
