import { keyName, smallInteger } from './atoms.js';
import type { Dice } from './dice.js';
import { Expressions } from './expressions.js';
import { tryBlock } from './prelude.js';

type Kind = 'number' | 'string' | 'table' | 'value' | 'function';

interface Variable {
  readonly name: string;
  readonly kind: Kind;
  /** Loop variables are only read, or loops would not end. */
  readonly fixed?: boolean;
}

/** Random blocks of statements: locals, assignments, loops, functions and closures, with much of it shown. */
export class Statements {
  private readonly scopes: Variable[][] = [[]];
  private count = 0;
  private labels = 0;
  private functionDepth = 0;
  private isVararg = false;
  private mayJump = false;

  constructor(private readonly dice: Dice) {}

  /**
   * A block that is run in a protected call of its own. Either it has functions or it jumps: a goto of gopher-lua cuts
   * closures off from the locals that they share with the function around.
   */
  section(): string[] {
    this.mayJump = this.dice.chance(0.4);
    return tryBlock(this.block(3, 7, 14));
  }

  private block(depth: number, low: number, high: number, first: readonly string[] = []): string[] {
    this.scopes.push([]);
    const lines = [...first, ...this.dice.times(low, high, () => this.statement(depth)).flat()];
    if (this.dice.chance(0.7)) lines.push(this.showing());
    this.scopes.pop();
    return lines;
  }

  private statement(depth: number): string[] {
    const simple = [
      () => this.declare(),
      () => this.declare(),
      () => this.assign(),
      () => this.assign(),
      () => this.setField(),
      () => [this.showing()],
      () => this.callFunction(),
      () => this.shadow(),
    ];
    if (depth <= 0) return this.dice.one(simple);
    return this.dice.one([
      ...simple,
      ...simple,
      () => this.branch(depth),
      () => this.branch(depth),
      () => this.numericFor(depth),
      () => this.genericFor(depth),
      () => this.whileLoop(depth),
      () => this.repeatLoop(depth),
      () => ['do', ...this.indent(this.block(depth - 1, 1, 4)), 'end'],
      () => this.defineFunction(depth),
      () => this.defineFunction(depth),
      () => this.closures(),
    ]);
  }

  private declare(): string[] {
    const kind = this.dice.pick<Kind>(['number', 'number', 'string', 'table', 'value']);
    if (this.dice.chance(0.25)) {
      const names = this.dice.times(2, 3, () => this.fresh());
      const values = this.dice.times(0, 4, () => this.expressions().any(1));
      if (this.dice.chance(0.3)) values.push(this.manyValues());
      this.add(...names.map((name) => ({ name, kind: 'value' as const })));
      return [`local ${names.join(', ')}${values.length > 0 ? ` = ${values.join(', ')}` : ''}`];
    }
    const name = this.fresh();
    const line = `local ${name} = ${this.valueOf(kind)}`;
    this.add({ name, kind });
    return [line];
  }

  private shadow(): string[] {
    const seen = this.visible('number');
    if (seen.length === 0) return this.declare();
    const { name } = this.dice.pick(seen);
    const line = `local ${name} = ${name} ${this.dice.pick(['+', '-', '*'])} ${smallInteger(this.dice, 1, 4)}`;
    this.add({ name, kind: 'number' });
    return [line];
  }

  private assign(): string[] {
    const targets = this.visible().filter(({ fixed, kind }) => fixed !== true && kind !== 'function');
    if (targets.length === 0) return this.declare();
    if (targets.some(({ kind }) => kind === 'value') && this.dice.chance(0.3)) return this.assignMany(targets);
    const { name, kind } = this.dice.pick(targets);
    return [`${name} = ${this.valueOf(kind)}`];
  }

  /**
   * Several targets at once: locals (which gopher-lua assigns one after the other), globals, fields, and a call at the
   * end.
   */
  private assignMany(targets: readonly Variable[]): string[] {
    const [table] = this.visible('table');
    const left = this.dice.pick(targets);
    const right = this.dice.pick(targets.filter(({ kind }) => kind === left.kind));
    const many = this.dice.times(2, 4, () => this.target());
    return this.dice.one([
      () => [`${left.name}, ${right.name} = ${right.name}, ${left.name}`, `show(${left.name}, ${right.name})`],
      () => [
        `globalValue, otherValue = ${this.valueOf('number')}, ${this.valueOf('value')}`,
        'globalValue, otherValue = otherValue, globalValue',
        'show(globalValue, otherValue)',
      ],
      () => [
        `${many.join(', ')} = ` +
          [...this.dice.times(0, 3, () => this.valueOf('value')), 'unpack({7, 8, 9})'].join(', '),
      ],
      // gopher-lua can fail inside where values are missing.
      () => [
        `${many.join(', ')} = ` +
          [...many.map(() => this.valueOf('value')), ...this.dice.times(0, 2, () => this.manyValues())].join(', '),
      ],
      () =>
        table === undefined
          ? []
          : [
              `${table.name}.a, ${table.name}[1], ${table.name}.b = ${table.name}.b, ` +
                `${table.name}.a${this.dice.chance(0.5) ? `, ${table.name}[1]` : ''}`,
            ],
      () =>
        table === undefined
          ? []
          : [`globalValue, ${table.name}[#${table.name} + 1] = #${table.name}, ${this.manyValues()}`],
    ]);
  }

