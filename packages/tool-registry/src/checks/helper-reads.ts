import type { RegistryRule } from './registry-rule.js';

/** The reads of captures and probes are tools of the registry too, so that they have an owner, limits and an executor. */
export const helperReads: RegistryRule = {
  name: 'helper-reads',
  severity: 'error',
  check: ({ tools }) => {
    const digests = new Map(tools.map((tool) => [tool.name, tool.digest]));
    return tools.flatMap(({ name, capture, probe }) =>
      Object.entries({ capture, probe }).flatMap(([role, helper]) => {
        if (helper === undefined || digests.get(helper.tool.name) === helper.tool.digest) return [];
        const reason = digests.has(helper.tool.name)
          ? `the registry has another tool named '${helper.tool.name}'`
          : `'${helper.tool.name}' is not in the registry`;
        return [
          { field: `tools.${name}.${role}.tool`, reason, fix: 'add this entry to the tools' },
        ];
      }),
    );
  },
};
