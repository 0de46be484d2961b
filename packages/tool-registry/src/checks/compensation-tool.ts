import { nearestNames } from '../nearest-names.js';
import type { RegistryRule } from './registry-rule.js';

/** An undo is itself guarded: a registered tool that changes something and whose failure can be repeated. */
export const compensationTool: RegistryRule = {
  name: 'compensation-tool',
  severity: 'error',
  check: ({ tools }) =>
    tools.flatMap(({ name, compensation }) => {
      if (compensation === undefined || 'avoidBy' in compensation) return [];
      const field = `tools.${name}.compensation.tool`;
      const target = tools.find((tool) => tool.name === compensation.tool);
      if (target === undefined) {
        const [near] = nearestNames(
          compensation.tool,
          tools.map((tool) => tool.name),
          1,
        );
        const fix = near === undefined ? 'add it to the tools' : `did you mean '${near}'?`;
        return [{ field, reason: `no tool is named '${compensation.tool}'`, fix }];
      }
      const effectClass = target.idempotency.class;
      if (effectClass !== 'read' && effectClass !== 'irreversible') return [];
      const why =
        effectClass === 'read'
          ? 'is a read and undoes nothing'
          : 'is irreversible, so an undo that fails half-way could not be repeated';
      const fix = 'name an idempotent-write';
      return [{ field, reason: `'${compensation.tool}' ${why}`, fix }];
    }),
};
