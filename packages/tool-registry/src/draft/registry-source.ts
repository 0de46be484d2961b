import { quoted, quotingComment } from './source-text.js';
import { inputSource } from './zod-source.js';

/** A tool that exists, as far as it says itself what it is. */
export interface DraftedTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** A JSON schema; undefined where it cannot be read. */
  readonly inputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

export interface Drafted {
  /** The registry's name. */
  readonly name: string;
  /** Where the tools were found, for who reads the file. */
  readonly from: string;
  readonly tools: readonly DraftedTool[];
  /** Whether what the tools say of themselves is a stranger's word: it is quoted then, and nothing more. */
  readonly isForeign: boolean;
}

/** A registry file, and the tools whose names a registry cannot have. */
export interface Draft {
  readonly source: string;
  readonly left: readonly string[];
}

/** What every model provider takes as a name, and a registry with them. */
const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Words that cannot name a constant of the file, or that it uses itself. */
const TAKEN = [
  ...'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield arguments eval undefined'.split(
    ' ',
  ),
  ...['z', 'defineRegistry', 'defineTool'],
];

/**
 * Drafts the file of a registry. Each tool is of the class that allows least, whatever it says of itself, and
 * what only a person can know is marked `TODO`, so that `tool-registry check` fails until it is decided.
 */
export function draftRegistry({ name, from, tools, isForeign }: Drafted): Draft {
  const fit = unique(tools.filter((tool) => toolName.test(tool.name) && tool.name !== 'none'));
  const left = tools
    .map((tool) => tool.name)
    .filter((one) => !fit.some((tool) => tool.name === one));
  const constants = constantsOf(fit);
  const definitions = fit.map((tool, index) => definition(tool, constants[index] ?? '', isForeign));
  const list = constants.map((constant) => `    ${constant},\n`).join('');
  const source = [
    quotingComment('A draft, from ', from),
    '// Each TODO is for a person to decide; tool-registry check fails until none is left.',
    ...left.map((one) => quotingComment('A registry cannot name it, so it stays unknown: ', one)),
    "import { defineRegistry, defineTool } from '@holdfast/tool-registry';",
    "import { z } from 'zod';",
    '',
    ...definitions,
    'export default defineRegistry({',
    `  name: ${quoted(name)},`,
    `  tools: [${list === '' ? '' : `\n${list}  `}],`,
    `  resourceGroups: {${fit.length === 0 ? '' : ' TODO: {} '}},`,
    '});',
    '',
  ].join('\n');
  return { source, left };
}

function definition(tool: DraftedTool, constant: string, isForeign: boolean): string {
  const { name, description, inputSchema, annotations } = tool;
  const says = description === undefined || description === '' ? undefined : description;
  const summary =
    says === undefined || isForeign ? 'TODO: say what it does, in your own words' : `TODO: ${says}`;
  return [
    ...(says !== undefined && isForeign ? [quotingComment('It says of itself: ', says)] : []),
    ...hints(annotations ?? {}).map((hint) => `// ${hint}`),
    `export const ${constant} = defineTool({`,
    `  name: ${quoted(name)},`,
    `  summary: ${quoted(summary)},`,
    ...(inputSchema === undefined ? ['  // Its schema cannot be read here: write it anew.'] : []),
    `  input: ${inputSource(inputSchema, isForeign, '  ')},`,
    "  idempotency: { class: 'irreversible' },",
    '  compensation: {',
    "    tool: 'none',",
    "    avoidBy: 'confirm',",
    "    reason: 'TODO: does it only read, does its server know a repeated key, can it be undone?',",
    '  },',
    "  resourceGroup: 'TODO',",
    "  owner: 'TODO',",
    '});',
    '',
  ].join('\n');
}

/** What a tool claims. A claim never makes its class a weaker one: a person may. */
function hints({ readOnlyHint, idempotentHint, destructiveHint }: SchemaHints): readonly string[] {
  return [
    ...(readOnlyHint === true
      ? [
          "It claims that it only reads. If so: idempotency: { class: 'read' }, and no compensation.",
        ]
      : []),
    ...(readOnlyHint !== true && idempotentHint === true
      ? [
          'It claims that the same call twice does what one does. Only a key that its server knows makes that sure.',
        ]
      : []),
    ...(readOnlyHint !== true && destructiveHint === true
      ? ['It claims that it may destroy something.']
      : []),
  ];
}
type SchemaHints = NonNullable<DraftedTool['annotations']>;

function unique(tools: readonly DraftedTool[]): readonly DraftedTool[] {
  const names = new Set<string>();
  return tools.filter(
    ({ name }) => !names.has(name.toLowerCase()) && names.add(name.toLowerCase()),
  );
}

/** A constant for each tool: `read_file` is `readFile`. */
function constantsOf(tools: readonly DraftedTool[]): readonly string[] {
  const taken = new Set(TAKEN);
  return tools.map(({ name }) => {
    const [first = '', ...rest] = name.split(/[^a-zA-Z0-9]+/).filter((word) => word !== '');
    const upper = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
    const joined = `${first.charAt(0).toLowerCase()}${first.slice(1)}${rest.map(upper).join('')}`;
    const base = /^[a-zA-Z]/.test(joined) ? joined : `tool${upper(joined)}`;
    let constant = base;
    for (let count = 2; taken.has(constant); count += 1) constant = `${base}${count}`;
    taken.add(constant);
    return constant;
  });
}
