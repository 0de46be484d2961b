import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/**
 * The processes that a process started, by their ids: its children and theirs, and all that share a group
 * with one of these, as those do whose parent is gone.
 */
export async function startedBy(ancestor: number): Promise<ReadonlySet<number>> {
  const listed = await listProcesses();
  const started = new Set<number>();
  const groups = new Set<number>();
  for (let before = -1; started.size > before; ) {
    before = started.size;
    for (const { pid, parent, group } of listed) {
      const isStarted = parent === ancestor || started.has(parent) || groups.has(group);
      if (!isStarted || pid === ancestor) continue;
      started.add(pid);
      // One that leads its group: the others' group may be that of the ancestor.
      if (group === pid) groups.add(group);
    }
  }
  return started;
}

/** Those of the processes that are still there. One that ended and was not waited for is not. */
export async function stillThere(pids: ReadonlySet<number>): Promise<number> {
  return (await listProcesses()).filter(({ pid }) => pids.has(pid)).length;
}

async function listProcesses(): Promise<readonly Listed[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid=,pgid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [pid, parent, group, state = ''] = line.trim().split(/\s+/);
      if (state.startsWith('Z')) return [];
      return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
    });
}
