/** So many texts of a value are remembered, and none that is longer than so many characters. */
const MOST_TEXTS = 64;
const MOST_LENGTH = 64;

/** A text with the two halves of its hash. */
export interface HashedText {
  /** Undefined where nothing is remembered. */
  text: string | undefined;
  a: number;
  b: number;
}

/**
 * The texts of the value that was hashed last, in their order. The values that one tool takes, or gives, have
 * the same names in the same order, and many a text in common: to see that a text is the one that stood there
 * before is faster than to read it again. Constant memory.
 */
export class TextMemo {
  readonly #places: HashedText[] = [];

  /** @param place from 0 on, in order. @returns what stood there, to be written to; undefined past the last one */
  at(place: number): HashedText | undefined {
    if (place < this.#places.length) return this.#places[place];
    if (place >= MOST_TEXTS) return undefined;
    const made: HashedText = { text: undefined, a: 0, b: 0 };
    this.#places.push(made);
    return made;
  }
}

/** Remembers a text; a long one is not held for this. */
export function remember(place: HashedText, text: string, a: number, b: number): void {
  place.text = text.length > MOST_LENGTH ? undefined : text;
  place.a = a;
  place.b = b;
}
