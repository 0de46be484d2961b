import type { Point } from './agent/job.js';
import type { Cell } from './cells.js';

/** What has to become of a cell: how often each wish takes effect, and what the run reports. */
export interface CellPromise {
  /** In the order of the calls. */
  readonly effects: readonly number[];
  /** `partial` where an outcome stays unknown; the report names it. */
  readonly status: 'complete' | 'partial';
}

/** Points at which nobody can know whether the call took effect: after its claim, before its settlement. */
const uncertain: readonly Point[] = ['after-claim', 'during-effect', 'after-effect'];

/** The whole rule of the table: it depends on the class and the point, and on nothing else. */
export function promiseOf(cell: Cell): CellPromise {
  const killed = promiseOfCall(cell);
  const ends = {
    one: [killed],
    'two in turn': [done, killed],
    'two at once': [killed, killed],
  }[cell.calls];
  return {
    effects: ends.map(({ effects }) => effects),
    status: ends.every(({ isKnown }) => isKnown) ? 'complete' : 'partial',
  };
}

interface CallEnd {
  readonly effects: 0 | 1;
  readonly isKnown: boolean;
}

const done: CallEnd = { effects: 1, isKnown: true };

/** Of a call that was under way when the process was killed. */
function promiseOfCall({ class: toolClass, point }: Cell): CallEnd {
  // It is sent again, under the same key.
  if (!uncertain.includes(point) || toolClass === 'idempotent-write') return done;
  // Nothing was sent. That it cannot be on its way any more, even a server that is asked does not know yet.
  if (point === 'after-claim') return { effects: 0, isKnown: false };
  return { effects: 1, isKnown: toolClass === 'irreversible+probe' };
}

/** Whether the call at this position must not be sent again after the crash: it is done, or may be. */
export function mustNotBeSent(cell: Cell, position: number): boolean {
  if (cell.calls === 'two in turn' && position === 0) return true;
  if (cell.point === 'before-claim') return false;
  return cell.class !== 'idempotent-write' || !uncertain.includes(cell.point);
}
