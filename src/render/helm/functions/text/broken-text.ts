/** Texts with bytes that are no UTF-8; each such byte is a lone surrogate U+DC80..U+DCFF. */
const LOW = /[\udc80-\udcff]/;
const LONE = /(?<![\ud800-\udbff])[\udc80-\udcff]/;
const LONE_ALL = /(?<![\ud800-\udbff])[\udc80-\udcff]/g;

export function isBroken(text: string): boolean {
  return LOW.test(text) && LONE.test(text);
}

/** As Go sees the text rune by rune: every wrong byte is U+FFFD. */
export function runesText(text: string): string {
  return isBroken(text) ? text.replace(LONE_ALL, '\ufffd') : text;
}

/** Where the first wrong byte stands; -1 where there is none. */
export function brokenAt(text: string): number {
  return text.search(LONE);
}
