import type { Meter } from '../value.js';

/**
 * A Lua pattern, read once into a flat list of steps. The grammar is gopher-lua's, which differs from the Lua manual:
 * `%f` is the letter f, a trailing `%` matches nothing, a quantifier after a capture is a plain character.
 */

/** A set of bytes: one byte, any byte (-2), no byte (-1), or a table of 256 flags. */
export type ByteClass = number | Uint8Array;
export const ANY_BYTE = -2;

export type PatternStep =
  | { readonly op: 'one'; readonly bytes: ByteClass }
  | { readonly op: '*' | '+' | '-' | '?'; readonly bytes: ByteClass }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'place'; readonly slot: number }
  | { readonly op: 'balance'; readonly open: number; readonly close: number }
  | { readonly op: 'back'; readonly capture: number }
  | { readonly op: 'tail' }
  | { readonly op: 'match' };

export interface PatternProgram {
  readonly steps: readonly PatternStep[];
  readonly isAnchored: boolean;
  /** Two per capture, the whole match included. */
  readonly slots: number;
}

/** A wrong pattern, or one that asks too much of this text. `isBare` errors carry no position in the script. */
export class PatternError extends Error {
  constructor(
    message: string,
    readonly isBare = false,
  ) {
    super(message);
  }
}

const END = -1;
const CODE = {
  percent: 0x25,
  open: 0x28,
  close: 0x29,
  star: 0x2a,
  plus: 0x2b,
  minus: 0x2d,
  dot: 0x2e,
  question: 0x3f,
  dollar: 0x24,
  leftBracket: 0x5b,
  rightBracket: 0x5d,
  caret: 0x5e,
} as const;

const kept = new Map<string, PatternProgram>();
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 128;
/** A set of three characters takes 256 bytes. */
const BYTES_PER_CHARACTER = 96;
const STEPS_PER_CHARACTER = 20;

export function compilePattern(pattern: string, meter: Meter): PatternProgram {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  meter.chargeMemory(pattern.length * BYTES_PER_CHARACTER);
  meter.chargeSteps(pattern.length * STEPS_PER_CHARACTER);
  const program = new PatternReader(pattern).read();
  if (pattern.length <= MAX_CACHED_LENGTH) {
    if (kept.size >= MAX_CACHED) kept.clear();
    kept.set(pattern, program);
  }
  return program;
}

class PatternReader {
  private at = 0;
  /** Something was asked for after the last byte. */
  private isPastEnd = false;
  private slots = 2;
  private readonly steps: PatternStep[] = [{ op: 'save', slot: 0 }];
  /** Slots of captures that are not closed yet. */
  private readonly open: number[] = [];

  constructor(private readonly text: string) {}

  read(): PatternProgram {
    const isAnchored = this.peek() === CODE.caret;
    if (isAnchored) this.at++;
    let isTailed = false;
    for (let code = this.peek(); code !== END; code = this.peek()) {
      if (code === CODE.dollar && this.at === this.text.length - 1 && this.open.length === 0) {
        isTailed = true;
        this.at++;
      } else this.readItem(code);
    }
    if (this.open.length > 0) throw new PatternError('unfinished capture at EOS');
    if (isTailed) this.steps.push({ op: 'save', slot: 1 }, { op: 'tail' });
    else this.steps.push({ op: 'save', slot: 1 }, { op: 'match' });
    return { steps: this.steps, isAnchored, slots: this.slots };
  }

  private readItem(code: number): void {
    switch (code) {
      case CODE.percent:
        return this.readEscape();
      case CODE.open:
        return this.readOpen();
      case CODE.close:
        return this.readClose();
      case CODE.star:
      case CODE.plus:
      case CODE.minus:
      case CODE.question:
        return this.readQuantifier(code);
      default:
        this.steps.push({ op: 'one', bytes: this.readClass() });
    }
  }

  private readEscape(): void {
    const next = this.text.charCodeAt(this.at + 1);
    if (next === 0x30) throw new PatternError(`invalid capture index at ${this.at}`);
    if (next > 0x30 && next <= 0x39) {
      this.at += 2;
      this.steps.push({ op: 'back', capture: next - 0x30 });
    } else if (next === 0x62) {
      this.at += 2;
      const open = this.next();
      this.steps.push({ op: 'balance', open, close: this.next() });
    } else this.steps.push({ op: 'one', bytes: this.readClass() });
  }

  private readOpen(): void {
    this.at++;
    const slot = this.slots;
    this.slots += 2;
    if (this.peek() === CODE.close) {
      this.at++;
      this.steps.push({ op: 'place', slot });
    } else {
      this.open.push(slot);
      this.steps.push({ op: 'save', slot });
    }
  }

