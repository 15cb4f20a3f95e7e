import { attempt, chart, type Attempt } from './attempt.js';

const a = (count: number): string => 'a'.repeat(count);
const LONG = 2_000;

/**
 * Patterns on which an engine that tries every way never ends, each with a text that almost fits. Repeated repetitions
 * are four hundred states on RE2: linear, and the slowest of all.
 */
export const PAIRS: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+)+$', `${a(LONG)}!`],
  ['^(a*)*$', `${a(LONG)}!`],
  ['^(a+)*$', `${a(LONG)}!`],
  ['^(a*)+$', `${a(LONG)}!`],
  ['^(aa+)+$', `${a(LONG)}!`],
  ['^((a+)+)+$', `${a(LONG)}!`],
  ['^(a|a)*$', `${a(LONG)}!`],
  ['^(a|aa)+$', `${a(LONG)}!`],
  ['^(a|a?)+$', `${a(LONG)}!`],
  ['^(a|b|ab)*$', `${'ab'.repeat(LONG)}!`],
  ['(.*)*=', a(LONG)],
  ['(.*.*)*=', a(LONG)],
  ['.*.*.*.*=', a(LONG)],
  ['^(.+)+;$', a(LONG)],
  ['(x+x+)+y', 'x'.repeat(LONG)],
  ['(?:x+x+)+y', 'x'.repeat(LONG)],
  ['^(\\w+\\s?)*$', `${'aaa '.repeat(500)}!`],
  ['^(\\d+)*$', `${'1'.repeat(LONG)}x`],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    a(LONG),
  ],
  ['^([0-9a-zA-Z]([-.\\w]*[0-9a-zA-Z])*@([0-9a-zA-Z][-\\w]*[0-9a-zA-Z]\\.)+[a-zA-Z]{2,9})$', a(LONG)],
  ['(a?){50}a{50}', a(49)],
  ['(a?){200}', a(LONG)],
  ['a{1,200}b', a(LONG)],
  ['(a{1,10}){1,10}b', a(LONG)],
  ['(a{0,20}){0,20}$', `${a(LONG)}b`],
  ['((a{1,5}){1,5}){1,5}b', a(LONG)],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', a(LONG)],
  ['(.*a){11}b', `${a(LONG)}!`],
  ['(.*?a){11}b', `${a(LONG)}!`],
  ['^(a+?)+?$', `${a(LONG)}!`],
  ['\\s+$', `${' '.repeat(LONG)}x`],
  ['^\\s+|\\s+$', `x${' '.repeat(LONG)}x`],
  ['<(\\w+)[^>]*>.*<', '<a'.repeat(LONG)],
  ['"(?:[^"\\\\]|\\\\.)*"', `"${'\\'.repeat(LONG)}`],
  ['(\\/\\*[\\s\\S]*?\\*\\/)+x', '/**/'.repeat(LONG)],
  ['^(https?:\\/\\/)?([\\da-z.-]+)\\.([a-z.]{2,6})([\\/\\w .-]*)*\\/?$', `http://${a(LONG)}!`],
  ['(a|b)*?c', 'ab'.repeat(LONG)],
  ['(?i)^(A+)+$', `${a(LONG)}!`],
  ['(?s)(.*\\n)*x', 'a\n'.repeat(LONG)],
  ['(?m)^(.*)*$x', 'a\n'.repeat(LONG)],
  ['[a-z]*[a-z]*[a-z]*[a-z]*1', a(LONG)],
  ['(([a-z]*)*)*1', a(LONG)],
  ['^(?:a(?:a(?:a)*)*)*$', `${a(LONG)}!`],
  ['\\b(a+)+\\b!', a(LONG)],
  ['(a*a*a*a*)*b', a(LONG)],
  ['(|a)+$', `${a(LONG)}b`],
  ['(a||b)*c', 'ab'.repeat(LONG)],
  ['^(\\p{L}+)+$', `${'ä'.repeat(LONG)}!`],
  ['((ab)*)*c', 'ab'.repeat(LONG)],
  ['(.+)+(.+)+(.+)+!', a(LONG)],
];

