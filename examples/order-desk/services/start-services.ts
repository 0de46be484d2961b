import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Fault } from './faults.js';
import type { ModelFault } from './model-fault.js';
import { type ServiceProcess, startServiceProcess } from './service-process.js';
import { type Tally, tally } from './tally.js';

/** Which faults each service can be given. */
interface FaultOf {
  orders: Fault;
  mail: Fault;
  model: ModelFault;
}

export interface Tallies {
  orders: Tally;
  mail: Tally;
  model: { requests: number };
}

export interface Services {
  /** Where the services keep their databases: `orders.db` and `mail.db`. */
  folder: string;
  orders: { url: string };
  mail: { url: string };
  /** The URL is the server's; OpenAI's `baseURL` is `${url}/v1`. */
  model: { url: string };
  /** Arms a fault: for the next writes of a service, where faults queue up, or for all turns of the model. */
  arm<Service extends keyof FaultOf>(service: Service, fault: FaultOf[Service]): Promise<void>;
  /**
   * Resolves when a `hold` fault holds a request whose write took effect. Call it once per held
   * request, before or after the fact. Rejects when the service is stopped first.
   */
  held(service: 'orders' | 'mail'): Promise<void>;
  /** What really happened, counted by the services. */
  tallies(): Promise<Tallies>;
  /** Ends the three processes, and removes the folder if it was made here. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** An existing folder for the databases. Default: a new temporary one. */
  folder?: string;
  /** The model's date, `YYYY-MM-DD`. Default: 2026-11-30. */
  today?: string;
}

/**
 * Starts the order service, the mail service and the scripted model, each as a process of its own
 * on a free loopback port. They end with this process, even when it is killed.
 *
 * @example
 * const services = await startServices();
 * await services.arm('mail', { fault: 'lost-response', times: 2 });
 * // … run an agent …
 * console.log((await services.tallies()).mail.effects);
 * await services.stop();
 */
export async function startServices(options: StartOptions = {}): Promise<Services> {
  const { today = '2026-11-30' } = options;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'order-desk-')));
  const removeFolder = async () => {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };

  const [orders, mail, model] = await allOrNone([
    startServiceProcess('order-service.ts', ['--db', join(folder, 'orders.db')]),
    startServiceProcess('mail-service.ts', ['--db', join(folder, 'mail.db')]),
    startServiceProcess('model-server.ts', ['--today', today]),
  ]).catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  const processes = { orders, mail, model };

  return {
    folder,
    orders: { url: orders.url },
    mail: { url: mail.url },
    model: { url: model.url },
    arm: (service, fault) => postFault(processes[service].url, fault),
    held: (service) => processes[service].held(),
    tallies: async () => ({
      orders: await getTally(orders.url, tally),
      mail: await getTally(mail.url, tally),
      model: await getTally(model.url, z.object({ requests: z.int() })),
    }),
    stop: async () => {
      await Promise.all([orders.stop(), mail.stop(), model.stop()]);
      await removeFolder();
    },
  };
}

type Three<T> = [T, T, T];

/** All three running, or none left over. */
async function allOrNone(starts: Three<Promise<ServiceProcess>>): Promise<Three<ServiceProcess>> {
  try {
    return await Promise.all(starts);
  } catch (error) {
    const settled = await Promise.allSettled(starts);
    const running = settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    await Promise.all(running.map((service) => service.stop()));
    throw error;
  }
}

async function postFault(url: string, fault: Fault | ModelFault): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(fault);
  const response = await fetch(`${url}/faults`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`The fault was refused: ${await response.text()}`);
}

async function getTally<Schema extends z.ZodType>(
  url: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const response = await fetch(`${url}/tally`);
  return schema.parse(await response.json());
}
