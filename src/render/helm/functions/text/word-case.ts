import { runesText } from './broken-text.js';
import { isSpace, isUpper, toLower, toUpper } from './runes.js';

/** snakecase, kebabcase and camelcase cut names into words as the xstrings library does, its odd corners included. */
type WordKind = 'none' | 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly chars: readonly string[];
}

const END: Word = { kind: 'none', chars: [] };
const LETTER = /^\p{L}$/u;
const NUMBER = /^\p{N}$/u;
const PUNCTUATION = /^\p{P}$/u;

function isConnector(char: string): boolean {
  return char === '-' || char === '_' || isSpace(char);
}

/** Letters of alphabets; Chinese characters are none. */
function isAlphabetic(char: string): boolean {
  if (!LETTER.test(char)) return false;
  const code = char.codePointAt(0) ?? 0;
  return !(
    (code >= 0x4e00 && code <= 0x9fcc) ||
    (code >= 0x3400 && code <= 0x4d85) ||
    (code >= 0x20000 && code <= 0x2b81d)
  );
}

function isNumber(char: string): boolean {
  return NUMBER.test(char);
}

function isPunctuation(char: string): boolean {
  return PUNCTUATION.test(char);
}

class WordReader {
  readonly #chars: readonly string[];
  #at = 0;
  /** The last character seen; wrong bytes count as one more of it. */
  #char = '';

  constructor(text: string) {
    this.#chars = Array.from(text);
  }

  words(): Word[] {
    const words: Word[] = [];
    while (this.#at < this.#chars.length) {
      const start = this.#at;
      const kind = this.#word();
      words.push({ kind, chars: this.#chars.slice(start, this.#at) });
    }
    return words;
  }

  /** Where the next valid character ends; that character is then the current one. */
  #peek(): number {
    for (let at = this.#at; at < this.#chars.length; at++) {
      const char = this.#chars[at] ?? '';
      if (runesText(char) !== '\ufffd') {
        this.#char = char;
        return at + 1;
      }
    }
    return this.#chars.length;
  }

  #while(test: (char: string) => boolean): void {
    while (this.#at < this.#chars.length) {
      const end = this.#peek();
      if (!test(this.#char)) return;
      this.#at = end;
    }
  }

  #word(): WordKind {
    this.#char = '\ufffd';
    this.#at = this.#peek();
    const first = this.#char;
    if (first === '\ufffd') return 'none';
    if (isConnector(first)) return this.#rest('connector', isConnector);
    if (isPunctuation(first)) return this.#rest('punctuation', isPunctuation);
    if (isUpper(first)) return this.#upper();
    if (isAlphabetic(first)) return this.#rest('letters', isLowerLetter);
    if (isNumber(first)) return this.#rest('number', isNumber);
    return this.#rest(
      'other',
      (char) => !isConnector(char) && !isAlphabetic(char) && !isNumber(char) && !isPunctuation(char),
    );
  }

  #rest(kind: WordKind, test: (char: string) => boolean): WordKind {
    this.#while(test);
    return kind;
  }

  /** `HTTP` of `HTTPServer`, or `Server`: the last capital before a small letter belongs to the next word. */
  #upper(): WordKind {
    if (this.#at >= this.#chars.length) return 'upper';
    const end = this.#peek();
    if (!isUpper(this.#char)) {
      if (!isAlphabetic(this.#char)) return 'upper';
      this.#at = end;
      return this.#rest('upper', isLowerLetter);
    }
    let last = this.#at;
    this.#at = end;
    while (this.#at < this.#chars.length) {
      const next = this.#peek();
      if (!isUpper(this.#char)) {
        if (isAlphabetic(this.#char)) this.#at = last;
        break;
      }
      last = this.#at;
      this.#at = next;
    }
    return 'upper';
  }
}

function isLowerLetter(char: string): boolean {
  return isAlphabetic(char) && !isUpper(char);
}

function lowered({ kind, chars }: Word, connector: string): string {
  if (kind !== 'upper' && kind !== 'connector') return chars.join('');
  return chars
    .map((char) => {
      if (isConnector(char)) return connector;
      return isUpper(char) ? toLower(char) : runesText(char);
    })
    .join('');
}

/** `HTTP20xOK` becomes `http_20x_ok`. */
export function joinWords(text: string, connector: string): string {
  const words = new WordReader(text).words();
  const word = (at: number): Word => words[at] ?? END;
  let out = '';
  let at = 0;
  const emit = (index: number): void => {
    out += lowered(word(index), connector);
  };
  const emitRun = (): void => {
    for (; word(at).kind === 'letters' || word(at).kind === 'number'; at++) emit(at);
  };
  const separate = (): void => {
    if (!['connector', 'punctuation'].includes(word(at).kind)) out += connector;
  };
  while (at + 1 < words.length) {
    const { kind } = word(at);
    emit(at++);
    if (kind === 'number') {
      emitRun();
      if (word(at).kind !== 'none') separate();
    } else if (kind === 'connector' || kind === 'punctuation') continue;
    else if (word(at).kind !== 'number') separate();
    else if (at + 1 < words.length) {
      const number = at++;
      // A number belongs to the word before it, unless small letters follow.
      const isJoined = word(at).kind !== 'letters';
      if (!isJoined) out += connector;
      emit(number);
      if (!isJoined) emitRun();
      if (isJoined || word(at).kind !== 'none') separate();
    }
  }
  emit(at);
  return out;
}

/** `some_words` becomes `SomeWords`; connectors at the start and doubled ones stay. */
export function pascalCase(text: string): string {
  const chars = Array.from(runesText(text));
  let out = '';
  let at = 0;
  while (at < chars.length && isConnector(chars[at] ?? '')) out += chars[at++] ?? '';
  if (at >= chars.length) return at === 0 ? '' : out + (chars.at(-1) ?? '');
  const first = chars[at++] ?? '';
  let startedUpper = isUpper(first);
  let current = toUpper(first);
  for (; at < chars.length; at++) {
    const before = current;
    current = chars[at] ?? '';
    if (isConnector(before)) {
      if (isConnector(current)) {
        out += before;
        continue;
      }
      startedUpper = isUpper(current);
      current = toUpper(current);
      continue;
    }
    if (startedUpper) {
      if (isUpper(current)) current = toLower(current);
      else startedUpper = false;
    }
    out += before;
  }
  return out + current;
}
