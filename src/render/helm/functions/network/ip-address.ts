import { quoteText } from '../../template/value/go-text.js';

/** An address of 4 or 16 bytes, or why the text is none, in the words of Go's net/netip. */
export type IpAddress = { readonly bytes: readonly number[] } | { readonly problem: string };

export function parseIp(text: string): IpAddress {
  const [mark] = /[.:%]/.exec(text) ?? [];
  if (mark === '.') return parseIpv4(text, text);
  if (mark === ':') return new Ipv6Reader(text).read();
  return fault(text, mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function fault(text: string, message: string, at = ''): { readonly problem: string } {
  return { problem: `ParseAddr(${quoteText(text)}): ${message}${at === '' ? '' : ` (at ${quoteText(at)})`}` };
}

/** `text` is the part to read, `whole` what the complaint cites. */
function parseIpv4(text: string, whole: string): IpAddress {
  const bytes: number[] = [];
  let digits = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (/[0-9]/.test(char)) {
      if (digits === '0') return fault(whole, 'IPv4 field has octet with leading zero');
      digits += char;
      if (Number(digits) > 255) return fault(whole, 'IPv4 field has value >255');
    } else if (char !== '.') return fault(whole, 'unexpected character', text.slice(at));
    else {
      if (digits === '' || at === text.length - 1)
        return fault(whole, 'IPv4 field must have at least one digit', text.slice(at));
      if (bytes.length === 3) return fault(whole, 'IPv4 address too long');
      bytes.push(Number(digits));
      digits = '';
    }
  }
  return bytes.length < 3 ? fault(whole, 'IPv4 address too short') : { bytes: [...bytes, Number(digits)] };
}

class Ipv6Reader {
  #rest: string;
  readonly #zone: string | undefined;
  readonly #bytes: number[] = [];
  /** Where `::` stands, in bytes. */
  #gap = -1;

  constructor(readonly text: string) {
    const percent = text.indexOf('%');
    this.#rest = percent < 0 ? text : text.slice(0, percent);
    this.#zone = percent < 0 ? undefined : text.slice(percent + 1);
  }

  read(): IpAddress {
    if (this.#zone === '') return fault(this.text, 'zone must be a non-empty string');
    if (this.#rest.startsWith('::')) {
      this.#gap = 0;
      this.#rest = this.#rest.slice(2);
      if (this.#rest === '') return { bytes: new Array<number>(16).fill(0) };
    }
    while (this.#bytes.length < 16) {
      const end = this.#group();
      if (typeof end === 'object') return end;
      if (end) break;
    }
    return this.#finished();
  }

  /** Reads one group; true at the end of the address. */
  #group(): boolean | IpAddress {
    const rest = this.#rest;
    const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) return fault(this.text, 'each group must have 4 or less digits', rest);
    if (digits === '') return fault(this.text, 'each colon-separated field must have at least one digit', rest);
    if (rest.charAt(digits.length) === '.') return this.#ipv4(rest);
    const value = parseInt(digits, 16);
    this.#bytes.push(value >> 8, value & 0xff);
    const after = rest.slice(digits.length);
    this.#rest = after;
    if (after === '') return true;
    if (!after.startsWith(':')) return fault(this.text, 'unexpected character, want colon', after);
    if (after.length === 1) return fault(this.text, 'colon must be followed by more characters', after);
    this.#rest = after.slice(1);
    if (!this.#rest.startsWith(':')) return false;
    if (this.#gap >= 0) return fault(this.text, 'multiple :: in address', this.#rest);
    this.#gap = this.#bytes.length;
    this.#rest = this.#rest.slice(1);
    return this.#rest === '';
  }

  #ipv4(rest: string): boolean | IpAddress {
    const at = this.#bytes.length;
    if (this.#gap < 0 && at !== 12)
      return fault(this.text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
    if (at + 4 > 16)
      return fault(this.text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
    const found = parseIpv4(rest, this.text);
    if ('problem' in found) return found;
    this.#bytes.push(...found.bytes);
    this.#rest = '';
    return true;
  }

  #finished(): IpAddress {
    if (this.#rest !== '') return fault(this.text, 'trailing garbage after address', this.#rest);
    const missing = 16 - this.#bytes.length;
    if (missing === 0)
      return this.#gap < 0
        ? { bytes: this.#bytes }
        : fault(this.text, 'the :: must expand to at least one field of zeros');
    if (this.#gap < 0) return fault(this.text, 'address string too short');
    return {
      bytes: [
        ...this.#bytes.slice(0, this.#gap),
        ...new Array<number>(missing).fill(0),
        ...this.#bytes.slice(this.#gap),
      ],
    };
  }
}
