/** Makes calls, and prints by how many bytes the heap has grown. Arguments: `ours` or `peer`, how many. */
import { cockatiel, guarded } from './callers.js';

const [, , whose, calls] = process.argv;
const { gc } = globalThis;
if (gc === undefined) throw new Error('start it with --expose-gc');
const count = Number(calls);
const work = whose === 'peer' ? cockatiel() : guarded();

// What is compiled and filled once is no growth.
await work(Math.ceil(count / 10));
const before = await heapUsed(gc);
await work(count);
console.log((await heapUsed(gc)) - before);

async function heapUsed(collect: () => unknown): Promise<number> {
  for (let times = 0; times < 4; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
