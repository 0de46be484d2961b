/** So many members of a value are remembered, and no text that is longer than so many characters. */
const MOST_MEMBERS = 64;
const MOST_LENGTH = 64;

/** Stands for what is not remembered: it equals no value of anybody's. */
const NOTHING: unknown = Symbol('nothing');

/** A property of an object, or an item of a list by its number, with what they are hashed to. */
export interface KnownMember {
  name: string | number | undefined;
  /** The two halves of the hash of its name. */
  nameA: number;
  nameB: number;
  /** Of a kind that nobody can change. */
  value: unknown;
  /** The two halves of the hash of both. */
  a: number;
  b: number;
}

/**
 * The members of the value that was hashed last, in their order, those of the values in it included. The
 * values that one tool takes, or gives, have the same names in the same order, and many a value in common:
 * to see that a member is the one that stood there before is faster than to hash it again. Constant memory.
 */
export class MemberMemo {
  readonly #members: KnownMember[] = [];

  /** @param place from 0 on, in order. @returns what stood there, to be written to; undefined past the last one */
  at(place: number): KnownMember | undefined {
    if (place < this.#members.length) return this.#members[place];
    if (place >= MOST_MEMBERS) return undefined;
    const made = { name: undefined, nameA: 0, nameB: 0, value: NOTHING, a: 0, b: 0 };
    this.#members.push(made);
    return made;
  }
}

/** Remembers a name in place of another one, with which its value is forgotten. */
export function rename(place: KnownMember, name: string | number, a: number, b: number): void {
  place.name = name;
  place.nameA = a;
  place.nameB = b;
  place.value = NOTHING;
}

/** What can be changed is not kept, and a long text is not held for this. */
export function isKept(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
      return value.length <= MOST_LENGTH;
    case 'object':
      return value === null;
    case 'function':
      return false;
    default:
      return true;
  }
}

/** Remembers a value of the name that is there. What it stands for is right as long as the name is. */
export function remember(place: KnownMember, value: unknown, a: number, b: number): void {
  place.value = value;
  place.a = a;
  place.b = b;
}
