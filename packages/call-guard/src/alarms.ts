/** A timer of the platform that has been started. */
export interface Timer {
  /** Whether the process waits for it. */
  keepAlive(keeps: boolean): void;
  cancel(): void;
}

/** One that is set; they are a ring, so that one is taken out without being looked for. */
interface Alarm {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly keepsAlive: boolean;
  readonly ring: () => void;
  isSet: boolean;
  before: Alarm;
  next: Alarm;
}

/**
 * Many alarms on one timer. Nearly all alarms are cancelled before they ring, and to set and clear a timer
 * of Node's for each takes as long as a third of a guarded read. So the timer is left alone when an alarm is
 * cancelled; when it fires, it looks for what is due and is set for the earliest that is left.
 */
export class Alarms {
  /** The beginning and the end of the ring: never rings. */
  readonly #head = headOfRing();
  #timer: Timer | undefined;
  #firesAt = Number.POSITIVE_INFINITY;
  /** How many of them keep the process alive. */
  #awaited = 0;

  constructor(
    private readonly setting: {
      readonly nowMs: () => number;
      /** @param ms a delay of any length; it may fire earlier than that, and is then set again */
      readonly start: (ms: number, fire: () => void) => Timer;
    },
  ) {}

  /** As `Clock.alarm`. */
  add(ms: number, keepsAlive: boolean, ring: () => void, nowMs = this.setting.nowMs()): () => void {
    checkWait(ms);
    const at = nowMs + Math.max(0, ms);
    const head = this.#head;
    const alarm: Alarm = { at, keepsAlive, ring, isSet: true, before: head.before, next: head };
    head.before.next = alarm;
    head.before = alarm;
    if (keepsAlive) this.#awaited += 1;
    if (at < this.#firesAt) this.#fireAt(at);
    else if (keepsAlive && this.#awaited === 1) this.#timer?.keepAlive(true);
    return () => this.#forget(alarm);
  }

  #forget(alarm: Alarm): void {
    if (!alarm.isSet) return;
    alarm.isSet = false;
    alarm.before.next = alarm.next;
    alarm.next.before = alarm.before;
    if (!alarm.keepsAlive) return;
    this.#awaited -= 1;
    if (this.#awaited === 0) this.#timer?.keepAlive(false);
  }

  #fireAt(at: number): void {
    this.#timer?.cancel();
    this.#firesAt = at;
    this.#timer = this.setting.start(Math.max(0, at - this.setting.nowMs()), () => this.#fire());
    this.#timer.keepAlive(this.#awaited > 0);
  }

  #fire(): void {
    this.#timer = undefined;
    this.#firesAt = Number.POSITIVE_INFINITY;
    const now = this.setting.nowMs();
    const due: Alarm[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (let alarm = this.#head.next; alarm !== this.#head; alarm = alarm.next) {
      if (alarm.at <= now) due.push(alarm);
      else next = Math.min(next, alarm.at);
    }
    if (Number.isFinite(next)) this.#fireAt(next);
    for (const alarm of due.sort((a, b) => a.at - b.at)) {
      // One that rang before it may have cancelled it.
      if (!alarm.isSet) continue;
      this.#forget(alarm);
      alarm.ring();
    }
  }
}

function headOfRing(): Alarm {
  const head = { at: Number.NaN, keepsAlive: false, ring: () => {}, isSet: false } as Alarm;
  head.before = head;
  head.next = head;
  return head;
}

/** @throws RangeError for what is no number: Node would take it for the shortest time there is. */
export function checkWait(ms: number): void {
  if (Number.isNaN(ms)) throw new RangeError('a wait of NaN milliseconds has no end');
}
