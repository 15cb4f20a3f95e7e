/** Browsers pass over these in the middle of an address, so `java\nscript:` is a script. */
const INVISIBLE = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff\\]/;

/**
 * Whether a browser may follow it without harm: an address of the web, or a path of the page's own server. The one
 * place that decides.
 */
export function isHarmlessLink(link: string): boolean {
  if (INVISIBLE.test(link)) return false;
  if (/^\/(?!\/)/.test(link)) return true;
  return /^https?:\/\/[^/]/i.test(link) && URL.canParse(link);
}

/**
 * The address in `title|address`, as Argo CD's page reads a link: with more than one stroke the whole is the address.
 * Undefined where it may not be followed.
 */
export function addressOfLink(link: string): string | undefined {
  const parts = link.split('|');
  const address = parts.length === 2 ? (parts[1] ?? '') : link;
  return /^https?:/i.test(address) && isHarmlessLink(address) ? address : undefined;
}
