import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../model/faults/index.js';
import { parseJson, type Json } from '../../../model/json/index.js';
import { ActiveChart } from '../chart/active-chart.js';
import type { ChartFile } from '../chart/chart-file.js';
import { loadFiles } from '../chart/load-files.js';
import type { GoObject } from '../template/value/go-value.js';
import { validateValues } from './validate-values.js';

const CASES = join(import.meta.dirname, 'cases');
let count = 0;

function file(name: string, text: string): ChartFile {
  return { name, bytes: Buffer.from(text), id: `${name} ${count++}`, path: name };
}

function problemsOf(schema: string, values: GoObject): string {
  const chart = new ActiveChart(
    loadFiles(
      [file('Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 1.0.0\n'), file('values.schema.json', schema)],
      '',
    ),
  );
  try {
    validateValues(chart, values);
    return '';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const message = error.message.split('shop:\n')[1] ?? error.message;
    return error.code === 'VALUES_INVALID' ? message : `${error.code} ${message}`;
  }
}

describe('a schema says what helm 4.2.1 says', () => {
  it.each(readdirSync(CASES))('%s', (name) => {
    const read = (part: string): string => readFileSync(join(CASES, name, part), 'utf8');
    const problems = problemsOf(read('values.schema.json'), parseJson(read('values.json')) as GoObject);
    expect(problems.trim()).toBe(read('helm-v4.2.1.txt').trim());
  });
});

describe('a hostile schema', () => {
  it.each([
    'https://shop.example/CANARY.json',
    'file:///etc/passwd',
    'file:///dev/zero',
    '../../other.json',
    'urn:x:y',
  ])('is not followed to %s', (address) => {
    expect(problemsOf(JSON.stringify({ $ref: address }), {})).toMatch(/references to other documents are not followed/);
  });

  it('may be a chain of ten thousand references, or a circle', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 10_000 }, (_item, index) => [
        `d${index}`,
        index === 9_999 ? { required: ['x'] } : { $ref: `#/definitions/d${index + 1}` },
      ]),
    );
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: defs, $ref: '#/definitions/d0' };
    expect(problemsOf(JSON.stringify(schema), {})).toBe("- at '': missing property 'x'\n");
    expect(problemsOf('{"allOf":[{"$ref":"#"}]}', {})).toContain('cycle');
  });

  it('ends when it asks the same again and again', () => {
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_item, index) => [
        `d${index}`,
        { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    expect(problemsOf(JSON.stringify({ $defs: { ...defs, d40: { type: 'object' } }, $ref: '#/$defs/d0' }), {})).toMatch(
      /^RENDER_LIMIT/,
    );
  });

  it('is refused when it nests too deep or is no schema', () => {
    expect(problemsOf('{"not":'.repeat(20_000) + '{}' + '}'.repeat(20_000), {})).not.toBe('');
    expect(problemsOf('{"properties":{"a":{"type":"strong"}}}', {})).toContain(
      "- at '/properties/a/type': value must be one of 'array'",
    );
    expect(problemsOf('{"pattern": "(?<a>x)(?=y)"}', {})).toContain('invalid regex');
    expect(problemsOf('{', {})).not.toBe('');
  });

  it('cannot slow a pattern down', () => {
    const values: GoObject = { a: `${'a'.repeat(40)}!` as Json };
    expect(problemsOf('{"properties":{"a":{"pattern":"^(a+)+$"}}}', values)).toContain('does not match pattern');
  });
});
