import type { Dice } from '../../lua/generate/dice.js';
import * as literal from './literals.js';
import type { Kind, Path } from './values.js';

/** What an expression is wanted for; `any` takes all. */
export type Want = Kind | 'any' | 'number';

interface Call {
  readonly name: string;
  readonly args: readonly Want[];
  readonly rest?: Want;
  readonly gives: Want;
}

const call = (name: string, args: readonly Want[], gives: Want, rest?: Want): Call => ({ name, args, gives, ...(rest === undefined ? {} : { rest }) });

export const BUILTIN_CALLS: readonly Call[] = [
  call('and', ['any'], 'any', 'any'), call('or', ['any'], 'any', 'any'), call('not', ['any'], 'flag'), call('len', ['list'], 'int'), call('len', ['map'], 'int'), call('len', ['text'], 'int'),
  call('index', ['list', 'int'], 'any'), call('index', ['map', 'text'], 'any'), call('index', ['text', 'int'], 'int'), call('index', ['any'], 'any', 'any'),
  call('slice', ['list', 'int', 'int'], 'list'), call('slice', ['text', 'int'], 'text'), call('slice', ['text', 'int', 'int'], 'text'), call('slice', ['any'], 'any', 'int'),
  call('print', [], 'text', 'any'), call('println', [], 'text', 'any'), call('html', [], 'text', 'any'), call('js', ['text'], 'text', 'any'), call('urlquery', ['text'], 'text', 'any'),
  call('eq', ['text', 'text'], 'flag', 'text'), call('eq', ['int', 'int'], 'flag'), call('eq', ['any'], 'flag', 'any'), call('ne', ['any', 'any'], 'flag'), call('ne', ['float', 'float'], 'flag'),
  ...['lt', 'le', 'gt', 'ge'].flatMap((name) => [call(name, ['int', 'int'], 'flag'), call(name, ['text', 'text'], 'flag'), call(name, ['float', 'float'], 'flag'), call(name, ['any', 'any'], 'flag')]),
  call('call', ['any'], 'any', 'any'),
];

/** Functions of sprig that make values which no values file can hold, or ask for exact types. */
export const SPRIG_CALLS: readonly Call[] = [
  call('list', [], 'list', 'any'), call('dict', ['text', 'any'], 'map'), call('dict', ['text', 'any', 'text', 'any'], 'map'), call('int', ['number'], 'int'), call('int64', ['number'], 'int'),
  call('float64', ['number'], 'float'), call('add', ['number', 'number'], 'int', 'number'), call('splitList', ['text', 'text'], 'list'), call('upper', ['text'], 'text'),
  call('default', ['any', 'any'], 'any'), call('typeOf', ['any'], 'text'), call('kindOf', ['any'], 'text'), call('until', ['int'], 'list'), call('toString', ['any'], 'text'),
  call('ternary', ['any', 'any', 'flag'], 'any'), call('get', ['map', 'text'], 'any'), call('hasKey', ['map', 'text'], 'flag'), call('trunc', ['int', 'text'], 'text'), call('quote', [], 'text', 'any'),
  call('first', ['list'], 'any'), call('empty', ['any'], 'flag'), call('split', ['text', 'text'], 'map'),
];

/** Writes expressions from what is in sight. */
export class ExpressionWriter {
  /** Variables in sight, with `$`. */
  variables: string[] = ['$'];

  constructor(readonly dice: Dice, private readonly paths: readonly Path[], private readonly calls: readonly Call[]) {}

  /** A whole pipeline. */
  pipeline(want: Want, depth = 2): string {
    const { dice } = this;
    const stages = dice.chance(0.3) ? dice.times(1, 2, () => this.stage(depth - 1)) : [];
    return [this.command(stages.length > 0 ? 'any' : want, depth), ...stages].join(' | ');
  }

  private stage(depth: number): string {
    const chosen = this.dice.pick(this.calls.filter(({ args, rest }) => args.length > 0 || rest !== undefined));
    const count = chosen.args.length > 0 ? chosen.args.length - 1 : 0;
    return this.written(chosen, chosen.args.slice(0, count), depth, false);
  }

  command(want: Want, depth: number): string {
    const { dice } = this;
    if (depth <= 0 || dice.chance(0.45)) return this.operand(want, 0);
    if (dice.chance(0.12)) return this.printf(depth - 1);
    const fitting = this.calls.filter(({ gives }) => want === 'any' || gives === 'any' || gives === want || (want === 'number' && (gives === 'int' || gives === 'float')));
    const chosen = dice.pick(fitting.length === 0 ? this.calls : fitting);
    return this.written(chosen, chosen.args, depth - 1, true);
  }

  private written({ name, rest }: Call, args: readonly Want[], depth: number, mayBeWrong: boolean): string {
    const { dice } = this;
    const more = rest === undefined ? [] : dice.times(0, 2, () => rest);
    const wanted = [...args, ...more];
    if (mayBeWrong && dice.chance(0.03)) wanted.pop();
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
    if (dice.chance(0.06)) return this.oddOperand();
    const makers: (() => string)[] = [() => this.constant(want)];
    if (depth > 0) makers.push(() => this.parenthesized(want, depth), () => this.parenthesized(want, depth));
    const fitting = this.paths.filter(({ kind }) => want === 'any' || kind === want || (want === 'number' && kind === 'float'));
    if (fitting.length > 0) makers.push(() => this.rooted(dice.pick(fitting).text), () => this.rooted(dice.pick(fitting).text));
    if (this.variables.length > 1) makers.push(() => this.variable());
    return dice.one(makers);
  }

  private parenthesized(want: Want, depth: number): string {
    const inner = `(${this.pipeline(want, depth)})`;
    return this.dice.chance(0.1) ? `${inner}.${this.dice.pick(['a', 'b', 'name', 'map.a'])}` : inner;
  }

  private rooted(path: string): string {
    return this.dice.chance(0.4) ? `$${path}` : path;
  }

  private variable(): string {
    const { dice } = this;
    const name = dice.pick(this.variables.slice(1));
    return dice.chance(0.25) ? `${name}.${dice.pick(['a', 'b', 'name', 'map.b', 'list'])}` : name;
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
      case 'flag': return dice.pick(['true', 'false']);
      case 'nil': return 'nil';
      case 'list': case 'map': return '.';
      case 'any': return dice.one([() => literal.text(dice), () => literal.number(dice), () => dice.pick(['true', 'false', '.', 'nil'])]);
    }
  }
}
