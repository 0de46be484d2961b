#!/usr/bin/env node
import { runCommandLine } from './run-command-line.js';

// Whoever reads through `head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 2);
});
process.exitCode = runCommandLine(process.argv);
