import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isGone, ownerIdentity } from './owner.js';

/** For machines under load. */
const patient = { timeout: 15_000 };
const onLinux = existsSync('/proc/self/stat');

/** A process that says who it is, and lives until it is killed. */
async function child(): Promise<ChildProcess & { readonly pid: number }> {
  const made = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)']);
  await once(made.stdout, 'data');
  return made as typeof made & { readonly pid: number };
}

describe('an owner', () => {
  it('is one invocation in this process on this machine', () => {
    const owner = ownerIdentity('invocation-1');
    expect(owner).toMatchObject({ id: 'invocation-1', pid: process.pid });
    expect(owner.host).toContain(hostname());
    expect(ownerIdentity('invocation-2')).toEqual({ ...owner, id: 'invocation-2' });
  });

  it.skipIf(!onLinux)('is told apart by boot, process namespace and start', () => {
    const { host, processStart } = ownerIdentity('x');
    expect(host).toContain(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    expect(host).toMatch(/pid:\[\d+\]$/);
    expect(readFileSync('/proc/self/stat', 'utf8').split(' ')).toContain(processStart);
  });

  it('is not gone while its process lives, and gone when it does not', async () => {
    const other = await child();
    const { host } = ownerIdentity('x');
    const stat = onLinux ? readFileSync(`/proc/${other.pid}/stat`, 'utf8') : '';
    const processStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'about 5';
    const owner = { id: 'other', host, pid: other.pid, processStart };
    expect(isGone(owner)).toBe(false);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect(isGone(owner)).toBe(true);
  });

  it('is not gone when it is this process', () => {
    expect(isGone(ownerIdentity('x'))).toBe(false);
  });

  it.skipIf(!onLinux)('is gone when a later process has its number', () => {
    expect(isGone({ ...ownerIdentity('x'), processStart: '1' })).toBe(true);
  });

  it.skipIf(!onLinux)(
    'is gone when its process has exited and its parent has not noticed',
    async () => {
      // The child ends when its input does. By then its parent is a program that waits for nobody.
      const parent = spawn('sh', ['-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 60']);
      const [pid] = await once(parent.stdout, 'data');
      await expect
        .poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8'), patient)
        .toBe('sleep\n');
      parent.stdin.end();
      const owner = { ...ownerIdentity('x'), pid: Number(pid), processStart: 'any' };
      const fields = () => {
        const stat = readFileSync(`/proc/${owner.pid}/stat`, 'utf8');
        return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      };
      await expect.poll(() => fields()[0], patient).toBe('Z');
      expect(isGone({ ...owner, processStart: fields()[19] ?? '' })).toBe(true);
      parent.kill('SIGKILL');
    },
  );

  it('is not taken for gone when its number or start proves nothing', () => {
    const owner = ownerIdentity('x');
    expect(isGone({ ...owner, host: 'another', pid: 2 ** 22 + 1 })).toBe(false);
    expect(isGone({ ...owner, processStart: 'about 1' })).toBe(false);
    expect(isGone({ ...owner, pid: 1, processStart: 'about 1' })).toBe(false);
  }, 20_000);
});
