import type { Dice } from '../../lua/generate/dice.js';
import * as literal from './literals.js';
import type { Kind, Path } from './values.js';

/** What an expression is wanted for; `any` takes all. */
export type Want = Kind | 'any' | 'number' | 'count';

interface Call {
  readonly name: string;
  readonly args: readonly Want[];
  readonly rest?: Want | undefined;
  readonly gives: Want;
}

const call = (name: string, args: readonly Want[], gives: Want, rest?: Want): Call => ({ name, args, gives, rest });

/** A function that gives anything is only taken where anything will do. */
function fits(gives: Want, want: Want): boolean {
  return want === 'any' || gives === want || (want === 'number' && (gives === 'int' || gives === 'float'));
}

export const BUILTIN_CALLS: readonly Call[] = [
  call('and', ['any'], 'any', 'any'), call('or', ['any'], 'any', 'any'), call('not', ['any'], 'flag'), call('len', ['list'], 'int'), call('len', ['map'], 'int'), call('len', ['text'], 'int'),
  call('index', ['list', 'int'], 'any'), call('index', ['map', 'text'], 'any'), call('index', ['text', 'int'], 'int'), call('index', ['any'], 'any', 'any'),
  call('slice', ['list', 'int'], 'list', 'int'), call('slice', ['any'], 'any', 'int'),
  call('print', [], 'text', 'any'), call('println', [], 'text', 'any'), call('html', [], 'text', 'any'), call('js', ['text'], 'text', 'any'), call('urlquery', ['text'], 'text', 'any'),
  call('eq', ['text', 'text'], 'flag', 'text'), call('eq', ['int', 'int'], 'flag'), call('eq', ['any'], 'flag', 'any'), call('ne', ['any', 'any'], 'flag'), call('ne', ['float', 'float'], 'flag'),
  ...['lt', 'le', 'gt', 'ge'].flatMap((name) => [call(name, ['int', 'int'], 'flag'), call(name, ['text', 'text'], 'flag'), call(name, ['float', 'float'], 'flag')]),
  call('lt', ['any', 'any'], 'flag'), call('ge', ['number', 'number'], 'flag'),
  call('call', ['any'], 'any', 'any'),
];

/** sprig has a `slice` of its own, which is not for strings. */
export const PLAIN_CALLS: readonly Call[] = [...BUILTIN_CALLS, call('slice', ['text', 'int'], 'text', 'int'), call('slice', ['text', 'int', 'int'], 'text'), call('slice', ['list', 'int', 'int'], 'list', 'int')];

/** Functions of sprig that make values which no values file can hold, or ask for exact types. */
export const SPRIG_CALLS: readonly Call[] = [
  call('list', [], 'list', 'any'), call('dict', ['text', 'any'], 'map'), call('dict', ['text', 'any', 'text', 'any'], 'map'), call('int', ['number'], 'int'), call('int64', ['number'], 'int'),
  call('float64', ['number'], 'float'), call('add', ['number', 'number'], 'int', 'number'), call('splitList', ['text', 'text'], 'list'), call('upper', ['text'], 'text'),
  call('default', ['any', 'any'], 'any'), call('typeOf', ['any'], 'text'), call('kindOf', ['any'], 'text'), call('until', ['count'], 'list'), call('toString', ['any'], 'text'),
  call('ternary', ['any', 'any', 'flag'], 'any'), call('get', ['map', 'text'], 'any'), call('hasKey', ['map', 'text'], 'flag'), call('trunc', ['int', 'text'], 'text'), call('quote', [], 'text', 'any'),
  call('first', ['list'], 'any'), call('empty', ['any'], 'flag'), call('split', ['text', 'text'], 'map'),
];

/** A number that the writer does not choose may be too large for it. */
function isHarmless({ args }: Call): boolean {
  return !args.includes('count');
}

/** Writes expressions from what is in sight. */
export class ExpressionWriter {
  /** Variables in sight, with `$`. */
  variables: string[] = ['$'];
  /** In a `with` or `range`, where the paths from the root lead nowhere. */
  isDotElsewhere = false;

  private readonly hasSprig: boolean;

  constructor(readonly dice: Dice, private readonly paths: readonly Path[], private readonly calls: readonly Call[]) {
    this.hasSprig = calls.some(({ name }) => name === 'dict');
  }

