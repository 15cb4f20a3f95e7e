import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../model/faults/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import { Expression } from './expression.js';
import { STRINGS_NAMESPACE, REPO_NAMESPACE, timeNamespace } from './namespaces.js';
import { formatValue, type Value } from './value.js';

/** What expr 1.17.8 gives for the same application and the same functions; `fails` also where it refuses to compile. */
const { now, app, cases } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../cases/expressions.json'), 'utf8'),
) as {
  now: string;
  app: JsonObject;
  cases: { expression: string; gives?: string; fails?: true }[];
};

const variables = new Map<string, Value>([
  ['app', app],
  ['time', timeNamespace(new Date(now))],
  ['strings', STRINGS_NAMESPACE],
  ['repo', REPO_NAMESPACE],
]);
const give = (source: string): string => formatValue(Expression.parse(source).evaluate(variables));

describe('an expression', () => {
  it.each(cases.map(({ expression, gives, fails }) => [expression, gives, fails] as const))(
    '%s',
    (expression, gives, fails) => {
      if (fails === true) expect(() => give(expression)).toThrow(Fault);
      else expect(give(expression)).toBe(gives);
    },
  );

  it('knows repositories by any form of their URL', () => {
    for (const url of [
      'https://git.example.com/shop/web.git',
      'git@git.example.com:shop/web.git',
      'ssh://git@git.example.com/shop/web.git',
    ]) {
      expect(give(`repo.FullNameByRepoURL('${url}')`)).toBe('shop/web');
      expect(give(`repo.RepoURLToHTTPS('${url}')`)).toBe('https://git.example.com/shop/web.git');
    }
    expect(give("repo.QueryEscape('a b&c')")).toBe('a+b%26c');
  });

  it('reaches nothing but what it is given', () => {
    for (const source of [
      'app.constructor',
      'app.__proto__',
      'app.metadata.toString',
      'constructor',
      'app["hasOwnProperty"]',
    ])
      expect(give(source)).toBe('<nil>');
    for (const source of ['time.Now.constructor', 'strings.ToUpper.call', "'a'.length", 'app.status.conditions.length'])
      expect(() => give(source)).toThrow(Fault);
  });

  it('ends, whatever is written', () => {
    expect(() => give('('.repeat(10_000))).toThrow(Fault);
    expect(() => give('1..100000000')).toThrow('too long');
    expect(() => give("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' matches '(a+)+$'")).not.toThrow();
    expect(() => give("'a' matches '('")).toThrow(Fault);
    expect(() => give('all(1..1000, all(1..1000, {# > 0}))')).toThrow('too long');
  });
});