  private target(): string {
    const values = this.visible('value').filter(({ fixed }) => fixed !== true);
    const tables = this.visible('table');
    return this.dice.one([
      () => (values.length === 0 ? 'globalValue' : this.dice.pick(values).name),
      () => (values.length === 0 ? 'globalValue' : this.dice.pick(values).name),
      () => this.dice.pick(['globalValue', 'otherValue']),
      () => (tables.length === 0 ? 'otherValue' : `${this.dice.pick(tables).name}.${keyName(this.dice)}`),
      () => (tables.length === 0 ? 'otherValue' : `${this.dice.pick(tables).name}[${smallInteger(this.dice, 1, 4)}]`),
    ]);
  }

  private setField(): string[] {
    const tables = this.visible('table');
    if (tables.length === 0) return this.declare();
    const { name } = this.dice.pick(tables);
    const key = this.dice.one([
      () => `.${keyName(this.dice)}`,
      () => `[${smallInteger(this.dice, 1, 5)}]`,
      () => `[#${name} + 1]`,
      () => `["${keyName(this.dice)}" .. ${smallInteger(this.dice, 0, 2)}]`,
    ]);
    return [`${name}${key} = ${this.valueOf(this.dice.pick<Kind>(['number', 'string', 'value']))}`];
  }

  private branch(depth: number): string[] {
    const lines = [`if ${this.expressions().any(2)} then`, ...this.indent(this.block(depth - 1, 1, 3))];
    if (this.dice.chance(0.4))
      lines.push(`elseif ${this.expressions().truth(2)} then`, ...this.indent(this.block(depth - 1, 1, 2)));
    if (this.dice.chance(0.5)) lines.push('else', ...this.indent(this.block(depth - 1, 1, 3)));
    return [...lines, 'end'];
  }

  private numericFor(depth: number): string[] {
    const name = this.fresh();
    const [from, to, step] = this.dice.pick([
      ['1', '4', ''],
      ['5', '1', ', -2'],
      ['1', '2', ', 0.25'],
      ['0', '-1', ''],
      ['3', '1', ', -1'],
      ['1', '0', ', -0.5'],
      ['-2', '2', ', 2'],
      ['0.1', '0.5', ', 0.1'],
      ['1', '3', ', 1'],
    ]);
    return [
      `for ${name} = ${from}, ${to}${step} do`,
      ...this.loopBody(depth, { name, kind: 'number', fixed: true }),
      'end',
    ];
  }

  private genericFor(depth: number): string[] {
    const tables = this.visible('table');
    const table = tables.length > 0 && this.dice.chance(0.7) ? this.dice.pick(tables).name : this.valueOf('table');
    const [key, value] = [this.fresh(), this.fresh()];
    const iterator = this.dice.pick(['pairs', 'pairs', 'ipairs']);
    const variables: Variable[] = [
      { name: key, kind: 'value', fixed: true },
      { name: value, kind: 'value', fixed: true },
    ];
    return [`for ${key}, ${value} in ${iterator}(${table}) do`, ...this.loopBody(depth, ...variables), 'end'];
  }

  private whileLoop(depth: number): string[] {
    const name = this.fresh();
    const body = this.loopBody(depth, { name, kind: 'number', fixed: true });
    return [
      `local ${name} = 0`,
      `while ${name} < ${smallInteger(this.dice, 1, 4)} do`,
      `  ${name} = ${name} + 1`,
      ...body,
      'end',
    ];
  }

  private repeatLoop(depth: number): string[] {
    const [name, inner] = [this.fresh(), this.fresh()];
    const body = this.indent(this.block(depth - 1, 1, 3));
    return [
      `local ${name} = 0`,
      'repeat',
      '  tick()',
      `  ${name} = ${name} + 1`,
      `  local ${inner} = ${name} * 2`,
      ...body,
      `until ${inner} >= ${smallInteger(this.dice, 1, 6)}`,
    ];
  }

