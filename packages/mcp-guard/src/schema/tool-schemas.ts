import type { ArgumentProblem, ArgumentRules } from '@holdfast/call-guard';
import { isRecord } from '../message/message.js';
import type { CompiledSchema, SchemaCheck, SchemaCompiler } from './schema-compiler.js';
import { schemaIssues } from './schema-issues.js';
import { applying, jsonType, type SchemaNode } from './schema-node.js';
import { unknownNames } from './unknown-names.js';

/** What the protocol itself says of arguments: they are an object. */
export const anyArguments: ArgumentRules = {
  check: (input) =>
    isRecord(input)
      ? []
      : [
          {
            path: [],
            message: `expected object, received ${jsonType(input)}`,
            expected: ['object'],
            refusesNull: false,
          },
        ],
  unknown: () => [],
  names: new Set(),
};

/**
 * What a server's tool says of its arguments and results. A schema is made a check when it is first needed;
 * one that cannot be used leaves its tool unchecked, and no other.
 */
export class ToolSchemas {
  readonly hasOutput: boolean;
  #rules: ArgumentRules | undefined;
  #output: CompiledSchema | undefined;

  /** @param onUnusable told once of each schema that cannot be used */
  constructor(
    private readonly definition: SchemaNode,
    private readonly compiler: SchemaCompiler,
    private readonly onUnusable: (message: string) => void,
  ) {
    this.hasOutput = isRecord(definition.outputSchema);
  }

  get argumentRules(): ArgumentRules {
    this.#rules ??= this.#readRules();
    return this.#rules;
  }

  /** What of a result's structured content is not as promised; nothing where nothing is promised. */
  resultProblems(result: SchemaNode): readonly ArgumentProblem[] {
    const { outputSchema } = this.definition;
    if (!isRecord(outputSchema)) return [];
    this.#output ??= this.#compile('outputSchema', outputSchema);
    if (!('check' in this.#output)) return [];
    const { structuredContent } = result;
    if (structuredContent === undefined) {
      return [{ path: ['structuredContent'], message: 'it is required, and missing' }];
    }
    return schemaIssues(this.#output.check(structuredContent), structuredContent, outputSchema).map(
      ({ path, message }) => ({ path: ['structuredContent', ...path], message }),
    );
  }

  #readRules(): ArgumentRules {
    const { inputSchema } = this.definition;
    if (!isRecord(inputSchema)) return anyArguments;
    const compiled = this.#compile('inputSchema', inputSchema);
    return 'check' in compiled ? rulesOf(inputSchema, compiled.check) : anyArguments;
  }

  #compile(which: 'inputSchema' | 'outputSchema', schema: SchemaNode): CompiledSchema {
    const compiled = this.compiler.compile(schema);
    if ('unusable' in compiled) {
      const what = which === 'inputSchema' ? 'arguments' : 'results';
      this.onUnusable(
        `${String(this.definition.name)}: its ${which} cannot be used, so its ${what} are not checked: ${compiled.unusable}`,
      );
    }
    return compiled;
  }
}

function rulesOf(schema: SchemaNode, check: SchemaCheck): ArgumentRules {
  const nodes = applying([schema], schema) ?? [];
  const names = nodes.flatMap(({ properties }) =>
    isRecord(properties) ? Object.keys(properties) : [],
  );
  return {
    check: (input) =>
      isRecord(input) ? schemaIssues(check(input), input, schema) : anyArguments.check(input),
    unknown: unknownNames(schema),
    names: new Set(names),
  };
}
