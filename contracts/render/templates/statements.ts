import type { Dice } from '../../lua/generate/dice.js';
import type { Want } from './calls.js';
import type { ExpressionWriter } from './expressions.js';

/** Writes the actions of a template, a line each, so that a difference can be cut down line by line. */
export class StatementWriter {
  private inRange = 0;

  constructor(
    private readonly dice: Dice,
    private readonly expressions: ExpressionWriter,
    private readonly templates: readonly string[],
  ) {}

  lines(count: number, depth: number): string[] {
    return Array.from({ length: count }, () => this.statement(depth)).flat();
  }

  private statement(depth: number): string[] {
    const { dice } = this;
    return dice.one<string[]>([
      () => [this.action(this.expressions.pipeline('any'))],
      () => [this.action(this.expressions.pipeline('any'))],
      () => [
        `${dice.pick(['text', 'key: ', '- ', '  '])}${this.action(this.expressions.pipeline('text'))}` +
          dice.pick(['', ' tail', '"']),
      ],
      () => [this.declaration()],
      () => [dice.pick(['plain text', '  indented', '', '{ braces }', '}} stray', 'größe 日本'])],
      () => [
        `${this.open()}/* ${dice.pick(['comment', 'two\nlines', '{{ x }}'])} */${this.close()}`
          .replace(/\{\{(-?) +\/\*/, (_, dash: string) => (dash === '' ? '{{/*' : '{{- /*'))
          .replace(/\*\/ *\}\}/, '*/}}'),
      ],
      ...(depth > 0
        ? [() => this.condition(depth), () => this.withBlock(depth), () => this.range(depth), () => this.range(depth)]
        : []),
      ...(this.templates.length > 0 ? [() => [this.templateCall()]] : []),
      ...(this.inRange > 0 ? [() => this.jump()] : []),
    ]);
  }

  private open(): string {
    return this.dice.pick(['{{', '{{ ', '{{- ', '{{ ']);
  }

  private close(): string {
    return this.dice.pick(['}}', ' }}', ' -}}', ' }}']);
  }

  private action(inside: string): string {
    return `${this.open()}${inside}${this.close()}`;
  }

  private declaration(): string {
    const { dice, expressions } = this;
    const name = dice.pick(['$x', '$y', '$z', '$größe']);
    const isAssign = expressions.variables.includes(name) && dice.chance(0.4);
    const line = this.action(`${name} ${isAssign ? '=' : ':='} ${expressions.pipeline('any')}`);
    if (!isAssign) expressions.variables.push(name);
    return line;
  }

  private block(head: string, bodies: readonly (readonly string[])[], elses: readonly string[]): string[] {
    const body = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
    return [
      this.action(head),
      ...body(bodies[0] ?? []),
      ...elses.flatMap((line, index) => [this.action(line), ...body(bodies[index + 1] ?? [])]),
      this.action('end'),
    ];
  }

  /** What is declared inside is out of sight afterwards. */
  private scoped<T>(write: () => T): T {
    const before = [...this.expressions.variables];
    const result = write();
    this.expressions.variables = before;
    return result;
  }

  private condition(depth: number): string[] {
    const { dice, expressions } = this;
    return this.scoped(() => {
      const head = `if ${this.declared(dice.pick(['flag', 'any']), 0.2)}`;
      const elses = dice.one([
        () => [],
        () => ['else'],
        () => [`else if ${expressions.pipeline('flag')}`, 'else'],
        () => [`else if ${expressions.pipeline('any')}`],
      ]);
      return this.block(
        head,
        [0, ...elses].map(() => this.lines(dice.between(0, 2), depth - 1)),
        elses,
      );
    });
  }

  private withBlock(depth: number): string[] {
    const { dice, expressions } = this;
    return this.scoped(() => {
      const head = `with ${this.declared(dice.pick(['map', 'any']), 0.3)}`;
      const elses = dice.one([() => [], () => ['else'], () => [`else with ${expressions.pipeline('map')}`, 'else']]);
      return this.elsewhere(() =>
        this.block(
          head,
          [0, ...elses].map(() => this.lines(dice.between(1, 2), depth - 1)),
          elses,
        ),
      );
    });
  }

  /** A pipeline, perhaps with a variable for what it gives. */
  private declared(want: Want, probability: number): string {
    const { dice, expressions } = this;
    if (!dice.chance(probability)) return expressions.pipeline(want);
    const name = dice.pick(['$v', '$w']);
    // Go's parser already knows the variable inside its own pipeline; only the run finds out that it is not there.
    if (dice.chance(0.05)) expressions.variables.push(name);
    const text = `${name} := ${expressions.pipeline(want)}`;
    expressions.variables.push(name);
    return text;
  }

  private elsewhere<T>(write: () => T): T {
    const before = this.expressions.isDotElsewhere;
    this.expressions.isDotElsewhere = true;
    const result = write();
    this.expressions.isDotElsewhere = before;
    return result;
  }

  private range(depth: number): string[] {
    const { dice, expressions } = this;
    return this.scoped(() => {
      const isCount = dice.chance(0.15);
      const over = isCount
        ? String(dice.between(-1, 3))
        : expressions.pipeline(
            dice.chance(0.05) ? dice.pick(['text', 'float', 'flag', 'nil']) : dice.pick(['list', 'map']),
          );
      const known = expressions.variables.slice(1);
      const head = dice.one([
        () => `range ${over}`,
        () => (isCount && dice.chance(0.9) ? `range ${over}` : `range $i, $e := ${over}`),
        () => `range $e := ${over}`,
        () => (known.length > 0 ? `range ${dice.pick(known)} = ${over}` : `range ${over}`),
      ]);
      if (head.includes('$e :=')) expressions.variables.push('$e');
      if (head.includes('$i,')) expressions.variables.push('$i');
      this.inRange++;
      const body = this.elsewhere(() => this.lines(dice.between(1, 3), depth - 1));
      this.inRange--;
      return this.block(head, [body, this.lines(1, depth - 1)], dice.chance(0.3) ? ['else'] : []);
    });
  }

  private jump(): string[] {
    const word = this.dice.pick(['break', 'continue']);
    return this.dice.chance(0.5)
      ? [this.action(word)]
      : [`${this.action(`if ${this.expressions.pipeline('flag')}`)}${this.action(word)}${this.action('end')}`];
  }

  private templateCall(): string {
    const { dice, expressions } = this;
    const name = dice.chance(0.95) ? dice.pick(this.templates) : 'unknown';
    const data = expressions.operand(dice.pick(['map', 'any', 'any']), 1);
    return dice.one([
      () => this.action(`template "${name}"${dice.chance(0.85) ? ` ${data}` : ''}`),
      () => this.action(`include "${name}" ${data}${dice.chance(0.4) ? ' | printf "[%s]"' : ''}`),
      () =>
        this.action(
          'tpl ' +
            dice.pick([
              '"{{ .a }}"',
              '"{{ . }}|{{ $x := 1 }}{{ $x }}"',
              '"{{ include \\"helper\\" . }}"',
              '"{{ define \\"own\\" }}o{{ . }}{{ end }}{{ template \\"own\\" . }}"',
              '"{{ bad"',
              '"{{ .a.b.c }}"',
              '(print "{{ tpl " "`{{ .b }}` . }}")',
            ]) +
            ` ${data}`,
        ),
    ]);
  }
}
