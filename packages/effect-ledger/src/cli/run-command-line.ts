import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isSetupError } from '@holdfast/tool-registry';
import { isLedgerError } from '../ledger-error.js';
import { type LedgerReader, ledgerReader } from '../sqlite/ledger-reader.js';
import { openToRead } from '../sqlite/open-to-read.js';
import { CommandError } from './command-error.js';
import { type Command, readCommandLine } from './command-line.js';
import { find } from './find.js';
import { list } from './list.js';
import { plain } from './plain-text.js';
import { show } from './show.js';
import { type Terminal, terminalOn } from './terminal.js';

/** Done; `find` found something that was done more than once; it could not be done. */
export type ExitCode = 0 | 1 | 2;

/** @param argv as in `process.argv`. */
export function runCommandLine(argv: readonly string[]): ExitCode {
  const errors = terminalOn(process.stderr);
  try {
    const asked = readCommandLine(argv);
    if (asked.command === 'help') return 0;
    const reader = ledgerReader(openToRead(asked.file, loadDriver));
    try {
      return runCommand(asked, reader, terminalOn(process.stdout));
    } finally {
      reader.close();
    }
  } catch (error) {
    printError(error, errors);
    return 2;
  }
}

/** Runs one command on an open ledger. */
export function runCommand(asked: Command, reader: LedgerReader, terminal: Terminal): ExitCode {
  switch (asked.command) {
    case 'list':
      list(reader, asked, terminal);
      return 0;
    case 'show':
      show(reader, asked, terminal);
      return 0;
    case 'find':
      return find(reader, asked, terminal) ? 1 : 0;
  }
}

/** By npx this package may lie far away from the driver that the project has. */
function loadDriver(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name);
  } catch (error) {
    try {
      return createRequire(join(process.cwd(), 'package.json'))(name);
    } catch {
      throw error;
    }
  }
}

function printError(error: unknown, { line, colors }: Terminal): void {
  if (error instanceof CommandError || isSetupError(error)) {
    line(`${colors.red('error:')} ${plain(error.reason)}`);
    line(`${colors.bold('fix:')}   ${plain(error.fix)}`);
  } else if (isLedgerError(error)) {
    line(`${colors.red('error:')} ${plain(error.message)}`);
  } else {
    line(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}