  /** A whole pipeline. */
  pipeline(want: Want, depth = 2): string {
    const { dice } = this;
    if (!dice.chance(0.35)) return this.command(want, depth);
    if (dice.chance(0.1)) return [this.command('any', depth), this.stage(dice.pick(this.calls.filter(isHarmless)), depth)].join(' | ');
    const chosen = this.callFor(want, (call) => call.args.length > 0 && isHarmless(call));
    return [this.pipeline(chosen.args.at(-1) ?? 'any', depth - 1), this.stage(chosen, depth)].join(' | ');
  }

  /** A call whose last argument comes from the stage before. */
  private stage(chosen: Call, depth: number): string {
    return this.written({ ...chosen, rest: this.dice.chance(0.8) ? undefined : chosen.rest }, chosen.args.slice(0, -1), depth - 1, false);
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
    if (mayBeWrong && dice.chance(0.01)) wanted.pop();
    return [name, ...wanted.map((want) => this.operand(want, depth))].join(' ');
  }

  private printf(depth: number): string {
    const { text, count } = literal.format(this.dice);
    const args = this.dice.times(Math.max(count - 1, 0), count + (this.dice.chance(0.1) ? 2 : 0), () => this.operand('any', depth));
    return ['printf', text, ...args].join(' ');
  }

  /** One word, or something in parentheses. */
  operand(want: Want, depth: number): string {
    const { dice } = this;
    if (want !== 'count' && dice.chance(0.015)) return this.oddOperand();
    // A large count would keep both engines busy for years.
    if (want === 'count') return this.constant(want);
    const makers: (() => string)[] = [];
    const fitting = this.paths.filter(({ kind }) => fits(kind, want));
    if (fitting.length === 0 || (want !== 'list' && want !== 'map')) makers.push(() => this.constant(want));
    if (depth > 0) makers.push(() => this.parenthesized(want, depth), () => this.parenthesized(want, depth));
    if (fitting.length > 0) makers.push(() => this.rooted(dice.pick(fitting).text), () => this.rooted(dice.pick(fitting).text));
    if (this.variables.length > 1 && (want === 'any' || dice.chance(0.1))) makers.push(() => this.variable());
    return dice.one(makers);
  }

  private parenthesized(want: Want, depth: number): string {
    const inner = `(${this.pipeline(want, depth)})`;
    return want === 'any' && this.dice.chance(0.03) ? `${inner}.${this.dice.pick(['a', 'b', 'name', 'map.a'])}` : inner;
  }

  private rooted(path: string): string {
    return this.isDotElsewhere && !this.dice.chance(0.1) || this.dice.chance(0.3) ? `$${path}` : path;
  }

  private variable(): string {
    const { dice } = this;
    const name = dice.pick(this.variables.slice(1));
    return dice.chance(0.08) ? `${name}.${dice.pick(['a', 'b', 'name', 'map.b', 'list'])}` : name;
  }

  private oddOperand(): string {
    const { dice } = this;
    return dice.one([
      () => '.', () => '$', () => 'nil', () => `.${dice.pick(['zz', 'a.zz', 'a.b.c.d', 'nothing.x', 'list.x', 'name.y', 'map.zz.y'])}`, () => `$.${dice.pick(['a.b', 'map.a.b', 'name.x'])}`, () => 'true',
    ]);
  }

  private constant(want: Want): string {
    const { dice } = this;
    switch (want) {
      case 'text': return literal.text(dice);
      case 'int': return literal.integer(dice);
      case 'float': return dice.pick(['1.5', '2.0', '-0.25', '1e3', '0.1']);
      case 'number': return literal.number(dice);
      case 'count': return String(dice.between(-1, 6));
      case 'flag': return dice.pick(['true', 'false']);
      case 'nil': return 'nil';
      case 'list': return this.hasSprig ? '(list 1 "b" 2.5)' : '$.list';
      case 'map': return this.hasSprig ? '(dict "a" 1 "b" "x")' : '$';
      case 'any': return dice.one([() => literal.text(dice), () => literal.number(dice), () => dice.pick(['true', 'false', '.', 'nil'])]);
    }
  }
}
