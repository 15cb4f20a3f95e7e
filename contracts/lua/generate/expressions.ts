import { keyExpression, keyName, literal, numberLiteral, numberText, smallInteger, stringLiteral } from './atoms.js';
import type { Dice } from './dice.js';

/** Names of variables that an expression may use, by what they hold. */
export interface Scope {
  readonly numbers: readonly string[];
  readonly strings: readonly string[];
  readonly tables: readonly string[];
  /** May hold anything. */
  readonly values: readonly string[];
}

const ARITHMETIC = ['+', '-', '*', '/', '%', '^'];
const COMPARISON = ['==', '~=', '<', '<=', '>', '>='];

/** Random expressions: mostly of fitting types, at times not, so that errors are seen too. */
export class Expressions {
  constructor(
    private readonly dice: Dice,
    private readonly scope: Scope,
  ) {}

  any(depth: number): string {
    return this.dice.one([
      () => this.number(depth),
      () => this.text(depth),
      () => this.truth(depth),
      () => this.leaf(),
      () => this.logic(depth),
      () => this.table(depth),
    ]);
  }

  number(depth: number): string {
    if (depth <= 0) return this.numberLeaf();
    if (this.dice.chance(0.06)) return this.any(depth - 1);
    return this.dice.one([
      () => this.arithmeticChain(depth),
      () => this.arithmeticChain(depth),
      () => this.numberLeaf(),
      () => `-${this.number(depth - 1)}`.replace(/^--/, '- -'),
      () => `(${this.number(depth - 1)})`,
      () => `#${this.dice.chance(0.5) ? this.tableLeaf() : `(${this.text(depth - 1)})`}`,
      () => `(${this.number(depth - 1)}) ${this.dice.pick(ARITHMETIC)} ${numberText(this.dice)}`,
    ]);
  }

  text(depth: number): string {
    if (depth <= 0) return this.textLeaf();
    if (this.dice.chance(0.05)) return this.any(depth - 1);
    return this.dice.one([
      () => this.textLeaf(),
      () =>
        this.dice
          .times(2, 4, () =>
            this.dice.one([() => this.textLeaf(), () => this.numberLeaf(), () => `(${this.number(depth - 1)})`]),
          )
          .join(' .. '),
      () => `str(${this.any(depth - 1)})`,
      () => `type(${this.any(depth - 1)})`,
      () => `(${this.text(depth - 1)})`,
    ]);
  }

  truth(depth: number): string {
    if (depth <= 0) return this.dice.pick(['true', 'false', 'nil']);
    return this.dice.one([
      () => `${this.number(depth - 1)} ${this.dice.pick(COMPARISON)} ${this.number(depth - 1)}`,
      () => `(${this.text(depth - 1)}) ${this.dice.pick(COMPARISON)} (${this.text(depth - 1)})`,
      () => `${this.leaf()} ${this.dice.pick(['==', '~='])} ${this.leaf()}`,
      () => `not ${this.any(depth - 1)}`,
      () => `not (${this.truth(depth - 1)})`,
    ]);
  }

  logic(depth: number): string {
    if (depth <= 0) return this.leaf();
    return this.dice
      .times(2, 4, () => {
        if (this.dice.chance(0.3)) return `(${this.any(depth - 1)})`;
        return this.dice.chance(0.5) ? this.leaf() : this.truth(depth - 1);
      })
      .reduce((left, right) => `${left} ${this.dice.pick(['and', 'or'])} ${right}`);
  }

  table(depth: number): string {
    if (depth <= 0) return this.dice.chance(0.6) ? this.tableLeaf() : '{}';
    const fields = this.dice.times(0, 6, () =>
      this.dice.one([
        () => this.any(depth - 1),
        () => this.any(depth - 1),
        () => `${keyName(this.dice)} = ${this.any(depth - 1)}`,
        () => `[${keyExpression(this.dice)}] = ${this.any(depth - 1)}`,
        () => 'nil',
      ]),
    );
    return (
      `{${fields.join(this.dice.chance(0.8) ? ', ' : '; ')}` +
      `${fields.length > 0 && this.dice.chance(0.2) ? ',' : ''}}`
    );
  }

  /** Something that needs no further operator. */
  leaf(): string {
    return this.dice.one([
      () => this.numberLeaf(),
      () => this.textLeaf(),
      () => literal(this.dice),
      () => this.variable(),
      () => this.field(),
    ]);
  }

  private arithmeticChain(depth: number): string {
    return this.dice
      .times(2, 4, () => (this.dice.chance(0.25) ? this.number(depth - 1) : this.numberLeaf()))
      .reduce((left, right) => `${left} ${this.dice.pick(ARITHMETIC)} ${right}`);
  }

  private numberLeaf(): string {
    return this.scope.numbers.length > 0 && this.dice.chance(0.45)
      ? this.dice.pick(this.scope.numbers)
      : numberLiteral(this.dice);
  }

  private textLeaf(): string {
    return this.scope.strings.length > 0 && this.dice.chance(0.4)
      ? this.dice.pick(this.scope.strings)
      : stringLiteral(this.dice);
  }

  private tableLeaf(): string {
    return this.scope.tables.length > 0 ? this.dice.pick(this.scope.tables) : '{1, 2}';
  }

  private variable(): string {
    const all = [...this.scope.numbers, ...this.scope.strings, ...this.scope.values];
    return all.length > 0 && this.dice.chance(0.9)
      ? this.dice.pick(all)
      : this.dice.pick(['nowhere', 'nil', '_VERSION']);
  }

  private field(): string {
    const owner = this.tableLeaf().replace(/^\{.*/, '({5, a = 6})');
    return this.dice.one([
      () => `${owner}.${keyName(this.dice)}`,
      () => `${owner}[${smallInteger(this.dice, 0, 5)}]`,
      () => `${owner}[${keyExpression(this.dice)}]`,
      () => `${owner}.${keyName(this.dice)}.${keyName(this.dice)}`,
    ]);
  }
}
