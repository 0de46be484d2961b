import { on } from 'node:events';
import { type Announcement, announcement } from './announcement.js';
import { forkProgram } from './fork-program.js';

/** A service running as a child process. It ends by itself when this process ends, however. */
export interface ServiceProcess {
  url: string;
  /**
   * Resolves when a request is held. One call per held request, in any order: a request that was
   * held before the call is remembered. Rejects when the service ends first.
   */
  held(): Promise<void>;
  /** Ends the process and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a service and resolves when it listens.
 *
 * @param file the program's name in this folder.
 * @throws when the program ends before it is ready; its own error is on stderr.
 */
export async function startServiceProcess(file: string, args: string[]): Promise<ServiceProcess> {
  const program = new URL(file, import.meta.url);
  const child = forkProgram(program, args, ['ignore', 'ignore', 'inherit', 'ipc']);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const messages = on(child, 'message', { close: ['exit'] });

  async function expect<Kind extends Announcement['kind']>(kind: Kind) {
    const { done, value } = await messages.next();
    if (done) throw new Error(`${file} ended; expected it to announce "${kind}".`);
    const [message]: unknown[] = value;
    const announced = announcement.parse(message);
    if (!isOfKind(announced, kind)) throw new Error(`${file} announced "${announced.kind}".`);
    return announced;
  }

  const { url } = await expect('ready');
  return {
    url,
    held: async () => {
      await expect('held');
    },
    stop: () => {
      if (child.connected) child.disconnect();
      return gone;
    },
  };
}

function isOfKind<Kind extends Announcement['kind']>(
  message: Announcement,
  kind: Kind,
): message is Extract<Announcement, { kind: Kind }> {
  return message.kind === kind;
}