const FUNCTIONS = [
  'regexMatch .p .t',
  'mustRegexMatch .p .t',
  'regexFind .p .t',
  'mustRegexFind .p .t',
  'regexFindAll .p .t -1',
  'mustRegexFindAll .p .t 5',
  'regexReplaceAll .p .t "x$1"',
  'mustRegexReplaceAll .p .t "x"',
  'regexReplaceAllLiteral .p .t "x"',
  'mustRegexReplaceAllLiteral .p .t "x"',
  'regexSplit .p .t -1',
  'mustRegexSplit .p .t 3',
];

/** A pattern in every function of templates that takes one; one value of the result for each. */
export function inTemplates(pattern: string, text: string, functions: readonly string[] = FUNCTIONS): Attempt {
  const calls = functions
    .map(
      (call, index) =>
        `  f${index}: {{ ${call.replace('.p', '.Values.p').replace('.t', '.Values.t')} | toJson | len }}`,
    )
    .join('\n');
  return attempt(
    chart(
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n${calls}\n`,
      JSON.stringify({ p: pattern, t: text }),
    ),
  );
}

export function inSchema(pattern: string, text: string): Attempt {
  const schema = { properties: { t: { pattern } }, patternProperties: { [pattern]: true } };
  return attempt(
    chart('a: 1', JSON.stringify({ t: text, [text]: 1 }), { 'values.schema.json': JSON.stringify(schema) }),
  );
}

export function inSelectors(pattern: string, text: string): Attempt {
  const object = (name: string): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { a: 'b' } }, data: {} });
  return attempt({
    'kustomization.yaml': JSON.stringify({
      resources: ['a.yaml'],
      patches: [{ target: { name: pattern, kind: pattern }, patch: '[{"op":"add","path":"/data/a","value":"b"}]' }],
    }),
    'a.yaml': object(text.replaceAll('\n', ' ')),
  });
}

export const GLOBS: readonly string[] = [
  `${'*a'.repeat(30)}b`,
  `${'**a'.repeat(30)}b`,
  `${'?*'.repeat(30)}b`,
  '{a,aa,aaa}*'.repeat(20),
  `${'{a,{a,{a,{a,a}}}}'.repeat(10)}b`,
  `${'*'.repeat(200)}b`,
  `${'[a-z]*'.repeat(30)}1`,
  `${'{*,**,?}'.repeat(15)}1`,
  '['.repeat(500),
  '{'.repeat(500),
  `${'{a,'.repeat(200)}a${'}'.repeat(200)}`,
  '\\'.repeat(501),
  '[!a-'.repeat(100),
  '*/'.repeat(100),
];
const NAME = `${a(200)}.yaml`;
const OBJECT = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';
const MANY = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${a(200)}${index}.yaml`, OBJECT]));

/** A pattern of file names at every place that takes one. */
export const GLOB_WAYS: Readonly<Record<string, (glob: string) => Attempt>> = {
  include: (glob) => attempt({ ...MANY, [NAME]: OBJECT }, { directory: { include: glob, recurse: true } }),
  exclude: (glob) => attempt({ ...MANY, [NAME]: OBJECT }, { directory: { exclude: glob, recurse: true } }),
  valueFiles: (glob) =>
    attempt(chart('a: 1', '{}', MANY), { helm: { valueFiles: [`${glob}*`], ignoreMissingValueFiles: true } }),
  '.Files.Glob': (glob) =>
    attempt(chart(`a: {{ .Files.Glob ${JSON.stringify(glob)} | len }}`, '{}', { [NAME]: OBJECT })),
  '.helmignore': (glob) => attempt(chart('a: 1', '{}', { ...MANY, '.helmignore': glob })),
};

/** Ranges of versions. */
export const RANGES: readonly string[] = [
  '>1.0.0 || '.repeat(2_000),
  `${'1.'.repeat(5_000)}x`,
  `>=${'1'.repeat(5_000)}`,
  `${'1.x - '.repeat(500)}2`,
  `1.2.3-${'a.'.repeat(5_000)}b`,
  ' '.repeat(20_000),
  `${'^~='.repeat(2_000)}1`,
];

export const RANGE_WAYS: Readonly<Record<string, (range: string) => Attempt>> = {
  semverCompare: (range) => attempt(chart('a: {{ semverCompare .Values.r "1.2.3" }}', JSON.stringify({ r: range }))),
  semver: (range) => attempt(chart('a: {{ semver .Values.r }}', JSON.stringify({ r: range }))),
};
