/**
 * What kept a call from an answer whose gate stands around the tool that makes it. It is named as LangChain names the
 * errors of tools, because its adapter passes those on as they are, and keeps neither code nor cause of others.
 */
export class WireError extends Error {
  override readonly name = 'ToolException';
  constructor(tool: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`Error calling tool ${tool}: ${why}`, { cause });
  }
}
