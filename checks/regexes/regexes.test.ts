import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { MADE, SLOW, type AllowedRegex } from './allowed.js';
import { findAmbiguity, type Ambiguity } from './find-ambiguity.js';
import { findRegexes, type FoundRegex } from './find-regexes.js';

const ROOT = join(import.meta.dirname, '../..');
const ADVICE =
  'Let neighbours have no character in common, start a run where it begins ((?<!x)x+$), let what follows ' +
  'always fit, or use indexOf. Where another limit keeps the text short, say so in ' +
  'checks/regexes/allowed.ts.';
const RULE =
  'is made while the program runs, so nobody can judge it. Patterns of strangers go through re2js; one that ' +
  'is ours may be named in checks/regexes/allowed.ts.';

interface Case {
  readonly is: Ambiguity['growth'] | 'linear';
  readonly pattern: string;
  readonly flags?: string;
  readonly part?: string;
}

const cases = readOneYaml(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8'), {
  dialect: 'kubernetes',
  file: 'cases.yaml',
}) as unknown as readonly Case[];

function violationOf(file: string, { line, text, patterns, flags }: FoundRegex): string | undefined {
  if (patterns.length === 0) return `${file}:${line}: ${text} ${RULE}`;
  for (const pattern of patterns) {
    const found = findAmbiguity(pattern, flags);
    if (found === undefined) continue;
    const growth =
      found.growth === 'exponential'
        ? 'doubles with every few characters of a text'
        : 'grows at least with the square of a text';
    return (
      `${file}:${line}: the time of ${text} ${growth}: \`${found.part}\` can read ` +
      `${JSON.stringify(found.repeated)} again and again in several ways. ${ADVICE}`
    );
  }
  return undefined;
}

const isIn = (list: readonly AllowedRegex[], file: string, { text }: FoundRegex): AllowedRegex | undefined =>
  list.find((one) => one.file === file && text.includes(one.part));

describe('regular expressions of our own', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'world', 'scripts'],
    { cwd: ROOT, encoding: 'utf8' },
  )
    .split('\n')
    .filter((file) => /\.(?:ts|mjs|js)$/.test(file) && !/\.test\.ts$|\.gen\.ts$|(?:^|\/)testing\//.test(file));

  it('take linear time, or say why not', () => {
    const used = new Set<AllowedRegex>();
    const problems: string[] = [];
    for (const file of files) {
      const source = readFileSync(join(ROOT, file), 'utf8');
      const samples = MADE.find((one) => one.file === file)?.samples;
      const found = findRegexes(file, source);
      const judged = samples === undefined ? found : findRegexes(file, source, samples);
      for (const [index, one] of found.entries()) {
        const allowed = one.patterns.length === 0 ? isIn(MADE, file, one) : undefined;
        if (allowed !== undefined) used.add(allowed);
        const seen = allowed === undefined ? one : (judged[index] ?? one);
        const problem = allowed !== undefined && seen.patterns.length === 0 ? undefined : violationOf(file, seen);
        const excuse = isIn(SLOW, file, one);
        if (problem !== undefined && excuse !== undefined) used.add(excuse);
        else if (problem !== undefined) problems.push(problem);
      }
    }
    expect(problems).toEqual([]);
    expect(
      [...SLOW, ...MADE]
        .filter((one) => !used.has(one))
        .map(({ file, part }) => `${file}: ${part} needs no permission any more`),
    ).toEqual([]);
    // It only computes: a busy machine takes longer.
  }, 240_000);
});

describe('the check itself', () => {
  it.each(cases.map((one) => [`/${one.pattern}/${one.flags ?? ''}`, one] as const))(
    '%s',
    (_, { is, pattern, flags, part }) => {
      const found = findAmbiguity(pattern, flags);
      expect(found?.growth ?? 'linear').toBe(is);
      if (part !== undefined) expect(found?.part).toBe(part);
    },
  );

  it('says where, what and what to do', () => {
    const [found] = findRegexes('a.ts', 'const a = 1;\nconst trimmed = text.replace(/\\s+$/, "");');
    expect(found === undefined ? '' : violationOf('src/a.ts', found)).toBe(
      `src/a.ts:2: the time of /\\s+$/ grows at least with the square of a text: \`\\s\` can read "  " ` +
        `again and again in several ways. ${ADVICE}`,
    );
  });

  it.each([
    ['a literal', 'x.test(/a\\/b/gi);', [['a\\/b'], 'gi']],
    ['a text', "new RegExp('a+', 'u')", [['a+'], 'u']],
    ['no new', "RegExp('a')", [['a'], '']],
    [
      'constants of the file',
      "const A = 'a'; const B = String.raw`\\d${A}`; new RegExp(`^${B}$` + A)",
      [['^\\da$a'], ''],
    ],
    ['another pattern', 'const A = /a|b/; new RegExp(A.source)', [['a|b'], '']],
    [
      'a parameter, by its calls',
      "function f(x: string) { return new RegExp(`^${x}`, 'm'); } f('a'); f('b');",
      [['^a', '^b'], 'm'],
    ],
    [
      'a parameter that somebody else may give',
      "export function f(x: string) { return new RegExp(x); } f('a');",
      [[], ''],
    ],
    ['a function that is handed on', "function f(x: string) { return new RegExp(x); } f('a'); names.map(f);", [[], '']],
    ['something unknown', 'new RegExp(readIt())', [[], '']],
  ] as const)('reads %s', (_, source, [patterns, flags]) => {
    const found = findRegexes('a.ts', source).at(-1);
    expect([found?.patterns, found?.flags]).toEqual([patterns, flags]);
  });
});
