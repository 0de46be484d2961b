import { distance } from 'fastest-levenshtein';
import { readableSchema } from '../readable-schema.js';
import { readerTexts } from '../reader-texts.js';
import type { AnyToolEntry } from '../tool-entry.js';
import type { RegistryRule } from './registry-rule.js';

/** A word in snake case that is no part of a path, an address or a longer name. */
const snakeCase = /(?<![\w./@:-])(`?)([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w/@-]|\.\w)/g;
/** How tools begin; fields of data rarely do. */
const verbs =
  /^(?:add|archive|book|cancel|charge|create|delete|fetch|find|get|list|lookup|move|notify|post|put|refund|remove|search|send|set|submit|update|upload|write)_/;
/** How fields of data end, whatever they begin with. */
const nouns = /_(?:at|by|count|date|id|ids|key|name|only|status|time|type|url)$/;
/** Shorter words are near to everything. */
const leastLength = 6;

/** Every string in a JSON schema and every name of a field: words that a text may use without meaning a tool. */
function wordsOf(part: unknown, words: Set<string>): void {
  if (typeof part === 'string') words.add(part);
  if (typeof part !== 'object' || part === null) return;
  for (const [name, inside] of Object.entries(part)) {
    words.add(name);
    if (name !== 'description' && name !== 'title') wordsOf(inside, words);
  }
}

function knownWords(tools: readonly AnyToolEntry[], groups: readonly string[]): Set<string> {
  const words = new Set(groups);
  for (const { name, resourceGroup, input, output, examples } of tools) {
    words.add(name).add(resourceGroup);
    for (const schema of [input, output]) if (schema) wordsOf(readableSchema(schema), words);
    for (const { args } of examples) wordsOf(args, words);
  }
  return words;
}

/** The tool that a word takes the place of, if it does: it is nearly its name, or is quoted and named like a tool. */
function missingTool(
  word: string,
  quoted: boolean,
  names: readonly string[],
): { readonly near?: string } | undefined {
  if (nouns.test(word)) return undefined;
  const near = names.find((name) => word.length >= leastLength && distance(name, word) <= 2);
  if (near !== undefined) return { near };
  return quoted && verbs.test(word) ? {} : undefined;
}

/** A text that sends the model to a tool that is not there. */
export const unknownMentions: RegistryRule = {
  name: 'unknown-mentions',
  severity: 'warning',
  check: ({ tools, resourceGroups }) => {
    const known = knownWords(tools, resourceGroups);
    const names = tools.map(({ name }) => name);
    return tools.flatMap(readerTexts).flatMap(({ field, text }) =>
      [...text.matchAll(snakeCase)].flatMap(([, quote, word = '']) => {
        if (known.has(word)) return [];
        const missing = missingTool(word, quote !== '', names);
        if (missing === undefined) return [];
        const fix =
          missing.near === undefined ? 'name a registered tool' : `did you mean '${missing.near}'?`;
        return [{ field, reason: `it mentions '${word}', which is no tool here`, fix }];
      }),
    );
  },
};
