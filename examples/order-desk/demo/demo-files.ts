import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FaultName } from './scenario.js';

/** Which of the two agents; also the name of its folder. */
export type AgentKind = 'stock' | 'guarded';

/** Where the demo keeps what it leaves behind. All of it stays readable afterwards. */
export interface DemoFiles {
  folder: string;
  /** One ledger for all guarded runs, each in a thread of its own. */
  ledger: string;
  /** The events of all guarded runs, a line of JSON each. */
  events: string;
  /** A new folder for the services and checkpoints of one agent under one fault. */
  makeFolder(fault: FaultName, agent: AgentKind): Promise<string>;
}

/** A folder that cannot be used. */
export class FolderNotEmptyError extends Error {}

/**
 * Prepares the demo's folder.
 *
 * @param folder is made if it is not there; relative to where the package manager was called.
 * Default: a new one among the system's temporary files.
 * @throws FolderNotEmptyError when something is in it: counts would not start from zero.
 */
export async function prepareFiles(folder?: string): Promise<DemoFiles> {
  const from = process.env.INIT_CWD ?? process.cwd();
  const root = folder === undefined ? await newFolder() : await emptyFolder(resolve(from, folder));
  return {
    folder: root,
    ledger: join(root, 'ledger.db'),
    events: join(root, 'events.ndjson'),
    makeFolder: async (fault, agent) => {
      const made = join(root, fault, agent);
      await mkdir(made, { recursive: true });
      return made;
    },
  };
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'order-desk-demo-'));
}

async function emptyFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new FolderNotEmptyError(
      `${folder} is not empty. The demo counts from zero: choose a new or an empty folder.`,
    );
  }
  return folder;
}
