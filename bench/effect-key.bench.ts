import { hash } from 'node:crypto';
import { effectKey, identityOf } from '@holdfast/effect-ledger';
import canonicalize from 'canonicalize';
import { medianOf, pairedRounds } from './paired-rounds.js';
import { type BenchResult, resultOf } from './result.js';

/** Nothing left out, nothing folded. */
const WHOLE = { volatile: [], trim: [], foldCase: [], nfc: [] };

type Arguments = Readonly<Record<string, unknown>>;

/** The key of an effect from its arguments, beside npm's `canonicalize` and SHA-256 of the same. */
export async function keyComputation(scale: number): Promise<readonly BenchResult[]> {
  return [
    await keyOf('200 B', order(1), { rounds: 5 * scale, count: 1_000 }),
    await keyOf(
      '5 KB',
      { orders: Array.from({ length: 24 }, (_, n) => order(n)) },
      {
        rounds: 5 * scale,
        count: 50,
      },
    ),
  ];
}

async function keyOf(
  size: string,
  args: Arguments,
  measure: { readonly rounds: number; readonly count: number },
): Promise<BenchResult> {
  const rounds = await pairedRounds(
    {
      ours: async (count) => {
        for (let made = 0; made < count; made += 1) {
          effectKey({
            tenant: 'bench',
            intentId: 'intent 1',
            scope: 'intent',
            tool: 'place_order',
            identity: identityOf(args, WHOLE),
            keyGiven: false,
            ordinal: 0,
            generation: 0,
          });
        }
      },
      peer: async (count) => {
        for (let made = 0; made < count; made += 1) hash('sha256', canonicalize(args) ?? '');
      },
    },
    { ...measure, warmUp: 2 },
  );
  return resultOf(
    {
      name: `key of ${size} of arguments`,
      ours: medianOf(rounds, ({ ours }) => ours),
      peer: medianOf(rounds, ({ peer }) => peer),
      peerName: 'canonicalize and SHA-256',
      unit: 'µs',
    },
    { ratioAtMost: 1 },
    medianOf(rounds, ({ ours, peer }) => ours / peer),
  );
}

/** Some 190 bytes, in the order in which a model writes them. */
function order(number: number): Arguments {
  return {
    orderId: `ord_${10_000 + number}`,
    customer: { name: 'Ann Example', city: 'Århus', vip: false },
    lines: [{ sku: 'A-100', quantity: 2, price: 19.95 }],
    note: 'Leave it "at the door", please.',
    slot: '2026-03-01T08:00:00.000Z',
  };
}
