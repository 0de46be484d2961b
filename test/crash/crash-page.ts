import { fileURLToPath } from 'node:url';
import { agents, classes, points } from './agent/job.js';
import { type Cell, dimensions, impossible } from './cells.js';
import { promiseOf } from './promise.js';
import type { CountedCell, CrashTable } from './run-table.js';
import { countsOf } from './text-table.js';

/** Where the page lies. */
export const pageFile = fileURLToPath(new URL('../../docs/crash-table.md', import.meta.url));

/** What the rows of an agent's table show, beside what was counted. */
const columns = ['point', 'class', 'calls', 'durability', 'saver', 'next'] as const;

/** `docs/crash-table.md`: what is killed when and what is counted, and each cell with what came of it. */
export function crashPage({ cells, maxEffectsPerKey, kills }: CrashTable): string {
  const { plain, guarded, mutant } = maxEffectsPerKey;
  return `# What a crash does

<!-- Made by \`npm run crash-table -- --write\`; do not edit. -->

An agent charges an account. Its process is killed with \`kill -9\`, another process goes on, and the service that takes the charges counts them. This page is one run of that: ${cells.length} crashes of a guarded agent, and the same crashes of the agent without a guard.

| | most effects of one wish |
| --- | --- |
| guarded agent | ${guarded} |
| stock agent | ${plain ?? '–'} |
| guarded agent with the write-ahead taken out | ${mutant} |

The last line shows that the table would see a duplicate. ${kills} processes were killed.

\`\`\`sh
npm run crash-table                # the table, as text; --json for one JSON document
npm run crash-table -- --only "agent=createReactAgent v1,point=after-claim"
npm run crash-table -- --write     # this page
\`\`\`

The command ends with exit code 1 when a cell does not keep what is promised below. CI runs a shorter form of the table.

## How it is done

- **Real processes.** Agent, service and the process that goes on are processes of their own. The ledger and LangGraph's checkpoints are SQLite files. Nothing in Holdfast knows of crashes: the test wraps the ledger, the tool and the saver, or the service kills its caller.
- **The model** asks for the charge and, if it gets an error, asks for it once more, whatever the error says. Its messages and call ids are new each time.
- **The stock agent** is the same agent without Holdfast. It claims and settles nothing, so it is killed at the nearest point that it has.
- **Counted** is how often each wish took effect. With two calls in one message there are two numbers, in the order of the calls. A history in which a call has no answer, or two, breaks the cell, too.

| dimension | values |
| --- | --- |
${Object.entries(dimensions)
  .map(([name, values]) => `| ${name} | ${values.map((value) => `\`${value}\``).join(', ')} |`)
  .join('\n')}

- **agent**: \`createAgent v2\`, \`createReactAgent v2\`, \`StateGraph with guard.route\` and \`entrypoint\` make a task of each call (\`Send\`); in the others all calls of a message are one task.
- **calls**: two calls of one message \`in turn\`: the first one is done when the second one begins, which is the one that is killed; \`at once\`: both are at the point.
- **saver**: \`slow\` takes 200 ms for whatever it is asked; \`slow put\` and \`slow putWrites\` only for that. What is under way when the process is killed is lost.
- **next**: one process resumes the thread, or two find it unfinished at the same moment; or the message is sent again as a new one, without an id.
- **point**: \`after-pending-write\` is when the tool's answer is stored beside a checkpoint, \`before-checkpoint\` and \`after-checkpoint\` are around the checkpoint that holds it. Under durability \`exit\`, and in an \`entrypoint\`, the only such checkpoint is the last one.

**How the cells are chosen.** There are ${combinations()} combinations. The table is a covering set: any three values of different dimensions meet in some cell, so each agent is killed at each point with each class, each durability, each saver and each way to go on. They are chosen by a fixed greedy method, the same each time. CI's form has every two values together.

**What cannot be:** ${impossible.map(({ because }) => because).join('; ')}.

## What is promised

Effects of the call that was killed, and what the run reports afterwards. It depends on nothing else: not on the agent, not on the durability, not on the saver, not on who goes on.

| killed | ${classes.map((name) => `\`${name}\``).join(' | ')} |
| --- | ${classes.map(() => '---').join(' | ')} |
${points.map(promiseRow).join('\n')}

*unknown*: the report says \`partial\` and names the call; nobody sends it again. A process that was killed after its claim may have sent the call or not. Where the server knows keys it is sent again under the same key; where the server can be asked, it is asked; otherwise a person decides. Right after the claim nothing was sent, and \`irreversible+probe\` stays unknown all the same: for a while a server that has not seen a call cannot know that none is on its way.

## The cells
${agents.map((agent) => agentTable(agent, cells)).join('\n')}`;
}

function combinations(): string {
  const all = Object.values(dimensions).reduce((product, values) => product * values.length, 1);
  return all.toLocaleString('en-US');
}

function promiseRow(point: Cell['point']): string {
  const shown = classes.map((toolClass) => {
    const { effects, status } = promiseOf({ ...anyCell, class: toolClass, point });
    return `${effects.join()}${status === 'complete' ? '' : ', unknown'}`;
  });
  return `| ${point} | ${shown.join(' | ')} |`;
}

const anyCell = {
  agent: 'entrypoint',
  calls: 'one',
  durability: 'sync',
  saver: 'fast',
  next: 'resume',
} as const;

function agentTable(agent: Cell['agent'], cells: readonly CountedCell[]): string {
  const rows = cells
    .filter((cell) => cell.agent === agent)
    .sort((one, other) => points.indexOf(one.point) - points.indexOf(other.point))
    .map((cell) => [...columns.map((name) => cell[name]), ...countsOf(cell)].join(' | '));
  return `
### ${agent}

| ${[...columns, 'stock', 'guarded', 'report'].join(' | ')} |
| ${[...columns, 1, 2, 3].map(() => '---').join(' | ')} |
${rows.map((row) => `| ${row} |`).join('\n')}
`;
}

/** The cells that a page shows, with what came of them. */
export function cellsOnPage(page: string): readonly (Cell & {
  readonly guarded: string;
  readonly report: string;
})[] {
  return page
    .split('\n### ')
    .slice(1)
    .flatMap((section) => {
      const [agent, ...lines] = section.split('\n');
      const rows = lines.filter((line) => line.startsWith('| ')).slice(2);
      return rows.map((row) => {
        const values = row.slice(2, -2).split(' | ');
        const shown = Object.fromEntries(columns.map((name, at) => [name, values[at]]));
        return { ...shown, agent, guarded: values.at(-2), report: values.at(-1) } as never;
      });
    });
}
