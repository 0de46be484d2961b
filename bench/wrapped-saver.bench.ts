import { join } from 'node:path';
import { sqliteLedger } from '@holdfast/effect-ledger/sqlite';
import { createLangGraphGuard } from '@holdfast/langgraph-resilience';
import { tool } from '@langchain/core/tools';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'libsql';
import { countingCommits } from './counting-commits.js';
import { orderSearch, search, searchOrders } from './order-search.js';
import { medianOf, pairedRounds, type Work } from './paired-rounds.js';
import { type BenchResult, resultOf } from './result.js';
import { searchingGraph } from './searching-graph.js';
import { inFolder } from './temporary-folder.js';

const STEPS = 20;

/**
 * A graph of twenty steps that only read, on LangGraph's own SQLite saver: wrapped by the guard beside
 * the saver as it is, with the same guarded tools.
 */
export function wrappedSaver(scale: number): Promise<readonly BenchResult[]> {
  return inFolder(async (folder) => {
    const ledger = countingCommits(new Database(join(folder, 'ledger.db')));
    const guard = createLangGraphGuard({
      registry: orderSearch,
      ledger: sqliteLedger(ledger.database),
    });
    const guarded = guard.toolNode([guard.implement('search_orders', search)]);
    const stock = new ToolNode([
      tool(search, {
        name: searchOrders.name,
        description: searchOrders.summary,
        schema: searchOrders.input,
      }),
    ]);
    const savers = {
      wrapped: new CountingSaver(new Database(join(folder, 'wrapped.db'))),
      plain: new CountingSaver(new Database(join(folder, 'plain.db'))),
      stock: new CountingSaver(new Database(join(folder, 'stock.db'))),
    };
    const searching = {
      wrapped: searchingGraph(guarded, guard.checkpointer(savers.wrapped)),
      plain: searchingGraph(guarded, savers.plain),
      stock: searchingGraph(stock, savers.stock),
    };
    const times =
      (run: (steps: number) => Promise<void>): Work =>
      async (count) => {
        for (let made = 0; made < count; made += 1) await run(STEPS);
      };
    const rounds = await pairedRounds(
      {
        ours: times(searching.wrapped),
        peer: times(searching.plain),
        stock: times(searching.stock),
      },
      { rounds: scale, count: 5 },
    );

    /** What steps that only read write, to the saver and to the ledger. */
    const writesPerStep = async (kind: 'wrapped' | 'plain'): Promise<number> => {
      const counted = async (steps: number): Promise<number> => {
        const before = savers[kind].writes + ledger.commits();
        await searching[kind](steps);
        return savers[kind].writes + ledger.commits() - before;
      };
      const least = await counted(2);
      return ((await counted(STEPS)) - least) / (STEPS - 2);
    };
    const results = [
      resultOf(
        {
          name: `graph of ${STEPS} steps, wrapped saver`,
          ours: medianOf(rounds, ({ ours }) => ours / 1_000),
          peer: medianOf(rounds, ({ peer }) => peer / 1_000),
          peerName: 'the same graph, plain SqliteSaver',
          unit: 'ms',
        },
        { ratioAtMost: 1.3 },
        medianOf(rounds, ({ ours, peer }) => ours / peer),
      ),
      resultOf(
        {
          name: 'writes of a step that only reads',
          ours: await writesPerStep('wrapped'),
          peer: await writesPerStep('plain'),
          peerName: 'the same, plain SqliteSaver',
          unit: 'writes per step',
        },
        { ratioAtMost: 1 },
      ),
      resultOf(
        {
          name: `graph of ${STEPS} steps, wrapped saver and guarded tools`,
          ours: medianOf(rounds, ({ ours }) => ours / 1_000),
          peer: medianOf(rounds, (round) => round.stock / 1_000),
          peerName: 'the graph without a guard',
          unit: 'ms',
        },
        'none',
        medianOf(rounds, (round) => round.ours / round.stock),
      ),
    ];
    await guard.close();
    return results;
  });
}

class CountingSaver extends SqliteSaver {
  writes = 0;

  override put(...write: Parameters<SqliteSaver['put']>): ReturnType<SqliteSaver['put']> {
    this.writes += 1;
    return super.put(...write);
  }

  override putWrites(...write: Parameters<SqliteSaver['putWrites']>): Promise<void> {
    this.writes += 1;
    return super.putWrites(...write);
  }
}
