import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const find = createRequire(import.meta.url).resolve;
const packageOf = (name: string) => find(`@modelcontextprotocol/server-${name}/dist/index.js`);

/** A request of a host. */
export interface Asking {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A server of the public reference packages, and what there is to ask it, all of it with one outcome only. */
export interface PublicServer {
  /** What Node.js runs. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly asking: readonly Asking[];
}

const list = (method: string): Asking => ({ method, params: {} });
const call = (name: string, args: Readonly<Record<string, unknown>> = {}): Asking => ({
  method: 'tools/call',
  params: { name, arguments: args },
});

const ada = { name: 'Ada', entityType: 'person', observations: ['wrote the first program'] };
const engine = { name: 'Engine', entityType: 'machine', observations: ['was never built'] };
const relation = { from: 'Ada', to: 'Engine', relationType: 'wrote for' };

/** The servers, all with the same folder. */
export function publicServers(folder: string) {
  const at = (file: string) => join(folder, file);
  return {
    everything: {
      args: [packageOf('everything')],
      env: {},
      asking: [
        list('tools/list'),
        list('resources/list'),
        list('resources/templates/list'),
        list('prompts/list'),
        { method: 'prompts/get', params: { name: 'simple-prompt' } },
        call('echo', { message: 'é 😀 \u2028' }),
        call('get-sum', { a: 0.1, b: 0.2 }),
        call('get-tiny-image'),
        call('get-annotated-message', { messageType: 'error', includeImage: true }),
        call('get-structured-content', { location: 'Chicago' }),
        call('get-resource-links', { count: 2 }),
        // It fails in words of the server.
        call('get-resource-reference', { resourceType: 'Text', resourceId: -1 }),
      ],
    },
    filesystem: {
      args: [packageOf('filesystem'), folder],
      env: {},
      asking: [
        list('tools/list'),
        call('list_allowed_directories'),
        call('write_file', { path: at('new.txt'), content: 'one\ntwo\n' }),
        call('edit_file', { path: at('new.txt'), edits: [{ oldText: 'two', newText: 'three' }] }),
        call('read_text_file', { path: at('new.txt'), head: 1 }),
        call('read_multiple_files', { paths: [at('new.txt'), at('note.txt')] }),
        call('create_directory', { path: at('deeper') }),
        call('move_file', { source: at('new.txt'), destination: at('deeper/new.txt') }),
        call('directory_tree', { path: folder }),
        call('read_text_file', { path: '/etc/passwd' }),
      ],
    },
    memory: {
      args: [packageOf('memory')],
      env: { MEMORY_FILE_PATH: at('memory.jsonl') },
      asking: [
        list('tools/list'),
        call('create_entities', { entities: [ada, engine] }),
        call('create_relations', { relations: [relation] }),
        call('add_observations', {
          observations: [{ entityName: 'Engine', contents: ['was built in 1991'] }],
        }),
        call('search_nodes', { query: 'built' }),
        call('delete_relations', { relations: [relation] }),
        call('read_graph'),
        call('add_observations', { observations: [{ entityName: 'Nobody', contents: ['is'] }] }),
      ],
    },
    'sequential-thinking': {
      args: [packageOf('sequential-thinking')],
      env: { DISABLE_THOUGHT_LOGGING: 'true' },
      asking: [
        list('tools/list'),
        ...[1, 2].map((thoughtNumber) =>
          call('sequentialthinking', {
            thought: `thought ${thoughtNumber}`,
            nextThoughtNeeded: thoughtNumber < 2,
            thoughtNumber,
            totalThoughts: 2,
          }),
        ),
      ],
    },
  } satisfies Readonly<Record<string, PublicServer>>;
}

export type PublicServerName = keyof ReturnType<typeof publicServers>;
export const publicServerNames: readonly PublicServerName[] = [
  'everything',
  'filesystem',
  'memory',
  'sequential-thinking',
];

/** Does the work in a folder that begins the same each time, of a name that is the same for both. */
export async function directAndProxied<T>(
  name: string,
  work: (folder: string, isProxied: boolean) => Promise<T>,
): Promise<{ readonly direct: T; readonly proxied: T }> {
  const folder = join(await realpath(tmpdir()), `holdfast-real-${process.pid}-${name}`);
  const anew = async (isProxied: boolean): Promise<T> => {
    await mkdir(folder);
    try {
      await writeFile(join(folder, 'note.txt'), 'first line\nsecond line\n');
      return await work(folder, isProxied);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  return { direct: await anew(false), proxied: await anew(true) };
}