  private loopBody(depth: number, ...variables: Variable[]): string[] {
    this.scopes.push(variables);
    const lines = ['tick()'];
    const label = this.mayJump && this.dice.chance(0.5) ? `continue${++this.labels}` : undefined;
    if (label !== undefined) lines.push(`if ${this.expressions().truth(1)} then goto ${label} end`);
    lines.push(...this.block(depth - 1, 1, 3));
    if (this.dice.chance(0.2)) lines.push(`if ${this.expressions().truth(1)} then break end`);
    if (label !== undefined) lines.push(`::${label}::`);
    this.scopes.pop();
    // A label that is jumped to over locals must end its block.
    return this.indent(label === undefined ? lines : ['do', ...this.indent(lines), 'end']);
  }

  private defineFunction(depth: number): string[] {
    if (this.mayJump || this.functionDepth >= 2) return this.declare();
    const name = this.fresh();
    const parameters = this.dice.times(0, 3, () => this.fresh());
    const wasVararg = this.isVararg;
    this.isVararg = this.dice.chance(0.4);
    this.functionDepth++;
    this.scopes.push(parameters.map((parameter) => ({ name: parameter, kind: 'value' as const })));
    const body = this.block(depth - 1, 1, 4, ['tick()']);
    const results = [
      ...this.dice.times(0, 2, () => this.expressions().any(1)),
      ...(this.dice.chance(0.4) ? [this.manyValues()] : []),
    ];
    this.scopes.pop();
    this.functionDepth--;
    const list = [...parameters, ...(this.isVararg ? ['...'] : [])].join(', ');
    this.isVararg = wasVararg;
    const lines = [`local function ${name}(${list})`, ...this.indent(body), `  return ${results.join(', ')}`, 'end'];
    this.add({ name, kind: 'function' });
    return [...lines, `show(${this.callText(name)})`];
  }

  /** Functions made in a loop, each with a variable of its own. */
  private closures(): string[] {
    if (this.mayJump) return this.declare();
    const [list, index, total] = [this.fresh(), this.fresh(), this.fresh()];
    const [outer] = this.visible('number').filter(({ fixed }) => fixed !== true);
    const change = outer === undefined ? '' : `${outer.name} = ${outer.name} + ${index} `;
    return [
      `local ${list} = {}`,
      `for ${index} = 1, ${smallInteger(this.dice, 1, 4)} do local ${total} = ${index} * 10 ` +
        `${list}[${index}] = function(by) ${total} = ${total} + (by or 1) ${change}return ${total}, ${index} ` +
        'end end',
      `for _, f in ipairs(${list}) do show(f(), (f(5))) end`,
      ...(outer === undefined ? [] : [`show(${outer.name})`]),
    ];
  }

  private callFunction(): string[] {
    const functions = this.visible('function');
    return functions.length === 0
      ? this.declare()
      : [`show(${this.callText(this.dice.pick(functions).name)}${this.dice.chance(0.3) ? ', "end"' : ''})`];
  }

  private callText(name: string): string {
    const values = this.dice.times(0, 4, () => this.expressions().any(1));
    return `${name}(${values.join(', ')})`;
  }

  /** An expression that may give several values. */
  private manyValues(): string {
    const functions = this.visible('function');
    return this.dice.one([
      () => (this.isVararg ? '...' : 'unpack({7, 8, 9})'),
      () => 'select(2, "a", "b", "c")',
      () => (this.isVararg ? 'select("#", ...)' : '(unpack({1, 2}))'),
      () => (functions.length > 0 ? this.callText(this.dice.pick(functions).name) : 'next({})'),
    ]);
  }

  private showing(): string {
    const shown = this.visible().filter(({ kind }) => kind !== 'function');
    const names = shown.length === 0 ? [] : this.dice.times(1, 3, () => this.dice.pick(shown).name);
    return (
      'show(' +
      [...names, ...(this.dice.chance(0.4) || names.length === 0 ? [this.expressions().any(2)] : [])].join(', ') +
      ')'
    );
  }

  private valueOf(kind: Kind): string {
    const expressions = this.expressions();
    switch (kind) {
      case 'number':
        return expressions.number(2);
      case 'string':
        return expressions.text(2);
      case 'table':
        return expressions.table(2);
      default:
        return expressions.any(2);
    }
  }

  private expressions(): Expressions {
    const named = (kind: Kind): string[] => this.visible(kind).map(({ name }) => name);
    return new Expressions(this.dice, {
      numbers: named('number'),
      strings: named('string'),
      tables: named('table'),
      values: named('value'),
    });
  }

  private visible(kind?: Kind): Variable[] {
    return this.scopes.flat().filter((variable) => kind === undefined || variable.kind === kind);
  }

  private add(...variables: Variable[]): void {
    this.scopes.at(-1)?.push(...variables);
  }

  private fresh(): string {
    return `v${++this.count}`;
  }

  private indent(lines: readonly string[]): string[] {
    return lines.map((line) => `  ${line}`);
  }
}
