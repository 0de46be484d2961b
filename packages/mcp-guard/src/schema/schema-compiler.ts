import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaNode } from './schema-node.js';

/** What a schema finds wrong with a value. */
export type SchemaCheck = (value: unknown) => readonly ErrorObject[];

/** A schema that can be used, or why not. */
export type CompiledSchema = { readonly check: SchemaCheck } | { readonly unusable: string };

const OPTIONS: Options = {
  allErrors: true,
  // The value and the schema at a problem's place, to say what was expected.
  verbose: true,
  // What a server adds to its schemas is no fault of them.
  strict: false,
  logger: false,
  // Every keyword's own value is checked without it, and it takes a fifth of a second to be made ready.
  meta: false,
  validateSchema: false,
  // An annotation by the standard; what a server means by one is its own.
  validateFormats: false,
  ownProperties: true,
  // Two tools may have schemas of one id.
  addUsedSchema: false,
};

/** What `$schema` says for each dialect. Without it a schema is of the newest, as the protocol has it. */
const DIALECTS = [
  {
    uri: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    create: () => new Ajv2020(OPTIONS),
  },
  {
    uri: /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/,
    create: () => new Ajv2019(OPTIONS),
  },
  { uri: /^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, create: () => new Ajv(OPTIONS) },
] as const;
type Dialect = (typeof DIALECTS)[number];
const NEWEST = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Makes checks out of the JSON schemas of a server. Nothing is ever fetched: a schema that refers to another
 * document cannot be used, like one that is broken.
 */
export class SchemaCompiler {
  /** Made with the first schema of their dialect. */
  readonly #validators = new Map<Dialect, ReturnType<Dialect['create']>>();

  compile(schema: SchemaNode): CompiledSchema {
    const { $schema = NEWEST, $async: _, ...rules } = schema;
    const dialect = DIALECTS.find(({ uri }) => typeof $schema === 'string' && uri.test($schema));
    if (dialect === undefined) {
      return { unusable: `its dialect ${JSON.stringify($schema)} is unknown` };
    }
    const validator = this.#validatorOf(dialect);
    try {
      const validate = validator.compile(rules);
      return { check: (value) => (validate(value) === true ? [] : (validate.errors ?? [])) };
    } catch (error) {
      return { unusable: error instanceof Error ? error.message : String(error) };
    } finally {
      // It would be kept for good.
      validator.removeSchema(rules);
    }
  }

  #validatorOf(dialect: Dialect): ReturnType<Dialect['create']> {
    const validator = this.#validators.get(dialect) ?? dialect.create();
    this.#validators.set(dialect, validator);
    return validator;
  }
}
