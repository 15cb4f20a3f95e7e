import { TemplateError } from './template-error.js';

export interface Limits {
  /** Nodes executed, iterations of loops, and what functions charge for large arguments. */
  readonly steps: number;
  /** Characters written, those of included templates counted each time. */
  readonly output: number;
  /** Templates inside one another. */
  readonly depth: number;
}

export const DEFAULT_LIMITS: Limits = { steps: 50_000_000, output: 256 * 1024 * 1024, depth: 100_000 };

/** What a render may still spend. One budget can serve all templates of a chart. */
export class Budget {
  private steps: number;
  private output: number;
  private readonly depth: number;
  private level = 0;

  constructor(limits: Partial<Limits> = {}) {
    const { steps, output, depth } = { ...DEFAULT_LIMITS, ...limits };
    this.steps = steps;
    this.output = output;
    this.depth = depth;
  }

  step(): void {
    if (--this.steps < 0) exhausted('runs too long: it may loop without end');
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
 * The engine follows the nesting of a template with its own stack. Where that ends, a RangeError is thrown, or a
 * SyntaxError by a regular expression that found no room to be compiled.
 */
export function isStackOverflow(error: unknown): boolean {
  return (error instanceof RangeError || error instanceof SyntaxError) && error.message.includes('call stack');
}
