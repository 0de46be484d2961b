import { closeSync, mkdirSync, openSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Clock, createGuard, ndjsonSink } from '@holdfast/call-guard';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { defineRegistry, isSetupError, type Registry } from '@holdfast/tool-registry';
import type { ResultSetting } from '../proxy/call-parts.js';
import { ResultReader } from '../results/result-reader.js';
import { SpillFolder } from '../results/spill-folder.js';
import { runStdioProxy } from '../stdio/stdio-proxy.js';
import type { Asked } from './command-line.js';
import { connectorTo } from './connector.js';
import { logSink } from './log-sink.js';
import type { ProxySettings } from './proxy-command.js';
import { readPinning } from './read-pinning.js';
import { readRegistry } from './read-registry.js';
import { runHttpProxy } from './run-http-proxy.js';
import { serverEnv } from './server-env.js';
import { nameOf } from './server-place.js';

/** Runs the proxy until its host goes away, or a signal ends it. */
export async function runProxy({
  settings,
  server,
  host,
}: Extract<Asked, { asks: 'proxy' }>): Promise<number> {
  const registry = await registryOf(settings.registry);
  if ('problem' in registry) {
    console.error(registry.problem);
    return 2;
  }
  const pins = await readPinning(settings);
  if ('problem' in pins) {
    console.error(pins.problem);
    return 2;
  }
  const file = resolve(settings.ledger ?? join(stateFolder(), 'ledger.db'));
  if (settings.ledger === undefined) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unwritable = settings.events && unwritableReason(settings.events);
  if (unwritable) {
    console.error(`--events: ${unwritable}; name a file that can be written`);
    return 2;
  }
  const ledger = opened(file);
  if ('problem' in ledger) {
    console.error(ledger.problem);
    return 2;
  }
  const guard = createGuard({
    registry: registry.registry,
    ledger: ledger.ledger,
    mode: settings.mode,
    offAfterOpen: 'until-probe',
    events: [
      logSink(settings.logLevel, (text) => process.stderr.write(text)),
      ...(settings.events === undefined ? [] : [ndjsonSink(settings.events)]),
    ],
  });
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort());
  }
  const name = settings.name ?? nameOf(server);
  const common = {
    guard,
    server: name,
    results: resultsOf(settings, name, `${file}-results`, guard.adapter.clock),
    trustsAnnotations: settings.trustAnnotations,
    toolNames: settings.toolNames,
    connect: connectorTo(server, serverEnv(process.env, settings.env), guard.adapter.clock),
    ...(pins.pinning === undefined ? {} : { pinning: pins.pinning }),
  };
  const end =
    host.by === 'http'
      ? await runHttpProxy(
          { ...common, ...host, log: (text) => void process.stderr.write(text) },
          stop.signal,
        )
      : await runStdioProxy(
          { ...common, input: process.stdin, output: process.stdout, log: process.stderr },
          stop.signal,
        );
  await guard.close();
  await ledger.ledger.close();
  if (end.ended === 'host-left' || end.ended === 'stopped') return 0;
  console.error(`mcp-guard: ${end.why}`);
  return end.ended === 'no-server' ? 1 : 2;
}

/** @param folder where it is kept what is cut, beside the ledger, which remembers what it was cut from */
function resultsOf(
  { maxResult, readResult }: ProxySettings,
  server: string,
  folder: string,
  clock: Clock,
): ResultSetting {
  const cap = maxResult === 0 ? {} : { maxBytes: maxResult };
  if (!readResult) return cap;
  return { ...cap, reader: new ResultReader(new SpillFolder(folder, clock), server, cap.maxBytes) };
}

async function registryOf(
  file: string | undefined,
): Promise<{ readonly registry: Registry } | { readonly problem: string }> {
  return file === undefined
    ? { registry: defineRegistry({ name: 'no-registry', tools: [], resourceGroups: {} }) }
    : readRegistry(file);
}

function opened(
  file: string,
): { readonly ledger: ReturnType<typeof sqliteLedger> } | { readonly problem: string } {
  try {
    return { ledger: sqliteLedger(file) };
  } catch (error) {
    if (!isSetupError(error)) throw error;
    return { problem: `${error.reason}; ${error.fix}` };
  }
}

/** Why nothing can be appended to a file; undefined where it can. The file is there then. */
function unwritableReason(file: string): string | undefined {
  try {
    closeSync(openSync(file, 'a', 0o600));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Where programs of this user keep what they have to remember. */
function stateFolder(): string {
  return join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'holdfast');
}
