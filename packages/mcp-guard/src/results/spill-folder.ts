import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@holdfast/call-guard';

/** How long a text is kept after it was last needed, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** How much all texts together may take, in bytes. */
const MOST_BYTES = 1024 ** 3;

/** How a text is called: a digest of what it says, so nobody can name one that they have not seen. */
const REF = /^[\w-]{22}$/;
/** Those too that somebody began to write and did not finish. */
const FILE = /^[\w-]{22}\.utf16le(?:\.\d+-\d+)?$/;

/** Two bytes for each character, so that a range is found without reading what stands before it. */
const ENCODING = 'utf16le';

/** A part of a kept text. `of`: how long all of it is. All in characters. */
export interface TextRange {
  readonly text: string;
  readonly from: number;
  readonly of: number;
}

/**
 * Texts that were too long to be given, in files of the user's own, for a day. They may hold secrets: nobody
 * else may read them, and none outlives its time by more than until the folder is next used.
 */
export class SpillFolder {
  #begun = 0;

  constructor(
    private readonly folder: string,
    private readonly clock: Pick<Clock, 'wallMs'>,
  ) {}

  /** Keeps a text. Resolves with its name; undefined where it cannot be kept. */
  async keep(text: string): Promise<string | undefined> {
    const bytes = Buffer.from(text, ENCODING);
    const ref = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#makeRoom(bytes.byteLength);
      const file = this.#fileOf(ref);
      this.#begun += 1;
      // The same text may be kept twice at a time.
      const begun = `${file}.${process.pid}-${this.#begun}`;
      await writeFile(begun, bytes, { mode: 0o600 });
      await rename(begun, file);
      await this.#touch(file);
      return ref;
    } catch {
      return undefined;
    }
  }

  /** A part of a text, never half a character of it. Undefined where it is not kept, or not any more. */
  async read(ref: string, from: number, count: number): Promise<TextRange | undefined> {
    if (!REF.test(ref)) return undefined;
    const path = this.#fileOf(ref);
    try {
      const { mtimeMs, size } = await stat(path);
      if (this.#isOver(mtimeMs)) return undefined;
      await this.#touch(path);
      const file = await open(path);
      try {
        const of = size / 2;
        const begin = Math.min(from, of);
        const bytes = Buffer.alloc(2 * Math.min(count, of - begin));
        const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, 2 * begin);
        const text = bytes.toString(ENCODING, 0, bytesRead);
        const isHalf = /[\ud800-\udbff]$/.test(text) && begin + text.length < of;
        return { text: isHalf ? text.slice(0, -1) : text, from: begin, of };
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  /** Takes away what is over, and the oldest until there is room. */
  async #makeRoom(bytes: number): Promise<void> {
    const names = await readdir(this.folder);
    const files = await Promise.all(
      names.filter((name) => FILE.test(name)).map((name) => this.#sized(join(this.folder, name))),
    );
    let total = bytes;
    for (const { path, mtimeMs, size } of files.flat().sort((a, b) => b.mtimeMs - a.mtimeMs)) {
      total += size;
      if (this.#isOver(mtimeMs) || total > MOST_BYTES) await rm(path, { force: true });
    }
  }

  /** Nothing where somebody else has taken it away meanwhile. */
  async #sized(path: string) {
    try {
      const { mtimeMs, size } = await stat(path);
      return [{ path, mtimeMs, size }];
    } catch {
      return [];
    }
  }

  #isOver(mtimeMs: number): boolean {
    return this.clock.wallMs() - mtimeMs >= KEPT_MS;
  }

  async #touch(path: string): Promise<void> {
    const now = this.clock.wallMs() / 1_000;
    await utimes(path, now, now);
  }

  #fileOf(ref: string): string {
    return join(this.folder, `${ref}.utf16le`);
  }
}
