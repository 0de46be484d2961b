/** The least that a proxy of messages can do: starts the server and passes each line on, in both directions. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const pass = (input, output) =>
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) =>
    output.write(`${line}\n`),
  );
pass(process.stdin, server.stdin).on('close', () => server.kill());
pass(server.stdout, process.stdout);
