import type { Dice } from '../../lua/generate/dice.js';
import type { Call, Want } from './calls.js';
import * as literal from './literals.js';
import { FORM_LITERALS } from './sprig-calls.js';
import type { Path } from './values.js';

/** A function that gives anything is only taken where anything will do. */
function fits(gives: Want, want: Want): boolean {
  return want === 'any' || gives === want || (want === 'number' && (gives === 'int' || gives === 'float'));
}

/** A number that the writer does not choose may be too large for it. */
function isHarmless({ args }: Call): boolean {
  return !args.includes('count') && !args.includes('step');
}

/** Writes expressions from what is in sight. */
export class ExpressionWriter {
  /** Variables in sight, with `$`. */
  variables: string[] = ['$'];
  /** In a `with` or `range`, where the paths from the root lead nowhere. */
  isDotElsewhere = false;

  private readonly hasSprig: boolean;

  /** `mild` avoids what mostly fails, so that long templates come to their end. */
  constructor(
    readonly dice: Dice,
    private readonly paths: readonly Path[],
    private readonly calls: readonly Call[],
    private readonly mild = false,
  ) {
    this.hasSprig = calls.some(({ name }) => name === 'dict');
  }

  /** A whole pipeline. */
  pipeline(want: Want, depth = 2): string {
    const { dice } = this;
    if (!dice.chance(0.35)) return this.command(want, depth);
    if (dice.chance(this.mild ? 0.01 : 0.1))
      return [this.command('any', depth), this.stage(dice.pick(this.calls.filter(isHarmless)), depth)].join(' | ');
    const chosen = this.callFor(want, (call) => call.args.length > 0 && isHarmless(call));
    return [this.pipeline(chosen.args.at(-1) ?? 'any', depth - 1), this.stage(chosen, depth)].join(' | ');
  }

  /** A call whose last argument comes from the stage before. */
  private stage(chosen: Call, depth: number): string {
    return this.written(
      { ...chosen, rest: this.dice.chance(0.8) ? undefined : chosen.rest },
      chosen.args.slice(0, -1),
      depth - 1,
      false,
    );
  }

  private callFor(want: Want, also: (call: Call) => boolean = () => true): Call {
    const fitting = this.calls.filter((call) => fits(call.gives, want) && also(call));
    return this.dice.pick(fitting.length === 0 ? this.calls.filter(also) : fitting);
  }

  command(want: Want, depth: number): string {
    const { dice } = this;
    if (depth <= 0 || dice.chance(0.45)) return this.operand(want, 0).replace(/^nil$/, '.');
    if (fits('text', want) && dice.chance(0.12)) return this.printf(depth - 1);
    const chosen = this.callFor(want);
    return this.written(chosen, chosen.args, depth - 1, true);
  }

  private written({ name, rest }: Call, args: readonly Want[], depth: number, mayBeWrong: boolean): string {
    const { dice } = this;
    const more = rest === undefined ? [] : dice.times(0, 2, () => rest);
    const wanted = [...args, ...more];
    if (mayBeWrong && dice.chance(this.mild ? 0.001 : 0.01)) wanted.pop();
    return [name, ...wanted.map((want) => this.operand(want, depth))].join(' ');
  }

  private printf(depth: number): string {
    const { text, count } = literal.format(this.dice);
    const args = this.dice.times(Math.max(count - 1, 0), count + (this.dice.chance(0.1) ? 2 : 0), () =>
      this.operand('any', depth),
    );
    return ['printf', text, ...args].join(' ');
  }

  /** One word, or something in parentheses. */
  operand(want: Want, depth: number): string {
    const { dice } = this;
    if (want !== 'count' && dice.chance(this.mild ? 0.003 : 0.015)) return this.oddOperand();
    // A large count would keep both engines busy for years, and a form needs its literal.
    if (want === 'count' || want in FORM_LITERALS) return this.constant(want);
    const makers: (() => string)[] = [];
    const fitting = this.paths.filter(({ kind }) => fits(kind, want));
    if (fitting.length === 0 || (want !== 'list' && want !== 'map')) makers.push(() => this.constant(want));
    if (depth > 0)
      makers.push(
        () => this.parenthesized(want, depth),
        () => this.parenthesized(want, depth),
      );
    if (fitting.length > 0)
      makers.push(
        () => this.rooted(dice.pick(fitting).text),
        () => this.rooted(dice.pick(fitting).text),
      );
    if (this.variables.length > 1 && (want === 'any' || dice.chance(this.mild ? 0.01 : 0.1)))
      makers.push(() => this.variable());
    return dice.one(makers);
  }

  private parenthesized(want: Want, depth: number): string {
    const inner = `(${this.pipeline(want, depth)})`;
    return want === 'any' && this.dice.chance(this.mild ? 0.003 : 0.03)
      ? `${inner}.${this.dice.pick(['a', 'b', 'name', 'map.a'])}`
      : inner;
  }

  private rooted(path: string): string {
    return (this.isDotElsewhere && !this.dice.chance(this.mild ? 0.01 : 0.1)) || this.dice.chance(0.3)
      ? `$${path}`
      : path;
  }

  private variable(): string {
    const { dice } = this;
    const name = dice.pick(this.variables.slice(1));
    return dice.chance(this.mild ? 0.01 : 0.08) ? `${name}.${dice.pick(['a', 'b', 'name', 'map.b', 'list'])}` : name;
  }

  private oddOperand(): string {
    const { dice } = this;
    return dice.one([
      () => '.',
      () => '$',
      () => 'nil',
      () => `.${dice.pick(['zz', 'a.zz', 'a.b.c.d', 'nothing.x', 'list.x', 'name.y', 'map.zz.y'])}`,
      () => `$.${dice.pick(['a.b', 'map.a.b', 'name.x'])}`,
      () => 'true',
    ]);
  }

  private constant(want: Want): string {
    const { dice } = this;
    switch (want) {
      case 'text':
        return literal.text(dice);
      case 'int':
        return this.mild ? dice.pick(['0', '1', '2', '3', '0x2']) : literal.integer(dice);
      case 'float':
        return dice.pick(['1.5', '2.0', '-0.25', '1e3', '0.1']);
      case 'number':
        return literal.number(dice);
      case 'count':
        return String(dice.between(-1, 6));
      case 'flag':
        return dice.pick(['true', 'false']);
      case 'nil':
        return 'nil';
      case 'list':
        return this.hasSprig ? '(list 1 "b" 2.5)' : '$.list';
      case 'map':
        return this.hasSprig ? '(dict "a" 1 "b" "x")' : '$';
      default:
        if (want !== 'any') return dice.pick(FORM_LITERALS[want] ?? ['""']);
    }
    return dice.one([
      () => literal.text(dice),
      () => literal.number(dice),
      () => dice.pick(['true', 'false', '.', 'nil']),
    ]);
  }
}
