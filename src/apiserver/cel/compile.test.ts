import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../model/json/index.js';
import { CelFailure, CelIssue, CelProgram, compileCel } from './compile.js';
import { DYN, INT, STRING, listOf, mapOf, type CelType, type ObjectField } from './types.js';
import { cpuSecondsOf } from '../../model/testing/index.js';

/** Recorded from kube-apiserver 1.34.4: what each expression gives over `self`, printed by CEL's own %s. */
interface Recorded {
  readonly self: Json;
  readonly cases: readonly {
    readonly expr: string;
    readonly text?: string;
    readonly error?: string;
    readonly issue?: string;
  }[];
}
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'cases/expressions.json'), 'utf8')) as Recorded;

const object = (fields: Readonly<Record<string, CelType>>): CelType => ({
  kind: 'object',
  name: 'object',
  fields: new Map(
    Object.entries(fields).map(([property, type]): [string, ObjectField] => [property, { property, type }]),
  ),
});
const SELF = object({
  i: INT,
  s: STRING,
  u: STRING,
  l: listOf(STRING),
  m: mapOf(STRING, INT),
  nested: object({ deep: INT }),
  none: STRING,
});
const variables: ReadonlyMap<string, CelType> = new Map([['self', SELF]]);

function show(expr: string): { text?: string; error?: string; issue?: string } {
  const plain = compileCel(expr, { variables });
  if (plain instanceof CelIssue) return { issue: plain.message };
  const program = compileCel(`'%s'.format([${expr}])`, { variables });
  if (program instanceof CelIssue) return { issue: program.message };
  const value = program.evaluate({ self: recorded.self }, { budget: 1_000_000 });
  return value instanceof CelFailure ? { error: value.message } : { text: String(value).trim() };
}

describe('expressions give what kube-apiserver gives', () => {
  for (const { expr, text, error, issue } of recorded.cases) {
    it(expr, () => {
      const got = show(expr);
      if (issue !== undefined) expect(place(got.issue ?? JSON.stringify(got))).toBe(place(issue));
      // The real server leaves an empty message out.
      else expect(got).toEqual(error === undefined ? { text: text === 'NOT SHOWN' ? '' : text } : { error });
    });
  }
});

/** Syntax errors are compared by their place only: the words of a generated parser are not ours. */
function place(issue: string): string {
  return issue
    .split('\n')
    .filter((line) => line.startsWith('ERROR'))
    .map((line) => (line.includes('Syntax error') ? 'Syntax error' : line))
    .slice(0, 1)
    .join('\n');
}

function run(text: string, self: Json, budget = 100_000): Json | CelFailure | string {
  const program = compileCel(text, { variables: ['self'] });
  return program instanceof CelProgram ? program.evaluate({ self }, { budget }) : program.message;
}

describe('an evaluation always ends', () => {
  const many = Array.from({ length: 5000 }, (_, index) => index);
  const hostile = [
    'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))',
    'self.map(x, self.map(y, self)).size() > 0',
    "self.map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.replace('a', " +
      "'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb')).join('').size() > 0",
    'self.map(x, self.indexOf(-1)).size() > 0',
    'self.exists(x, self.exists(y, x / 0 > y))',
  ];
  for (const text of hostile) {
    it(text, () => {
      const { result, seconds } = cpuSecondsOf(() => run(text, many, 300_000));
      expect(result).toBeInstanceOf(CelFailure);
      expect((result as CelFailure).overBudget).toBe(true);
      expect(seconds).toBeLessThan(5);
    });
  }

  it('a budget that is spent cannot be caught by || or all', () => {
    expect(run('self.all(x, self.all(y, true)) || true', many, 1000)).toMatchObject({ overBudget: true });
  });

  it('deep nesting is rejected without a stack overflow', () => {
    expect(run(`${'('.repeat(20_000)}1${')'.repeat(20_000)}`, 1)).toContain('recursion limit');
    expect(run('!'.repeat(20_000) + 'true', 1)).toContain('recursion limit');
    expect(run(`1${'+1'.repeat(20_000)}`, 1)).toContain('recursion limit');
    expect(run(`self${'.a'.repeat(20_000)}`, 1)).toContain('recursion limit');
    expect(run(`1${'+1'.repeat(1000)}`, 1)).toBe(1001);
  });
});

describe('keys are data', () => {
  const odd = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c", "toString": 5}') as Json;
  it.each([
    ['self.__proto__.x', 1],
    ['self.constructor', 'c'],
    ['self.toString', 5],
    ['has(self.valueOf)', false],
    ["'hasOwnProperty' in self", false],
    ['self.size()', 3],
    ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}') as Json],
  ])('%s', (text, expected) => expect(run(text, odd)).toEqual(expected));

  it('large integers stay exact', () => {
    expect(run('self.n + 1', { n: 9007199254740993n })).toBe(9007199254740994n);
    expect(compileCel('self', { variables: new Map([['self', DYN]]) })).toBeInstanceOf(CelProgram);
  });
});
