import { TemplateError } from './template-error.js';

export interface Limits {
  /** Nodes executed, iterations of loops, and what functions charge for large arguments. */
  readonly steps: number;
  /** Characters written, those of included templates counted each time. */
  readonly output: number;
  /** Templates inside one another. */
  readonly depth: number;
}

/** The largest charts that were measured take 1 step and 7 characters of every 100. */
export const DEFAULT_LIMITS: Limits = { steps: 10_000_000, output: 64 * 1024 * 1024, depth: 100_000 };

/** What a render may still spend. One budget can serve all templates of a chart. */
export class Budget {
  private steps: number;
  private output: number;
  private readonly depth: number;
  private level = 0;
  private nesting = 0;
  private readonly deepest = roomForNesting();

  constructor(limits: Partial<Limits> = {}) {
    const { steps, output, depth } = { ...DEFAULT_LIMITS, ...limits };
    this.steps = steps;
    this.output = output;
    this.depth = depth;
  }

  step(): void {
    if (--this.steps < 0) exhausted('runs too long: it may loop without end');
  }

  /** A step into a block or a pipeline inside another one; `up` leaves it. */
  down(): void {
    if (--this.steps < 0) exhausted('runs too long: it may loop without end');
    if (++this.nesting > this.deepest) throw new StackEnd();
  }

  up(): void {
    this.nesting--;
  }

  charge(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) exhausted('runs too long: it may loop without end');
  }

  write(length: number): void {
    this.output -= length;
    if (this.output < 0) exhausted('writes too much');
  }

  /** False if there would be too many templates inside one another. */
  enter(): boolean {
    return ++this.level <= this.depth;
  }

  leave(): void {
    this.level--;
  }
}

function exhausted(what: string): never {
  throw new TemplateError('budget', `the template ${what}`);
}

/**
 * Thrown long before the stack ends. At its very end not even that is safe: where a regular expression has to be
 * compiled there, Node ends the whole process.
 */
class StackEnd extends RangeError {
  constructor() {
    super('Maximum call stack size exceeded');
    this.name = 'StackEnd';
  }
}

/**
 * How many calls of the smallest function one block or pipeline inside another may cost: 12 were measured, so half of
 * the stack stays free.
 */
const CALLS_A_LEVEL = 24;
let room: number | undefined;

/** Measured once: threads and processes have stacks of different sizes. */
function roomForNesting(): number {
  room ??= Math.max(Math.floor(countCalls() / CALLS_A_LEVEL), 100);
  return room;
}

function countCalls(): number {
  let calls = 0;
  const call = (): void => {
    calls++;
    call();
  };
  try {
    call();
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
  }
  return calls;
}

/**
 * The engine follows the nesting of a template with its own stack. Where that ends, a RangeError is thrown, or a
 * SyntaxError by a regular expression that found no room to be compiled.
 */
export function isStackOverflow(error: unknown): boolean {
  return (error instanceof RangeError || error instanceof SyntaxError) && error.message.includes('call stack');
}
