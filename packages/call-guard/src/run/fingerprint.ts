/** Nested deeper than this, or containing itself, a value has no fingerprint of its own. */
const MOST_DEPTH = 512;

/** What a fingerprint begins a part with, so that `1`, `"1"` and `[1]` differ. */
const TEXT = 1;
const WHOLE = 2;
const FRACTION = 3;
const LIST = 4;
const OBJECT = 5;
const NAME = 6;
const OTHER = 7;

/**
 * A number that equal values share, whatever the order of their keys, and different ones practically never
 * do (53 bits). To be compared within one process only. Reads what JSON would: `toJSON` is honored, and a
 * property that is undefined is not there.
 *
 * No text is made and nothing is sorted, which is what makes it some twenty times faster than a digest of
 * the canonical form: the properties of an object are hashed each on its own and added up.
 * Source: the multiply-and-xor step of FNV-1a in two lanes, the finalizer of MurmurHash3 (A. Appleby).
 *
 * @example fingerprintOf({ a: 1, b: [2] }) === fingerprintOf({ b: [2], a: 1 })
 */
export function fingerprintOf(value: unknown): number {
  const print = new Fingerprint();
  try {
    print.add(value, 0);
  } catch {
    // A cycle, or a `toJSON` that throws: it equals what is of its type and has no form either.
    return new Fingerprint().text(OTHER, typeof value).value;
  }
  return print.value;
}

const FIRST_A = 0xdeadbeef | 0;
const FIRST_B = 0x41c6ce57;

class Fingerprint {
  #a = FIRST_A;
  #b = FIRST_B;

  get value(): number {
    const a = finished(this.#a ^ (this.#b >>> 16)) >>> 0;
    const b = finished(this.#b ^ (this.#a >>> 13)) >>> 0;
    return a * 2 ** 21 + (b >>> 11);
  }

  add(value: unknown, depth: number): void {
    switch (typeof value) {
      case 'string':
        this.text(TEXT, value);
        return;
      case 'number':
        this.#number(value);
        return;
      case 'object':
        if (value === null) this.#mix(OTHER);
        else this.#object(value, depth);
        return;
      case 'boolean':
        this.#mix(value ? OTHER + 1 : OTHER + 2);
        return;
      default:
        this.text(OTHER, typeof value === 'bigint' ? String(value) : typeof value);
    }
  }

  text(kind: number, text: string): this {
    let a = this.#a;
    let b = this.#b;
    const { length } = text;
    for (let at = 0; at < length; at += 1) {
      const unit = text.charCodeAt(at);
      a = Math.imul(a ^ unit, 0x9e3779b1);
      b = Math.imul(b ^ unit, 0x5f356495);
    }
    this.#a = a;
    this.#b = b;
    // Its length too, so that no two texts run together.
    this.#mix(kind + length * 16);
    return this;
  }

  #number(value: number): void {
    if ((value | 0) === value) {
      this.#mix(WHOLE);
      this.#mix(value | 0);
    } else {
      this.text(FRACTION, String(value));
    }
  }

  #object(value: object, depth: number): void {
    if (depth > MOST_DEPTH) throw new RangeError('too deep');
    if (Array.isArray(value)) {
      this.#mix(LIST + value.length * 16);
      for (const item of value) this.add(item, depth + 1);
      return;
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      this.add(value.toJSON(''), depth + 1);
      return;
    }
    const [before, beside] = [this.#a, this.#b];
    let [a, b, count] = [0, 0, 0];
    for (const name of Object.keys(value)) {
      const inner: unknown = value[name as keyof typeof value];
      if (inner === undefined) continue;
      // Each property from the same beginning, so that their order says nothing.
      this.#a = FIRST_A;
      this.#b = FIRST_B;
      this.text(NAME, name);
      this.add(inner, depth + 1);
      a += finished(this.#a);
      b += finished(this.#b);
      count += 1;
    }
    this.#a = before ^ a;
    this.#b = beside ^ b;
    this.#mix(OBJECT + count * 16);
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x9e3779b1);
    this.#b = Math.imul(this.#b ^ word, 0x5f356495);
    // A multiplication carries only upwards.
    this.#a ^= this.#a >>> 15;
    this.#b ^= this.#b >>> 13;
  }
}

/** Every bit of the word changes every bit of what comes out. */
function finished(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
