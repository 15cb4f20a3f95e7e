import type { Meter } from '../value.js';
import {
  ANY_BYTE,
  compilePattern,
  PatternError,
  type ByteClass,
  type PatternProgram,
  type PatternStep,
} from './pattern-program.js';

/** Where a pattern matched: begin and end of the whole match, then of each capture. */
export class PatternMatch {
  /** Each place twice, plus one if it belongs to a position capture. */
  constructor(private readonly marks: readonly number[]) {}

  /** Captures that the pattern has, the whole match not counted. */
  get captures(): number {
    return this.marks.length / 2 - 1;
  }

  get begin(): number {
    return (this.marks[0] ?? 0) >> 1;
  }

  get end(): number {
    return (this.marks[1] ?? 0) >> 1;
  }

  /** Capture 0 is the whole match; a position capture is a number, counted from 1. */
  capture(index: number, text: string): string | number {
    const begin = this.marks[2 * index] ?? 0;
    return (begin & 1) === 1 ? begin >> 1 : text.slice(begin >> 1, (this.marks[2 * index + 1] ?? 0) >> 1);
  }
}

/**
 * All matches from `offset` on, up to `limit` (negative: all). As in gopher-lua a limit of 0 stops only at the first
 * place that does not match. Throws PatternError; the meter may end the script at any point.
 */
export function findMatches(
  pattern: string,
  text: string,
  offset: number,
  limit: number,
  meter: Meter,
): PatternMatch[] {
  const program = compilePattern(pattern, meter);
  const matcher = new Matcher(program, text, meter);
  const matches: PatternMatch[] = [];
  const literal = limit === 0 || program.isAnchored ? undefined : firstLiteral(program);
  for (let at = offset; at <= text.length; ) {
    if (literal !== undefined) {
      const next = text.indexOf(literal, at);
      matcher.spend((next < 0 ? text.length - at : next - at) >> 4);
      if (next < 0) break;
      at = next;
    }
    const end = matcher.matchAt(at);
    at++;
    if (end >= 0) {
      if (at < end) at = end;
      meter.chargeMemory(64 + 8 * program.slots);
      matches.push(new PatternMatch(matcher.marks.slice()));
    }
    if (matches.length === limit || program.isAnchored) break;
  }
  matcher.settle();
  return matches;
}

/** As deep as gopher-lua follows one attempt. */
const MAX_LEVEL = 1_000_000;
/** A step of matching takes about as long as this many steps of a script. */
const COST = 2;
const STEPS_PER_CHARGE = 1024;

/** The byte every match must begin with, if it is one. */
function firstLiteral(program: PatternProgram): string | undefined {
  const first = program.steps[1];
  return first !== undefined &&
    (first.op === 'one' || first.op === '+') &&
    typeof first.bytes === 'number' &&
    first.bytes >= 0
    ? String.fromCharCode(first.bytes)
    : undefined;
}

/** Ways back, five numbers each: what to do, step (or slot), place, lowest place (or old mark), and the level below. */
const UNDO_SAVE = 0;
const SHORTEN = 1;
const LENGTHEN = 2;
const SKIP = 3;
const FRAME = 5;

class Matcher {
  /** Marks of the attempt that runs; see PatternMatch. */
  marks: number[] = [];
  private readonly frames: number[] = [];
  private top = 0;
  private spent = 0;
  private step = 0;
  private at = 0;
  private level = 1;

  constructor(
    private readonly program: PatternProgram,
    private readonly text: string,
    private readonly meter: Meter,
  ) {}

  spend(steps: number): void {
    this.spent += steps;
    if (this.spent >= STEPS_PER_CHARGE) this.settle();
  }

  settle(): void {
    this.meter.chargeSteps(this.spent * COST);
    this.spent = 0;
  }

  /** The end of the match that begins at `start`, or -1. */
  matchAt(start: number): number {
    this.marks = [];
    this.top = 0;
    this.step = 0;
    this.at = start;
    this.level = 1;
    for (;;) {
      this.spend(1);
      const step = this.program.steps[this.step];
      if (step === undefined || step.op === 'match') return this.at;
      if (step.op === 'tail' && this.at >= this.text.length) return this.at;
      if (!this.follow(step) && !this.goBack()) return -1;
    }
  }

