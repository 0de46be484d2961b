import type { Undo } from '@holdfast/effect-ledger';
import type { AnyToolEntry, Registry } from '@holdfast/tool-registry';
import { parseArguments } from '../arguments/parse.js';
import { freeze } from './frozen-arguments.js';

/**
 * How an effect would be taken back, computed when it succeeds: the mapping's arguments, parsed by the
 * schema of the tool that undoes. What cannot be computed is `invalid`, and known now instead of at rollback.
 */
export async function planUndo(
  entry: AnyToolEntry,
  effect: { readonly args: unknown; readonly result: unknown; readonly before: unknown },
  registry: Registry,
  succeededAtMs: number,
): Promise<Undo> {
  const { compensation } = entry;
  if (compensation === undefined || compensation.tool === 'none' || 'avoidBy' in compensation) {
    return { undo: 'none' };
  }
  const target = registry.tools.get(compensation.tool);
  if (target === undefined)
    return { undo: 'invalid', reason: `no tool named ${compensation.tool}` };
  try {
    const parsed = await parseArguments(target.modelInput, compensation.args(effect), new Set());
    if (!parsed.ok) {
      const [problem] = parsed.problems;
      return {
        undo: 'invalid',
        reason: `${compensation.tool} would refuse its arguments: ${problem?.path.map(String).join('.')}: ${problem?.message}`,
      };
    }
    return {
      undo: 'ready',
      tool: compensation.tool,
      args: freeze(parsed.input),
      strength: compensation.strength,
      validUntil: succeededAtMs + compensation.withinMs,
    };
  } catch (error) {
    return { undo: 'invalid', reason: error instanceof Error ? error.message : String(error) };
  }
}
