/** What stands in the place of what must not be kept or shown. */
export const REDACTED = '[redacted]';

/** Nobody reads on after that, and what looks for patterns in a text takes time by its length. */
const MOST = 100_000;

/** Secrets that say of themselves that they are: the forms that their makers publish so that they can be found. */
const WELL_KNOWN: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,1000}/g,
  /\b(?:sk|rk|pk)(?:-[a-z]{2,10}\d{0,2}){0,3}-[\w-]{20,}/g,
  /\b[sr]k_(?:live|test)_\w{16,}/g,
  /\b(?:gh[opsur]_\w{36,}|github_pat_\w{36,}|glpat-[\w-]{20,}|npm_\w{36,})/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
];

/** What is named as one: a header, a parameter, a member of JSON. What is named stays, its value goes. */
const NAMED: readonly RegExp[] = [
  /(\b(?:Bearer|Basic)\s+)[\w.~+/=-]{8,}/gi,
  /((?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\s"'\\&,;}]{4,}/gi,
  /(\w{1,20}:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,500}(?=@)/g,
];

/** What a field is called that holds one. */
const SECRET_NAME =
  /^(?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key|authorization)$/i;

/**
 * A text without the secrets in it that can be told by their form or by their name. Others stay: where a
 * secret may stand anywhere, its field has to be declared (`result: { redact: […] }`).
 *
 * @example redactSecrets('Authorization: Bearer abcdefgh12345') // 'Authorization: Bearer [redacted]'
 */
export function redactSecrets(text: string): string {
  const cut = text.length <= MOST ? text : `${text.slice(0, MOST)}…`;
  const withoutKnown = WELL_KNOWN.reduce((so, pattern) => so.replace(pattern, REDACTED), cut);
  return NAMED.reduce((so, pattern) => so.replace(pattern, `$1${REDACTED}`), withoutKnown);
}

/** A value without them, in its texts and in fields whose name says that they hold one. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET_NAME.test(name) ? REDACTED : withoutSecrets(inner),
    ]),
  );
}
