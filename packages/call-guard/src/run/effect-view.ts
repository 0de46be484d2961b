import type { Effect, EffectKey, LedgerStore, Place, Standing } from '@holdfast/effect-ledger';

/** What identifies a wish within a view. */
export interface WishRef {
  readonly wish: string;
  readonly scope: 'intent' | 'business';
  readonly ordinal: number;
}

/** A row, and whether another invocation made it: before this one began, or meanwhile in another process. */
export interface KnownEffect {
  readonly effect: Effect;
  readonly inherited: boolean;
}

/**
 * The effects that may concern a run's calls, in memory: those of its intent, and what is unfinished in
 * its thread. Loaded once per invocation, kept up to date with what this invocation does. What other
 * processes do meanwhile is seen by the claim.
 */
export class EffectView {
  readonly #byKey = new Map<string, KnownEffect>();
  readonly #keysByWish = new Map<string, Set<string>>();
  readonly #keysByInstance = new Map<string, Set<string>>();
  readonly #keyByPlace = new Map<string, string>();
  #seq = 0;
  #loaded: Promise<void> | undefined;
  #isLoaded = false;

  constructor(
    private readonly ledger: LedgerStore,
    private readonly run: {
      readonly tenant: string;
      readonly intentId: string;
      readonly threadId?: string;
    },
  ) {}

  /** Reads the ledger once. */
  load(): Promise<void> {
    this.#loaded ??= this.#read().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #read(): Promise<void> {
    const { tenant, intentId, threadId } = this.run;
    const [ofIntent, ofThread] = await Promise.all([
      this.ledger.find({ tenant, intentId }),
      threadId === undefined ? [] : this.ledger.find({ tenant, threadId, unfinished: true }),
    ]);
    const rows = [...ofIntent, ...ofThread].sort((a, b) => a.startSeq - b.startSeq);
    for (const effect of rows) this.#keep(effect, true);
    this.#isLoaded = true;
  }

  /** Whether what the view does not show is not there. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /**
   * Takes in what a claim, a move or a look-up showed. A row of the same intent that is new here is another
   * invocation's; one of another intent belongs to another wish, and that it is done now answers nothing.
   */
  learn(effect: Effect): void {
    const isOfOthers = effect.intentId === this.run.intentId;
    this.#keep(effect, this.#byKey.get(effect.key)?.inherited ?? isOfOthers);
  }

  /** Takes in a row that this invocation has declared. */
  declared(effect: Effect): void {
    this.#keep(effect, this.#byKey.get(effect.key)?.inherited ?? false);
  }

  #keep(effect: Effect, inherited: boolean): void {
    const known = this.#byKey.get(effect.key);
    if (known !== undefined && known.effect.version > effect.version) return;
    this.#byKey.set(effect.key, { effect, inherited });
    this.#seq = Math.max(this.#seq, effect.startSeq, effect.endSeq ?? 0);
    addTo(this.#keysByWish, effect.wish, effect.key);
    if (effect.instance !== undefined) addTo(this.#keysByInstance, effect.instance, effect.key);
    const place = placeKey(effect.tool, effect.place);
    if (place !== undefined) this.#keyByPlace.set(place, effect.key);
  }

  /** The highest ledger sequence seen. */
  seq(): number {
    return this.#seq;
  }

  all(): readonly KnownEffect[] {
    return [...this.#byKey.values()];
  }

  get(key: EffectKey): KnownEffect | undefined {
    return this.#byKey.get(key);
  }

  /** The row of the call at this place: same message, position and call id, on any branch. */
  atPlace(tool: string, place: Place): KnownEffect | undefined {
    const key = placeKey(tool, place);
    return key === undefined ? undefined : this.#byKey.get(this.#keyByPlace.get(key) ?? '');
  }

  /** What `meet` has to know about a wish. */
  standing(ref: WishRef): Standing {
    const ofWish = this.#ofWish(ref.wish);
    const latest = ofWish
      .filter((effect) => this.#isHere(effect, ref) && effect.ordinal === ref.ordinal)
      .reduce<Effect | undefined>(
        (best, effect) =>
          best === undefined || effect.generation > best.generation ? effect : best,
        undefined,
      );
    return {
      latest,
      overwritten: latest !== undefined && this.#overwritten(latest),
      elsewhere: ofWish.filter(
        (effect) =>
          !this.#isHere(effect, ref) && effect.state !== 'failed' && effect.state !== 'succeeded',
      ),
    };
  }

  /** Successes of an equal wish under other intents of the thread, left by runs that have not ended. */
  doneElsewhere(ref: WishRef): readonly KnownEffect[] {
    return [...(this.#keysByWish.get(ref.wish) ?? [])]
      .map((key) => this.#byKey.get(key))
      .filter((known) => known !== undefined)
      .filter(
        ({ effect, inherited }) =>
          inherited &&
          !this.#isHere(effect, ref) &&
          effect.state === 'succeeded' &&
          effect.settlement.settled === 'open',
      );
  }

  #ofWish(wish: string): readonly Effect[] {
    return [...(this.#keysByWish.get(wish) ?? [])]
      .map((key) => this.#byKey.get(key)?.effect)
      .filter((effect) => effect !== undefined);
  }

  #isHere(effect: Effect, ref: Pick<WishRef, 'scope'>): boolean {
    return ref.scope === 'business'
      ? effect.scope === 'business'
      : effect.scope === 'intent' && effect.intentId === this.run.intentId;
  }

  #overwritten(latest: Effect): boolean {
    return [...(this.#keysByInstance.get(latest.instance ?? '') ?? [])].some((key) => {
      const effect = this.#byKey.get(key)?.effect;
      return (
        effect !== undefined &&
        effect.wish !== latest.wish &&
        effect.startSeq > latest.startSeq &&
        effect.state !== 'failed'
      );
    });
  }
}

function addTo(index: Map<string, Set<string>>, at: string, key: string): void {
  const keys = index.get(at);
  if (keys === undefined) index.set(at, new Set([key]));
  else keys.add(key);
}

function placeKey(tool: string, place: Place): string | undefined {
  if (place.callId === undefined) return undefined;
  return JSON.stringify([
    tool,
    place.threadId ?? null,
    place.messageId ?? null,
    place.position ?? null,
    place.callId,
  ]);
}
