const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Untrusted text on one line: no terminal escapes, no characters that reverse or hide their neighbours. */
export function plainText(text: string, most = 300): string {
  // An escape sequence is removed as a whole.
  const clean = text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
    .replace(CONTROL, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return clean.length > most ? `${clean.slice(0, most - 3)}...` : clean;
}

/** What the scheduler adds about evictions that it did not try. */
const PREEMPTION = ' preemption: ';

/**
 * A message in short: where it began and how it ends, because the reason of an error stands behind all who passed it
 * on.
 */
export function shortened(text: string, most: number): string {
  const [whole = ''] = plainText(text, Infinity).split(PREEMPTION);
  if (whole.length <= most) return whole;
  const head = Math.floor(most * 0.3);
  return `${whole.slice(0, head).trimEnd()} ... ${whole.slice(head + 5 - most).trimStart()}`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
]);

/** The same for Markdown: nothing of it is markup, and a table keeps its columns. */
export function markdownText(text: string, most = 300): string {
  return plainText(text, most)
    .replace(/[\\`*_[\]<>|~#&!]/g, (character) => ENTITIES.get(character) ?? `\\${character}`)
    .replace(/^([-+]|\d+[.)])(?=\s)/, '\\$1');
}

/** Text as code in Markdown, whatever it holds. */
export function markdownCode(text: string, most = 300): string {
  const clean = plainText(text, most).replaceAll('|', '\\|');
  if (clean === '') return '';
  const runs = clean.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1);
  return runs.length > 0 ? `${fence} ${clean} ${fence}` : `${fence}${clean}${fence}`;
}
