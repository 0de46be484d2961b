/** The keys that Holdfast uses in `_meta`, under one prefix as the protocol wants it. */
export const META = {
  intent: 'dev.holdfast/intent',
  key: 'dev.holdfast/idempotency-key',
  deadlineMs: 'dev.holdfast/deadline-ms',
  attempt: 'dev.holdfast/attempt',
  failure: 'dev.holdfast/failure',
  warnings: 'dev.holdfast/warnings',
  folded: 'dev.holdfast/folded',
  trimmed: 'dev.holdfast/trimmed',
  effect: 'dev.holdfast/effect',
  spentMs: 'dev.holdfast/spent-ms',
} as const;
