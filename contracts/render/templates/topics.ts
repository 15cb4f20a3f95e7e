import type { Dice } from '../../lua/generate/dice.js';
import { BUILTIN_CALLS, MILD_CALLS, PLAIN_CALLS, SPRIG_CALLS } from './calls.js';
import { ExpressionWriter } from './expressions.js';
import * as literal from './literals.js';
import { NATIVE_CALLS, NATIVE_PATHS } from './natives.js';
import { WIDE_SPRIG_CALLS } from './sprig-calls.js';
import { StatementWriter } from './statements.js';
import type { Task } from './task.js';
import { pathsOf, randomValues } from './values.js';

type Made = Omit<Task, 'topic'>;
type Topic = (dice: Dice) => Made;

const NAME = 'chart/templates/x.yaml';
/** sprig's own `slice` shows how much room Go left behind the elements of a list, which we do not model. */
const HELM_CALLS = BUILTIN_CALLS.filter(({ name }) => name !== 'slice');
const ALL_CALLS = [...HELM_CALLS, ...SPRIG_CALLS, ...SPRIG_CALLS];

const missingKey = (dice: Dice): Task['missingKey'] => (dice.chance(0.8) ? 'zero' : dice.pick(['invalid', 'error']));

/** Lines with one expression each. */
function expressionTask(dice: Dice, line: (writer: ExpressionWriter) => string): Made {
  const values = randomValues(dice);
  const writer = new ExpressionWriter(dice, pathsOf(values), ALL_CALLS);
  const text = dice.times(1, 3, () => line(writer)).join('\n');
  return { templates: [{ name: NAME, text }], values, name: NAME, missingKey: missingKey(dice), isPlain: false };
}

/** Functions of sprig inside one another. */
function sprigTask(dice: Dice): Made {
  const values = randomValues(dice);
  const writer = new ExpressionWriter(dice, pathsOf(values), WIDE_SPRIG_CALLS);
  const text = dice.times(1, 2, () => `{{ ${writer.pipeline('any', 3)} }}`).join('\n');
  return { templates: [{ name: NAME, text }], values, name: NAME, missingKey: missingKey(dice), isPlain: false };
}

/** Mostly calls of some builtins; half of the tasks know no other functions. */
function callsOf(...names: readonly string[]): Topic {
  return (dice) => {
    const isPlain = dice.chance(0.5);
    const calls = (isPlain ? PLAIN_CALLS : HELM_CALLS).filter(({ name }) => names.includes(name));
    const values = randomValues(dice);
    const writer = new ExpressionWriter(dice, pathsOf(values), isPlain ? calls : [...calls, ...calls, ...SPRIG_CALLS]);
    const text = dice.times(1, 3, () => `{{ ${writer.pipeline('any', 2)} }}`).join('\n');
    return { templates: [{ name: NAME, text }], values, name: NAME, missingKey: missingKey(dice), isPlain };
  };
}

function program(dice: Dice, templates: readonly string[], depth: number): Made {
  const values = randomValues(dice);
  const isMild = dice.chance(0.75);
  const write = (count: number): string => {
    const expressions = new ExpressionWriter(dice, pathsOf(values), isMild ? MILD_CALLS : ALL_CALLS, isMild);
    return new StatementWriter(dice, expressions, templates).lines(count, depth).join('\n');
  };
  const helpers = templates.map((name) =>
    (
      `{{- ${dice.pick(['define', 'define', 'define', 'block'])} "${name}" }}\n` +
      `${write(dice.between(0, 2))}\n{{- end }}`
    ).replace(/block "(\w+)"/, 'block "$1" .'),
  );
  const sources = [
    { name: 'chart/templates/_helpers.tpl', text: helpers.join('\n') },
    { name: NAME, text: write(dice.between(2, 6)) },
  ];
  return {
    templates: dice.chance(0.5) ? sources : sources.reverse(),
    values,
    name: NAME,
    missingKey: missingKey(dice),
    isPlain: false,
  };
}

