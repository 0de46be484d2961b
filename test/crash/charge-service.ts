import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { createAdaptorServer } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { jsonBody } from '../../examples/order-desk/services/json-body.js';
import { requestKey } from '../../examples/order-desk/services/request-key.js';

/** What the service saw of one wish. */
export interface ChargeTally {
  /** How often it was asked to charge. */
  requests: number;
  /** How often it charged. */
  effects: number;
}

/** Counts what agents do. It lives in the driver's process, which nobody kills. */
export interface ChargeService {
  readonly url: string;
  tally(account: string): ChargeTally;
  /** From now on a charge of the account takes effect, and its answer waits until `held` resolves. */
  hold(account: string, held: () => Promise<void>): void;
  close(): Promise<void>;
}

type Bindings = { Bindings: HttpBindings };

const charge = z.object({ account: z.string(), cents: z.int() });

/** Starts the service on a free loopback port. */
export async function startChargeService(): Promise<ChargeService> {
  const tallies = new Map<string, ChargeTally>();
  const holds = new Map<string, () => Promise<void>>();
  const charges: { readonly id: string; readonly key: string | null }[] = [];

  function tally(account: string): ChargeTally {
    const known = tallies.get(account) ?? { requests: 0, effects: 0 };
    tallies.set(account, known);
    return known;
  }

  async function take(context: Context<Bindings>, knowsKeys: boolean): Promise<Response> {
    const { account } = await jsonBody(context, charge);
    const key = requestKey(context);
    const seen = tally(account);
    seen.requests += 1;
    const known = knowsKeys && key !== null ? idsOf(key)[0] : undefined;
    const chargeId = known ?? `ch_${charges.length + 1}`;
    if (known === undefined) {
      seen.effects += 1;
      charges.push({ id: chargeId, key });
    }
    await holds.get(account)?.();
    // Whoever was killed meanwhile does not listen any more.
    return context.env.outgoing.destroyed ? RESPONSE_ALREADY_SENT : context.json({ chargeId });
  }

  function idsOf(key: string): string[] {
    return charges.filter((one) => one.key === key).map(({ id }) => id);
  }

  const app = new Hono<Bindings>()
    .post('/charges', (context) => take(context, false))
    .post('/keyed-charges', (context) => take(context, true))
    .get('/charges', (context) => {
      const asOf = new Date().toISOString();
      return context.json({ ids: idsOf(context.req.query('key') ?? ''), asOf });
    });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    tally: (account) => ({ ...tally(account) }),
    hold: (account, held) => holds.set(account, held),
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}
