/** Nobody reads on after that, and what looks for patterns in a text takes time by its length. */
const MOST = 10_000;

/**
 * What somebody else wrote, as it may be kept and shown: of a bearable length, without the credentials that
 * stand in addresses.
 */
export function foreignText(text: string): string {
  const cut = text.length <= MOST ? text : `${text.slice(0, MOST)}…`;
  return cut
    .replace(/(\w{1,20}:\/\/)[^\s/@]{1,500}@/g, '$1')
    .replace(
      /([?&#][\w.-]{0,50}(?:key|token|secret|sig|signature|password|auth)=)[^\s&#]+/gi,
      '$1…',
    );
}
