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
  const known = knownIn(source);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    const test = ts.isCallExpression(node) ? testCalledBy(node, known.constants) : undefined;
    if (test !== undefined) {
      if (!test.isRun) return;
      titles.push(test.title, ...rowTitles(test, known));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

type Constants = ReadonlyMap<string, ts.Expression>;

/** What a file gives names to. */
interface Known {
  readonly constants: Constants;
  readonly functions: ReadonlyMap<string, ts.FunctionDeclaration>;
}

interface TestCall {
  readonly title: string;
  readonly isRun: boolean;
  /** The rows that it is run for, where a table was given. */
  readonly table?: ts.Expression;
}

function knownIn(source: ts.SourceFile): Known {
  const constants = new Map<string, ts.Expression>();
  const functions = new Map<string, ts.FunctionDeclaration>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    if (ts.isFunctionDeclaration(node) && node.name) functions.set(node.name.text, node);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { constants, functions };
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

/**
 * The texts of a table that go into the title: all of a row that is no object, else what `$name` asks for.
 * Of a table that is computed, what the file's own functions that it calls may return.
 */
function rowTitles({ title, table }: TestCall, { constants, functions }: Known): string[] {
  if (table === undefined) return [];
  const rows = resolved(table, constants);
  if (!ts.isArrayLiteralExpression(rows)) return title.includes('%') ? told(rows, functions) : [];
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

/** The texts that the functions called in an expression may return. */
function told(expression: ts.Expression, functions: Known['functions']): string[] {
  const called = within(expression).flatMap((node) =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression)
      ? (functions.get(node.expression.text) ?? [])
      : [],
  );
  return called
    .flatMap(within)
    .filter(ts.isReturnStatement)
    .flatMap(({ expression: given }) => (given === undefined ? [] : within(given)))
    .flatMap((node) => (ts.isStringLiteralLike(node) ? [node.text] : []));
}

/** A node and all below it. */
function within(node: ts.Node): ts.Node[] {
  const all: ts.Node[] = [node];
  ts.forEachChild(node, (child) => {
    all.push(...within(child));
  });
  return all;
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
