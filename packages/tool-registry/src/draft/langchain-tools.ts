import { z } from 'zod';
import { isZodSchema } from '../input-schema.js';
import type { DraftedTool } from './registry-source.js';

/** What LangChain's tools have in common, whoever made them. */
interface LangChainTool {
  readonly name: string;
  readonly description?: unknown;
  readonly schema?: unknown;
  invoke(...args: never): unknown;
}

/** The LangChain tools among what a module exports, alone or in lists, each once. */
export function langChainTools(module: unknown): readonly DraftedTool[] {
  const values = typeof module === 'object' && module !== null ? Object.values(module) : [];
  const found = new Set<LangChainTool>();
  for (const value of [...values, ...values.flatMap(insideOf)].flat()) {
    if (isTool(value)) found.add(value);
  }
  return [...found].map(({ name, description, schema }) => ({
    name,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: jsonSchemaOf(schema),
  }));
}

/** CommonJS puts what a module exports into its default. */
function insideOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null && !isTool(value) ? Object.values(value) : [];
}

function isTool(value: unknown): value is LangChainTool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'schema' in value &&
    'invoke' in value &&
    typeof value.invoke === 'function'
  );
}

/** Undefined for a schema of another kind than zod 4 or JSON. */
function jsonSchemaOf(schema: unknown): unknown {
  if (isZodSchema(schema)) {
    return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  }
  const isJson =
    typeof schema === 'object' && schema !== null && !('_def' in schema) && 'type' in schema;
  return isJson ? schema : undefined;
}
