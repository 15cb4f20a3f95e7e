/** PEM: DER in base64 between lines that name its kind. */

const LINE = 64;

export function writePem(label: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(new RegExp(`.{1,${LINE}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`;
}

const END = '-----END ';

/** Whether the rest of the line is blank. */
function isBlankFrom(text: string, start: number): boolean {
  const line = /[ \t\r]*$/my;
  line.lastIndex = start;
  return line.test(text);
}

/** The first block of a text, undefined if it has none. As in Go, a block ends at the next end line of any kind. */
export function readPem(text: string): { readonly label: string; readonly bytes: Buffer } | undefined {
  let end = 0;
  for (const { 0: line, 1: label = '', index } of text.matchAll(/^-----BEGIN (.*)-----[ \t\r]*\n/gm)) {
    const start = index + line.length;
    if (end < start) end = text.indexOf(END, start);
    if (end < 0) return undefined;
    const after = `${label}-----`;
    if (!text.startsWith(after, end + END.length) || !isBlankFrom(text, end + END.length + after.length)) continue;
    const body = text
      .slice(start, end)
      .replace(/^(?:[^\n:]+:[^\n]*\n)+/, '')
      .replace(/[ \t\r\n]/g, '');
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(body) && body.length % 4 === 0)
      return { label, bytes: Buffer.from(body, 'base64') };
  }
  return undefined;
}
