const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Raised with the offset that Go's decoder names. */
export class Base64Error extends Error {
  constructor(at: number) {
    super(`illegal base64 data at input byte ${at}`);
  }
}

/** Standard base64 with padding; line breaks are dropped, as Go does. */
export function normalBase64(text: string): string {
  const canonical = Buffer.from(text, 'base64').toString('base64');
  if (canonical !== text) check(Buffer.from(text));
  return canonical;
}

/** Walks the text in groups of four, as Go's decoder does, and throws at the first byte that does not fit. */
function check(bytes: Buffer): void {
  let at = 0;
  while (true) {
    let inGroup = 0;
    while (inGroup < 4) {
      if (at === bytes.length) {
        if (inGroup === 0) return;
        throw new Base64Error(at - inGroup);
      }
      const char = String.fromCharCode(bytes[at++] ?? 0);
      if (ALPHABET.includes(char)) inGroup++;
      else if (char === '=') return checkPadding(bytes, at, inGroup);
      else if (char !== '\n' && char !== '\r') throw new Base64Error(at - 1);
    }
  }
}

function checkPadding(bytes: Buffer, start: number, inGroup: number): void {
  if (inGroup < 2) throw new Base64Error(start - 1);
  let at = afterBreaks(bytes, start);
  if (inGroup === 2) {
    if (at === bytes.length) throw new Base64Error(bytes.length);
    if (bytes[at] !== 0x3d) throw new Base64Error(at - 1);
    at++;
  }
  at = afterBreaks(bytes, at);
  if (at < bytes.length) throw new Base64Error(at);
}

function afterBreaks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return at;
}
