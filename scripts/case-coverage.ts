/** The cases of the field as a page: which tests cover each, and what the others wait for. */
export interface CaseList {
  readonly families: readonly CaseFamily[];
}

interface CaseFamily {
  readonly prefix: string;
  readonly title: string;
  /** Absent while none of them can be listed. */
  readonly cases?: readonly FieldCase[];
  readonly waitsFor?: string;
}

export interface FieldCase {
  readonly id: string;
  /** What goes wrong in the field. */
  readonly title: string;
  /** What it, or the rest of it, waits for. */
  readonly waitsFor?: string;
  /** Where a design page wants something else than the case. */
  readonly differs?: string;
}

export interface TestFile {
  /** From the root of the project. */
  readonly path: string;
  readonly titles: readonly string[];
}

/**
 * @param pageFolder of the page, for its links
 * @throws Error that lists every id that a test names and the list does not have, every case that has
 *   neither a test nor something to wait for, and every id that is listed twice
 */
export function casesPage(list: CaseList, tests: readonly TestFile[], pageFolder: string): string {
  const cases = list.families.flatMap(({ cases = [] }) => cases);
  const covering = filesByCase(list, tests);
  const problems = [
    ...cases
      .map(({ id }) => id)
      .filter((id, at, ids) => ids.indexOf(id) !== at)
      .map((id) => `${id} is listed twice`),
    ...[...covering]
      .filter(([id]) => !cases.some((one) => one.id === id))
      .map(([id, paths]) => `${id} is not listed, and ${paths.join(', ')} names it`),
    ...cases
      .filter(({ id, waitsFor }) => waitsFor === undefined && !covering.has(id))
      .map(({ id }) => `no test names ${id}, and it waits for nothing`),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));

  const toRoot = pageFolder.split('/').map(() => '../');
  const link = (path: string): string => `[${shortName(path)}](${toRoot.join('')}${path})`;
  const row = ({ id, title, waitsFor, differs }: FieldCase): string => {
    const links = (covering.get(id) ?? []).map(link);
    const waits = waitsFor === undefined ? [] : [`${rest(links)} for ${waitsFor}`];
    const remarks = [...waits, ...(differs === undefined ? [] : [differs])];
    return `| ${id} | ${title} | ${links.join('<br>')} | ${remarks.join('<br>')} |`;
  };
  const section = ({ prefix, title, cases: listed, waitsFor }: CaseFamily): string => {
    const heading = `## ${title} (${prefix})`;
    if (listed === undefined) return `${heading}\n\nThese wait for ${waitsFor}.\n`;
    const covered = listed.filter(({ id }) => covering.has(id)).length;
    return [
      heading,
      '',
      `${listed.length} cases, ${covered} with tests.`,
      '',
      '| case | what goes wrong in the field | tests that name it | what waits, what is different |',
      '| --- | --- | --- | --- |',
      ...listed.map(row),
      '',
    ].join('\n');
  };
  return [
    '# Cases of the field',
    '',
    '<!-- Written by `npm run docs:cases` from test/cases/cases.json and the titles of the tests. -->',
    '',
    'Failures that people had with agents, breakers, queues and ledgers. Each is a test that has its id in the title; numbers have gaps.',
    '',
    list.families.map(section).join('\n'),
  ].join('\n');
}

/** `packages/call-guard/src/run/deadline.test.ts` is `call-guard/run/deadline`. */
function shortName(path: string): string {
  return path
    .replace(/^(packages|test)\//, '')
    .replace('/src/', '/')
    .replace(/(\.test)?\.ts$/, '');
}

function rest(links: readonly string[]): string {
  return links.length === 0 ? 'waits' : 'the rest waits';
}

/** The files whose tests name a case, for each case that is named; not those of families without a list. */
function filesByCase(list: CaseList, tests: readonly TestFile[]): Map<string, string[]> {
  const prefixes = list.families.flatMap(({ prefix, cases }) =>
    cases === undefined ? [] : [prefix],
  );
  const ids = new RegExp(`\\b(?:${prefixes.join('|')})-\\d+\\b`, 'g');
  const found = new Map<string, string[]>();
  for (const { path, titles } of [...tests].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    for (const id of new Set(titles.join('\n').match(ids))) {
      found.set(id, [...(found.get(id) ?? []), path]);
    }
  }
  return found;
}
