import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../model/json/index.js';
import { Budget } from './budget.js';
import type { GoFunctions } from './value/go-function.js';
import { ANY, INT64, STRING, STRINGS } from './value/go-type.js';
import { helmExecError, helmParseError } from './helm-error.js';
import { functionError, TemplateError } from './template-error.js';
import { TemplateSet, type TemplateSource } from './template-set.js';
import type { GoObject, GoValue } from './value/go-value.js';

const CASES = join(import.meta.dirname, 'cases');

// What Go's text/template gave for these texts is in output.txt or error.txt.
describe('cases', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const given = parseJson(readFileSync(join(CASES, name, 'given.json'), 'utf8')) as unknown as {
      templates: TemplateSource[];
      values: GoValue;
    };
    const read = (file: string): string | undefined =>
      existsSync(join(CASES, name, file)) ? readFileSync(join(CASES, name, file), 'utf8') : undefined;
    expect(rendered(given.templates, given.values)).toEqual({ output: read('output.txt'), error: read('error.txt') });
  });
});

const FUNCTIONS: GoFunctions = {
  include: {
    parameters: [STRING, ANY],
    result: STRING,
    call: ([name, data], context) => context.include(String(name), data ?? null),
  },
  tpl: {
    parameters: [STRING, ANY],
    result: STRING,
    call: ([text, data], context) => context.tpl(String(text), data ?? null),
  },
  fail: {
    parameters: [STRING],
    result: STRING,
    call: ([message]) => {
      throw functionError(`HELM_ERR_START${String(message)}HELM_ERR_END`);
    },
  },
  words: { parameters: [STRING], result: STRINGS, call: ([text]) => String(text).split(' ') },
  long: { parameters: [INT64], result: INT64, call: ([value]) => value ?? null },
};

function rendered(
  templates: readonly TemplateSource[],
  values: GoValue,
  functions: GoFunctions = {},
): { output: string | undefined; error: string | undefined } {
  try {
    return { output: TemplateSet.parse(templates, functions).execute(templates[0]!.name, values), error: undefined };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { output: undefined, error: error.message };
  }
}

function failure(text: string, budget = new Budget()): TemplateError {
  try {
    TemplateSet.parse([{ name: 'c/x.yaml', text }], FUNCTIONS).execute('c/x.yaml', {}, { budget });
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('did not fail');
}

describe('functions', () => {
  const run = (text: string): string =>
    TemplateSet.parse([{ name: 'c/x.yaml', text }], FUNCTIONS).execute('c/x.yaml', { a: 'A' });

  it('give values of the type they declare', () => {
    expect(run('{{ printf "%T %T" (words "a b") (long 3) }}')).toBe('[]string int64');
  });

  it('include gives the text of a template as a value', () => {
    expect(run('{{ define "h" }}<{{ .a }}>{{ end }}{{ include "h" . | printf "%q" }}')).toBe('"<A>"');
  });

  it('tpl sees the templates of the set, and what it defines is seen by nobody else', () => {
    expect(
      run(
        '{{ define "h" }}{{ .a }}{{ end }}{{ tpl "{{ define `own` }}o{{ end }}{{ include `own` . }}{{ ' +
          'include `h` . }}{{ .none }}" . }}',
      ),
    ).toBe('oA');
    expect(failure('{{ tpl "{{ define `own` }}o{{ end }}" . }}{{ include "own" . }}').message).toContain(
      'no template "own" associated with template "gotpl"',
    );
  });
});

describe('hostile templates end', () => {
  it('a loop', () => {
    expect(failure('{{ range 9223372036854775807 }}{{ end }}', new Budget({ steps: 1000 }))).toMatchObject({
      kind: 'budget',
    });
  });

  it('a flood', () => {
    expect(failure('{{ range 100000 }}0123456789{{ end }}', new Budget({ output: 1000 }))).toMatchObject({
      kind: 'budget',
    });
  });

  it('templates that include themselves', () => {
    expect(failure('{{ define "h" }}{{ include "h" . }}{{ end }}{{ include "h" . }}').message).toMatch(
      /rendering template has a nested reference name: h: unable to execute template$/,
    );
    expect(failure('{{ define "h" }}{{ template "h" . }}{{ end }}{{ template "h" . }}').message).toMatch(
      /exceeded maximum template depth \(100000\)$/,
    );
    expect(failure('{{ define "h" }}{{ tpl "{{ template `h` . }}" . }}{{ end }}{{ template "h" . }}').kind).toBe(
      'exec',
    );
  });

  it('blocks and parentheses inside one another', () => {
    expect(failure(`${'{{ if 1 }}'.repeat(50_000)}${'{{ end }}'.repeat(50_000)}`).kind).toBe('parse');
    expect(failure(`{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`).message).toContain(
      'max expression depth exceeded',
    );
    expect(failure(`{{ if 0 }}${'{{ else if 0 }}'.repeat(50_000)}{{ end }}`).kind).toBe('parse');
  });

  it('a map that contains itself', () => {
    const loop: GoObject = {};
    loop['self'] = loop;
    const set = TemplateSet.parse([{ name: 'x', text: '{{ . }}' }], {});
    expect(() => set.execute('x', loop)).toThrow('nested too deep');
  });

  it('names from the prototype are ordinary keys', () => {
    const set = TemplateSet.parse([{ name: 'x', text: '[{{ .constructor }}{{ .__proto__ }}{{ .toString }}]' }], {});
    expect(set.execute('x', {})).toBe('[<no value><no value><no value>]');
  });
});

describe('errors as Helm words them', () => {
  it('a text that does not parse', () => {
    expect(helmParseError('c/x.yaml', failure('a\n{{ nofunction }}'))).toBe(
      'parse error at (c/x.yaml:2): function "nofunction" not defined',
    );
  });

  it('a nil pointer, with the templates on the way to it', () => {
    expect(helmExecError('c/x.yaml', failure('{{ define "h" }}{{ .a.b }}{{ end }}\n{{ include "h" . }}'))).toBe(
      [
        'c/x.yaml:2:3',
        '  executing "c/x.yaml" at <include "h" .>:',
        '    error calling include:',
        'c/x.yaml:1:21',
        '  executing "h" at <.a.b>:',
        '    nil pointer evaluating interface {}.b',
      ].join('\n'),
    );
  });

  it('the message of fail alone', () => {
    expect(
      helmExecError('c/x.yaml', failure('{{ define "h" }}{{ fail "say: this" }}{{ end }}{{ include "h" . }}')),
    ).toBe('execution error at (c/x.yaml:1:50): say: this');
  });

  it('the error of any other function as Go gives it', () => {
    expect(helmExecError('c/x.yaml', failure('{{ index .a 1 }}'))).toBe(
      'template: c/x.yaml:1:3: executing "c/x.yaml" at <index .a 1>: error calling index: index of untyped nil',
    );
  });
});

it('the same text is parsed once', () => {
  const source = { name: 'c/x.yaml', text: '{{ range .l }}{{ . }}{{ end }}' };
  const first = TemplateSet.parse([source], FUNCTIONS);
  const second = TemplateSet.parse([{ ...source }], FUNCTIONS);
  expect(first.body('c/x.yaml')).toBe(second.body('c/x.yaml'));
});