/** Structs, pointers and methods. */
function nativeTask(dice: Dice): Made {
  const root = (path: string): string => dice.pick(['.Native', '$.Native', '$n', '(.Native)']) + path;
  const operand = (): string =>
    dice.one([() => root(dice.pick(NATIVE_PATHS)), () => `(${root(dice.pick(NATIVE_CALLS))})`]);
  const line = (): string =>
    dice.one([
      () => `{{ ${operand()} }}`,
      () => `{{ ${root(dice.pick(NATIVE_CALLS))} }}`,
      () => `{{ printf "%v|%+v|%T|%s" ${operand()} ${operand()} ${operand()} ${operand()} }}`,
      () => `{{ printf "${dice.pick(['%#v', '%d', '%x', '%q', '%v'])}" ${operand()} }}`,
      () =>
        `{{ range $i, $e := ${operand()} }}{{ $i }}={{ $e }};${dice.chance(0.1) ? '{{ $e.x }}' : ''}{{ else ` +
        '}}none{{ end }}',
      () => `{{ with ${operand()} }}{{ . }}{{ else }}empty{{ end }}`,
      () => `{{ ${dice.pick(['len', 'not', 'html', 'print', 'println', 'js', 'urlquery', 'call'])} ${operand()} }}`,
      () => `{{ index ${operand()} ${dice.pick(['0', '1', '"x"', '"a"', '"a.txt"', '.a'])} }}`,
      () =>
        `{{ ${dice.pick(['eq', 'ne', 'lt', 'and', 'or', 'print'])} ${operand()} ` +
        `${dice.chance(0.6) ? operand() : literal.number(dice)} }}`,
      () =>
        `{{ ${dice.pick(['"v1"', '"a"', '0', '.a'])} | ` +
        root(
          dice.pick([
            '.Capabilities.Names.Has',
            '.Table.Lookup',
            '.Capabilities.Version.Greater',
            '.Table.Names',
            '.Labels.x',
            '.Capabilities.Count',
          ]),
        ) +
        ' }}',
    ]);
  const text = ['{{ $n := .Native }}', ...dice.times(1, dice.chance(0.3) ? 3 : 1, line)].join('\n');
  return {
    templates: [{ name: NAME, text }],
    values: randomValues(dice),
    name: NAME,
    missingKey: missingKey(dice),
    isPlain: dice.chance(0.5),
    hasNatives: true,
  };
}

/** A good template with something changed, so that it may no longer parse. */
function broken(dice: Dice): Made {
  const made = program(dice, [], 2);
  const text = made.templates.map((source) => source.text).join('\n');
  const damaged = dice.times(1, 2, () => 0).reduce((before) => damage(dice, before), text);
  return { ...made, templates: [{ name: NAME, text: damaged }] };
}

const SCRAPS = [
  '{{',
  '}}',
  '{{ end }}',
  '{{ else }}',
  '(',
  ')',
  '|',
  ':=',
  '=',
  '.',
  '$',
  '"',
  '`',
  "'",
  ',',
  '{{ if }}',
  '{{ range }}',
  '{{/*',
  '*/}}',
  '{{-',
  '-}}',
  '\n',
  '{{ define "d" }}',
  '{{ define x }}',
  '{{ template }}',
  '{{ block "b" }}',
  '{{ break }}',
  '{{ continue }}',
  '$undefined',
  'nofunc',
  '{{ $x := }}',
  '{{ $a, $b := . }}',
  '{{ 1 | 2 }}',
  '{{ () }}',
  '{{ nil }}',
  '{{ true.x }}',
  '{{ "s".x }}',
  '@',
  '\u00e9',
  '#',
  '{{ end',
  '{{ else if',
  ' . ',
  '..',
  '.a.',
  '{{ with }}',
  '{{ template "a" . . }}',
  '{{ define "x" }}{{ define "y" }}{{ end }}{{ end }}',
  '{{ range $a, $b, $c := . }}',
  '{{ else with . }}',
  '{{ if 1 }}{{ else }}{{ else }}{{ end }}',
  '{{ (1).x }}',
  '{{ .a | .b }}',
  '{{ .a 1 }}',
  '{{ $ 1 }}',
  '{{ (.a) 2 }}',
  '\0',
  '\u{1F642}',
] as const;

function damage(dice: Dice, text: string): string {
  const at = dice.between(0, text.length);
  return dice.one([
    () => text.slice(0, at) + dice.pick(SCRAPS) + text.slice(at),
    () => text.slice(0, at) + text.slice(at + dice.between(1, 6)),
    () => text.slice(0, at),
    () => `${text}\n${dice.pick(SCRAPS)}`,
  ]);
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  fields: (dice) => expressionTask(dice, (writer) => `{{ ${writer.pipeline('any', 1)} }}`),
  expressions: (dice) => expressionTask(dice, (writer) => `a {{ ${writer.pipeline('any', 3)} }}`),
  comparisons: callsOf('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
  logic: callsOf('and', 'or', 'not', 'eq'),
  elements: callsOf('index', 'slice', 'len'),
  printing: callsOf('print', 'println', 'html', 'js', 'urlquery', 'call'),
  formats: (dice) =>
    expressionTask(dice, (writer) => {
      const { text, count } = literal.format(dice);
      return `{{ ${['printf', text, ...dice.times(count, count, () => writer.operand('any', 2))].join(' ')} }}`;
    }),
  literals: (dice) =>
    expressionTask(
      dice,
      () =>
        '{{ ' +
        dice.one([
          () => literal.number(dice),
          () => literal.text(dice),
          () => literal.badNumber(dice),
          () => literal.badText(dice),
          () => `printf "%T %v" ${literal.number(dice)} ${literal.number(dice)}`,
        ]) +
        ' }}',
    ),
  control: (dice) => program(dice, [], 3),
  templates: (dice) => program(dice, ['helper', 'other', 'third'], 2),
  sprig: sprigTask,
  natives: nativeTask,
  broken,
};
