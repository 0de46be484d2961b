/** The forms in which findings are printed. */
import { relative } from 'node:path';
import { createColors } from 'picocolors';
import type { Finding } from '../check-registry.js';

/** What came of one file. */
export interface CheckedFile {
  /** As the user would name it: relative to the working folder. */
  readonly file: string;
  readonly path: string;
  readonly findings: readonly Finding[];
  /** How many tools its registry has; absent where there is no registry to count in. */
  readonly tools?: number;
  /** Why it could not be checked at all. */
  readonly unreadable?: string;
}

interface Surroundings {
  readonly colors: boolean;
  /** The repository's root on GitHub, to which annotations are relative. */
  readonly workspace?: string;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

/** Where in its tool a finding is: `summary` for `tools.send_mail.summary`. */
function place({ tool, field }: Finding): string {
  const prefix = `tools.${tool}.`;
  return tool !== undefined && field.startsWith(prefix) ? field.slice(prefix.length) : field;
}
const sentence = (finding: Finding) =>
  oneLine(`${place(finding)}: ${finding.reason}. Fix: ${finding.fix}`);

const total = (checked: readonly CheckedFile[], severity: Finding['severity']) =>
  checked.flatMap(({ findings }) => findings).filter((finding) => finding.severity === severity)
    .length;

/** One line per finding: file, tool, severity and rule, what to do. */
function text(checked: readonly CheckedFile[], { colors }: Surroundings): string {
  const { bold, red, yellow, green } = createColors(colors);
  const paint = { error: red, warning: yellow } as const;
  const lines = checked.flatMap(({ file, findings, unreadable }) => [
    ...(unreadable === undefined
      ? []
      : [`${bold(file)}: ${red('unreadable')}: ${oneLine(unreadable)}`]),
    ...findings.map((finding) => {
      const tool = finding.tool === undefined ? '' : ` ${bold(finding.tool)}:`;
      const kind = paint[finding.severity](finding.severity);
      return `${bold(file)}:${tool} ${kind} ${finding.rule}: ${sentence(finding)}`;
    }),
  ]);
  const tools = checked.reduce((sum, file) => sum + (file.tools ?? 0), 0);
  const found = `${count(total(checked, 'error'), 'error')}, ${count(total(checked, 'warning'), 'warning')}`;
  const summary = `${count(tools, 'tool')} in ${count(checked.length, 'file')}: ${found}`;
  return [...lines, lines.length === 0 ? green(summary) : summary].join('\n');
}

function json(checked: readonly CheckedFile[]): string {
  const files = checked.map(({ path: _, ...file }) => file);
  const numbers = { errors: total(checked, 'error'), warnings: total(checked, 'warning') };
  return JSON.stringify({ files, ...numbers }, null, 2);
}

const escaped = (value: string) =>
  value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapedProperty = (value: string) =>
  escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Workflow commands, which GitHub Actions shows beside the file. */
function github(checked: readonly CheckedFile[], { workspace }: Surroundings): string {
  return checked
    .flatMap(({ file, path, findings, unreadable }) => {
      const shown = workspace === undefined ? file : relative(workspace, path);
      const at = `file=${escapedProperty(shown.replaceAll('\\', '/'))}`;
      return [
        ...(unreadable === undefined
          ? []
          : [`::error ${at},title=unreadable::${escaped(oneLine(unreadable))}`]),
        ...findings.map((finding) => {
          const title = escapedProperty(finding.rule);
          const tool = finding.tool === undefined ? '' : `${finding.tool}: `;
          return `::${finding.severity} ${at},title=${title}::${escaped(tool + sentence(finding))}`;
        }),
      ];
    })
    .join('\n');
}

export const reportFormats = { text, json, github } as const satisfies Record<
  string,
  (checked: readonly CheckedFile[], surroundings: Surroundings) => string
>;
