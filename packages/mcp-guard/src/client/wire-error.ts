import { StatedFailure } from '@holdfast/call-guard';

/**
 * LangChain's name for the errors of tools: its adapter passes those on as they are, and keeps neither code nor cause
 * of others.
 */
const NAME = 'ToolException';

class WireError extends Error {
  override readonly name = NAME;
}

/** What kept a call from an answer, for the tool that makes it and has the gate around it. */
export function wireError(tool: string, error: unknown): Error {
  if (error instanceof StatedFailure) return Object.defineProperty(error, 'name', { value: NAME });
  const why = error instanceof Error ? error.message : String(error);
  return new WireError(`Error calling tool ${tool}: ${why}`, { cause: error });
}
