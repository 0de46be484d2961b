import ts from 'typescript';

const TEST_FUNCTIONS = new Set(['describe', 'it', 'test']);
/** What is not run says nothing about a case. */
const NOT_RUN = new Set(['skip', 'todo']);

/**
 * The titles of the tests and suites in a test file, those of a table's rows included. A title in a comment
 * or in a string that no test is called by is none, nor is that of a test that is skipped or only planned.
 *
 * @example
 * testTitles('a.test.ts', "it.each(['LG-01: a', 'b'])('%s', () => {})") // ['%s', 'LG-01: a', 'b']
 */
export function testTitles(fileName: string, text: string): string[] {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    const test = ts.isCallExpression(node) ? testCalledBy(node, constants) : undefined;
    if (test !== undefined) {
      if (!test.isRun) return;
      titles.push(test.title, ...rowTitles(test, constants));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

type Constants = ReadonlyMap<string, ts.Expression>;

interface TestCall {
  readonly title: string;
  readonly isRun: boolean;
  /** The rows that it is run for, where a table was given. */
  readonly table?: ts.Expression;
}

function constantsOf(source: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}

/** `it('title', …)`, `it.each(rows)('title', …)`, and the same by a name such as `const flows = it.skipIf(…)`. */
function testCalledBy(call: ts.CallExpression, constants: Constants): TestCall | undefined {
  const [first] = call.arguments;
  const title = first === undefined ? undefined : textOf(first);
  if (title === undefined) return undefined;
  let isRun = true;
  let table: ts.Expression | undefined;
  let callee: ts.Expression = call.expression;
  for (;;) {
    if (ts.isPropertyAccessExpression(callee)) {
      if (NOT_RUN.has(callee.name.text)) isRun = false;
      callee = callee.expression;
    } else if (ts.isCallExpression(callee)) {
      if (
        ts.isPropertyAccessExpression(callee.expression) &&
        callee.expression.name.text === 'each'
      )
        table = callee.arguments[0];
      callee = callee.expression;
    } else if (ts.isIdentifier(callee)) {
      if (TEST_FUNCTIONS.has(callee.text))
        return { title, isRun, ...(table === undefined ? {} : { table }) };
      const named = constants.get(callee.text);
      if (named === undefined || named === callee) return undefined;
      callee = named;
    } else {
      return undefined;
    }
  }
}

/** The texts of a table that go into the title: all of a row that is no object, else what `$name` asks for. */
function rowTitles({ title, table }: TestCall, constants: Constants): string[] {
  if (table === undefined) return [];
  const rows = resolved(table, constants);
  if (!ts.isArrayLiteralExpression(rows)) return [];
  const wanted = new Set([...title.matchAll(/\$([A-Za-z]\w*)/g)].map(([, name]) => name));
  return rows.elements.flatMap((element) => {
    const row = unwrapped(element);
    if (ts.isObjectLiteralExpression(row)) {
      return row.properties.flatMap((property) =>
        ts.isPropertyAssignment(property) && wanted.has(property.name.getText())
          ? (textOf(property.initializer) ?? [])
          : [],
      );
    }
    if (!title.includes('%')) return [];
    const cells = ts.isArrayLiteralExpression(row) ? [...row.elements] : [row];
    return cells.flatMap((cell) => textOf(cell) ?? []);
  });
}

function resolved(expression: ts.Expression, constants: Constants): ts.Expression {
  const plain = unwrapped(expression);
  const named = ts.isIdentifier(plain) ? constants.get(plain.text) : undefined;
  return named === undefined ? plain : unwrapped(named);
}

/** Without `as const` and the like. */
function unwrapped(expression: ts.Expression): ts.Expression {
  return ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression)
    ? unwrapped(expression.expression)
    : expression;
}

/** The text of a string, without what a template puts in. */
function textOf(expression: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(expression)) return expression.text;
  if (!ts.isTemplateExpression(expression)) return undefined;
  const parts = expression.templateSpans.map(({ literal }) => literal.text);
  return [expression.head.text, ...parts].join('…');
}
