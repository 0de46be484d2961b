import Database from 'libsql';
import { z } from 'zod';
import { countWishes, type Tally } from './tally.js';

const order = z.object({
  orderId: z.string(),
  deliveryAt: z.string(),
  version: z.int(),
  buyer: z.string(),
});
type Order = z.infer<typeof order>;

const delivery = order.omit({ buyer: true });
type Delivery = z.infer<typeof delivery>;

/** What became of a request to move a delivery. */
type Move =
  | { kind: 'moved' | 'replayed'; delivery: Delivery }
  | { kind: 'key-reused' }
  | { kind: 'unknown-order' };

interface OrderStore {
  find(orderId: string): Order | undefined;
  /** A known key with the same wish gives the stored answer; without a key each call is an effect. */
  moveDelivery(orderId: string, deliveryAt: string, key: string | null): Move;
  tally(): Omit<Tally, 'requests'>;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS orders (
  orderId TEXT PRIMARY KEY, deliveryAt TEXT NOT NULL, version INTEGER NOT NULL, buyer TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS moves (
  orderId TEXT NOT NULL, deliveryAt TEXT NOT NULL, version INTEGER NOT NULL,
  requestKey TEXT UNIQUE, at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE TABLE IF NOT EXISTS replays (
  requestKey TEXT NOT NULL, at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
INSERT OR IGNORE INTO orders VALUES ('ord_1', '2026-12-03T14:00:00.000Z', 1, 'buyer@example.com');
`;

/** Opens the orders in a SQLite file. A row of `moves` is an effect and the answer kept for its key. */
export function openOrderStore(file: string): OrderStore {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  const selectOrder = db.prepare('SELECT * FROM orders WHERE orderId = ?');
  const selectMove = db.prepare('SELECT * FROM moves WHERE requestKey = ?');
  const updateOrder = db.prepare(
    'UPDATE orders SET deliveryAt = ?, version = version + 1 WHERE orderId = ? RETURNING *',
  );
  const insertMove = db.prepare(
    'INSERT INTO moves (orderId, deliveryAt, version, requestKey) VALUES (?, ?, ?, ?)',
  );
  const insertReplay = db.prepare('INSERT INTO replays (requestKey) VALUES (?)');
  const selectMoves = db.prepare('SELECT * FROM moves');
  const countReplays = db.prepare('SELECT count(*) AS count FROM replays');

  function answerAgain(key: string, orderId: string, deliveryAt: string): Move | undefined {
    const stored = delivery.optional().parse(selectMove.get(key));
    if (!stored) return undefined;
    if (stored.orderId !== orderId || stored.deliveryAt !== deliveryAt) {
      return { kind: 'key-reused' };
    }
    insertReplay.run(key);
    return { kind: 'replayed', delivery: stored };
  }

  return {
    find: (orderId) => order.optional().parse(selectOrder.get(orderId)),
    moveDelivery: db.transaction(
      (orderId: string, deliveryAt: string, key: string | null): Move => {
        const again = key === null ? undefined : answerAgain(key, orderId, deliveryAt);
        if (again) return again;
        const moved = delivery.optional().parse(updateOrder.get(deliveryAt, orderId));
        if (!moved) return { kind: 'unknown-order' };
        insertMove.run(moved.orderId, moved.deliveryAt, moved.version, key);
        return { kind: 'moved', delivery: moved };
      },
    ),
    tally: () => {
      const moves = z.array(delivery).parse(selectMoves.all());
      return {
        effects: countWishes(
          moves.map((move) => `set_delivery ${move.orderId} ${move.deliveryAt}`),
        ),
        replays: z.object({ count: z.int() }).parse(countReplays.get()).count,
      };
    },
  };
}
