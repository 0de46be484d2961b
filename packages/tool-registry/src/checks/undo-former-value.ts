import { argumentNames } from '../input-schema.js';
import type { SetupProblem } from '../setup-error.js';
import type { AnyToolEntry, EntryUndo } from '../tool-entry.js';
import { anything } from './anything.js';
import type { RegistryRule } from './registry-rule.js';

interface Trial {
  /** What the mapping returned; absent if it threw. */
  readonly returned?: { readonly value: unknown };
  /** Whether it read anything that was not known before the effect: its result, or what was captured. */
  readonly usedFormer: boolean;
}

function tryMapping(undo: EntryUndo, args: unknown, before: 'captured' | 'absent'): Trial {
  let usedFormer = false;
  const former = () =>
    anything(() => {
      usedFormer = true;
    });
  const effect = { args, result: former(), before: before === 'captured' ? former() : undefined };
  try {
    return { returned: { value: undo.args(effect) }, usedFormer };
  } catch {
    return { usedFormer };
  }
}

/** Every argument of the tool by name, as far as they are known. */
function anyArguments({ input }: AnyToolEntry): unknown {
  const names = argumentNames(input);
  return names === undefined
    ? anything()
    : Object.fromEntries(names.map((name) => [name, anything()]));
}

/** Whether a mapping gives every argument back as it was. */
function isSameCall(value: unknown, args: unknown, { modelInput }: AnyToolEntry): boolean {
  const names = argumentNames(modelInput);
  if (typeof value !== 'object' || value === null || typeof args !== 'object' || args === null) {
    return false;
  }
  return (
    names !== undefined &&
    names.length > 0 &&
    names.every((name) => Reflect.get(value, name) === Reflect.get(args, name))
  );
}

function check(tool: AnyToolEntry): readonly SetupProblem[] {
  const undo = tool.compensation;
  if (undo === undefined || 'avoidBy' in undo) return [];
  const args = anyArguments(tool);
  const field = `tools.${tool.name}.compensation.args`;
  const fix = 'give a capture that reads the former state, and take it from `before`';

  const asItIs = tryMapping(undo, args, tool.capture === undefined ? 'absent' : 'captured');
  if (asItIs.returned === undefined && tool.capture === undefined) {
    const works = tryMapping(undo, args, 'captured').returned !== undefined;
    return works ? [{ field, reason: 'it needs `before`, but nothing is captured', fix }] : [];
  }
  const repeats =
    undo.tool === tool.name &&
    asItIs.returned !== undefined &&
    !asItIs.usedFormer &&
    isSameCall(asItIs.returned.value, args, tool);
  if (!repeats) return [];
  const reason = 'it makes the same call again, with nothing of the former state';
  return [{ field, reason, fix }];
}

/** An undo that puts something back must know what was there. The mapping is tried on values that stand for any. */
export const undoFormerValue: RegistryRule = {
  name: 'undo-former-value',
  severity: 'warning',
  check: ({ tools }) => tools.flatMap(check),
};