  /** One step forward; false if the text does not fit. */
  private follow(step: PatternStep): boolean {
    switch (step.op) {
      case 'one':
        if (!this.fits(step.bytes, this.at)) return false;
        this.at++;
        break;
      case '*':
      case '+':
        if (!this.takeMany(step.bytes, step.op === '+' ? 1 : 0)) return false;
        break;
      case '-':
        this.push(LENGTHEN, this.step, this.at, 0);
        break;
      case '?':
        this.checkLevel(this.level + 1);
        if (this.fits(step.bytes, this.at)) {
          this.push(SKIP, this.step, this.at, 0);
          this.at++;
        }
        break;
      case 'save':
        while (this.marks.length <= step.slot) this.marks.push(0);
        this.push(UNDO_SAVE, step.slot, 0, this.marks[step.slot] ?? 0);
        this.marks[step.slot] = this.at * 2;
        break;
      case 'place':
        while (this.marks.length <= step.slot + 1) this.marks.push(0);
        this.marks[step.slot] = this.marks[step.slot + 1] = (this.at + 1) * 2 + 1;
        break;
      case 'balance':
        return this.takeBalanced(step.open, step.close);
      case 'back':
        return this.takeSame(step.capture);
      default:
        return false;
    }
    this.step++;
    return true;
  }

  private fits(bytes: ByteClass, at: number): boolean {
    if (at >= this.text.length) return false;
    const code = this.text.charCodeAt(at);
    return typeof bytes === 'number' ? bytes === code || bytes === ANY_BYTE : bytes[code] === 1;
  }

  /** As many as fit, at least `least`; going back gives them up one by one. */
  private takeMany(bytes: ByteClass, least: number): boolean {
    let end = this.at;
    if (bytes === ANY_BYTE) end = this.text.length;
    else while (this.fits(bytes, end)) end++;
    this.spend((end - this.at) >> (bytes === ANY_BYTE ? 6 : 1));
    const lowest = this.at + least;
    if (end < lowest) return false;
    this.checkLevel(this.level + end - lowest + 1);
    if (end > lowest) {
      this.push(SHORTEN, this.step, end, lowest);
      this.level += end - lowest - 1;
    }
    this.at = end;
    return true;
  }

  private takeBalanced(open: number, close: number): boolean {
    const { text } = this;
    const start = this.at;
    if (start >= text.length || text.charCodeAt(start) !== open) return false;
    let depth = 1;
    for (let at = start + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === close && --depth === 0) {
        this.spend((at - start) >> 2);
        this.at = at + 1;
        this.step++;
        return true;
      }
      if (code === open) depth++;
    }
    this.spend((text.length - start) >> 2);
    return false;
  }

  /** The same text as an earlier capture. */
  private takeSame(capture: number): boolean {
    const { text, marks } = this;
    const slot = capture * 2;
    if (slot >= marks.length - 1) throw new PatternError('invalid capture index');
    const begin = (marks[slot] ?? 0) >> 1;
    const end = (marks[slot + 1] ?? 0) >> 1;
    if (end > text.length)
      throw new PatternError(`runtime error: slice bounds out of range [:${end}] with capacity ${text.length}`, true);
    if (begin > end) throw new PatternError(`runtime error: slice bounds out of range [${begin}:${end}]`, true);
    this.spend((end - begin) >> 2);
    if (!text.startsWith(text.slice(begin, end), this.at)) return false;
    this.at += end - begin;
    this.step++;
    return true;
  }

  private push(kind: number, step: number, at: number, extra: number): void {
    const { frames, top } = this;
    frames[top] = kind;
    frames[top + 1] = step;
    frames[top + 2] = at;
    frames[top + 3] = extra;
    frames[top + 4] = this.level;
    this.top = top + FRAME;
    this.level++;
    this.checkLevel(this.level);
  }

  private checkLevel(level: number): void {
    if (level > MAX_LEVEL) throw new PatternError('pattern/input too complex');
  }

  /** Takes the last choice that has another way; false if there is none. */
  private goBack(): boolean {
    while (this.top > 0) {
      this.spend(1);
      this.top -= FRAME;
      const { frames, top } = this;
      const kind = frames[top];
      const step = frames[top + 1] ?? 0;
      const at = frames[top + 2] ?? 0;
      const extra = frames[top + 3] ?? 0;
      if (kind === UNDO_SAVE) {
        this.marks[step] = extra;
        continue;
      }
      this.level = frames[top + 4] ?? 0;
      this.step = step + 1;
      this.at = at;
      if (kind === SKIP) return true;
      if (kind === SHORTEN) {
        this.shorten(step, at - 1, extra);
        return true;
      }
      const lazy = this.program.steps[step];
      if (lazy?.op !== '-' || !this.fits(lazy.bytes, at)) continue;
      this.push(LENGTHEN, step, at + 1, 0);
      this.at = at + 1;
      return true;
    }
    return false;
  }

  private shorten(step: number, end: number, lowest: number): void {
    this.at = end;
    if (end === lowest) return;
    this.push(SHORTEN, step, end, lowest);
    this.level += end - lowest - 1;
  }
}
