/** What Go calls a space. */
const SPACE = '\\t\\n\\v\\f\\r \\x85\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const FROM_START = new RegExp(`^[${SPACE}]+`);
const ONE = new RegExp(`[${SPACE}]`);
const SPACES: ReadonlySet<string> = new Set('\t\n\f\r ');

export function trimStart(text: string): string {
  return text.replace(FROM_START, '');
}

export function trim(text: string): string {
  const start = trimStart(text);
  let end = start.length;
  while (end > 0 && ONE.test(start.charAt(end - 1))) end--;
  return start.slice(0, end);
}

export function isBlank(text: string): boolean {
  return trimStart(text) === '';
}

/** Cuts a file into documents where Helm sees `---`, with the spaces around it; those without content are left out. */
export function splitDocuments(file: string): string[] {
  const text = trimStart(file);
  const documents: string[] = [];
  let from = text.startsWith('---') ? afterSpaces(text, 3) : 0;
  for (;;) {
    const at = text.indexOf('\n---', from);
    if (at < 0) break;
    let end = at;
    while (end > from && SPACES.has(text.charAt(end - 1))) end--;
    documents.push(text.slice(from, end));
    from = afterSpaces(text, at + 4);
  }
  documents.push(text.slice(from));
  return documents.map(trimStart).filter((document) => document !== '');
}

function afterSpaces(text: string, at: number): number {
  let end = at;
  while (SPACES.has(text.charAt(end)) && end < text.length) end++;
  return end;
}