  private readClose(): void {
    const slot = this.open.pop();
    if (slot === undefined) throw new PatternError(`invalid ')' at ${Math.max(this.at - 1, 0)}`);
    this.at++;
    this.steps.push({ op: 'save', slot: slot + 1 });
  }

  private readQuantifier(code: number): void {
    this.at++;
    const last = this.steps.at(-1);
    if (last?.op === 'one')
      this.steps[this.steps.length - 1] = { op: String.fromCharCode(code) as '*' | '+' | '-' | '?', bytes: last.bytes };
    else this.steps.push({ op: 'one', bytes: code });
  }

  private readClass(): ByteClass {
    const code = this.next();
    if (code === CODE.percent) return namedClass(this.next());
    if (code === CODE.dot) return ANY_BYTE;
    return code === CODE.leftBracket ? this.readSet() : code;
  }

  private readSet(): Uint8Array {
    const isNot = this.peek() === CODE.caret;
    if (isNot) this.at++;
    const parts: SetPart[] = [];
    let isRange = false;
    for (;;) {
      const code = this.peek();
      if (code === END) throw new PatternError(`unexpected EOS at ${this.isPastEnd ? 'EOS' : this.text.length - 1}`);
      if (code === CODE.rightBracket && parts.length > 0) break;
      if (code === CODE.minus && parts.length > 0) {
        this.at++;
        isRange = true;
        continue;
      }
      const part: SetPart = this.readSetPart();
      const begin = isRange ? parts.pop() : undefined;
      parts.push(begin === undefined ? part : { from: begin, to: part });
      isRange = false;
    }
    this.at++;
    if (isRange) parts.push(CODE.minus);
    return setTable(parts, isNot);
  }

  /** A plain byte stays a number, because only plain bytes can be the ends of a range. */
  private readSetPart(): SetPart {
    const code = this.next();
    return code === CODE.percent ? { bytes: namedClass(this.next()) } : code;
  }

  private peek(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : END;
  }

  private next(): number {
    const code = this.peek();
    if (code === END) this.isPastEnd = true;
    else this.at++;
    return code;
  }
}

type SetPart = number | { readonly bytes: ByteClass } | { readonly from: SetPart; readonly to: SetPart };

function setTable(parts: readonly SetPart[], isNot: boolean): Uint8Array {
  const table = new Uint8Array(256);
  for (const part of parts) {
    if (typeof part === 'number') table[part] = 1;
    else if ('bytes' in part) addClass(table, part.bytes);
    // A range between anything but two plain bytes matches nothing.
    else if (typeof part.from === 'number' && typeof part.to === 'number') table.fill(1, part.from, part.to + 1);
  }
  return isNot ? table.map((flag) => 1 - flag) : table;
}

function addClass(table: Uint8Array, bytes: ByteClass): void {
  if (typeof bytes !== 'number') bytes.forEach((flag, code) => (table[code] = (table[code] ?? 0) | flag));
  else if (bytes >= 0) table[bytes] = 1;
}

type Test = (code: number) => boolean;
const isUpper: Test = (code) => code >= 0x41 && code <= 0x5a;
const isLower: Test = (code) => code >= 0x61 && code <= 0x7a;
const isDigit: Test = (code) => code >= 0x30 && code <= 0x39;
const isLetter: Test = (code) => isUpper(code) || isLower(code);
const NAMED: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['a', isLetter],
  ['c', (code) => code < 0x20 || code === 0x7f],
  ['d', isDigit],
  ['l', isLower],
  ['p', (code) => code > 0x20 && code < 0x7f && !isLetter(code) && !isDigit(code)],
  ['s', (code) => code === 0x20 || (code >= 0x09 && code <= 0x0d)],
  ['u', isUpper],
  ['w', (code) => isLetter(code) || isDigit(code)],
  ['x', (code) => isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)],
  ['z', (code) => code === 0],
]);
const namedTables = new Map<number, Uint8Array>();

/** The class behind `%` and a letter; any other byte stands for itself. */
function namedClass(code: number): ByteClass {
  const known = namedTables.get(code);
  if (known !== undefined) return known;
  const letter = String.fromCharCode(code);
  const test = code < 0 ? undefined : NAMED.get(letter.toLowerCase());
  if (test === undefined) return code;
  const isNot = isUpper(code);
  const table = Uint8Array.from({ length: 256 }, (_, each) => (test(each) === isNot ? 0 : 1));
  namedTables.set(code, table);
  return table;
}
