import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../../model/index.js';
import { HELM_FUNCTIONS } from '../helm/functions/helm-functions.js';
import { Budget } from '../helm/template/budget.js';
import type { GoFunction } from '../helm/template/go-function.js';
import { STRING } from '../helm/template/go-type.js';
import { TemplateError } from '../helm/template/template-error.js';
import { TemplateSet } from '../helm/template/template-set.js';
import { attempt, chart, show, type Attempt } from '../testing/attempt.js';

interface Runaway {
  readonly name: string;
  readonly text: string;
  readonly ends: string;
  readonly says: string;
  readonly values?: string;
  readonly steps?: number;
}

const TABLE = 'runaway-templates.yaml';
const runaways = readOneYaml(readFileSync(join(import.meta.dirname, TABLE), 'utf8'), { dialect: 'kubernetes', file: TABLE }) as unknown as readonly Runaway[];
const host = (bytes: (count: number) => Uint8Array): { now(): bigint; random(count: number): Uint8Array; zone: string } => ({ now: () => 0n, random: bytes, zone: 'UTC' });
const counting = host((count) => Uint8Array.from({ length: count }, (_, index) => (index * 151 + count) & 255));

function run({ text, values, steps }: Runaway): Pick<Attempt, 'ending' | 'shown'> {
  if (steps === undefined) return attempt(chart(text, values));
  try {
    return { ending: 'rendered', shown: TemplateSet.parse([{ name: 'page', text }], HELM_FUNCTIONS).execute('page', {}, { budget: new Budget({ steps }), host: counting }) };
  } catch (error) {
    if (error instanceof TemplateError && error.kind === 'budget') return { ending: 'RENDER_LIMIT', shown: error.message };
    throw error;
  }
}

function serves(): void {
  expect(attempt(chart(show('add 1 2'))).objects).toMatchObject([{ data: { shown: '3' } }]);
}

describe('H4: templates without end', () => {
  it.each(runaways.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { ending, shown } = run(one);
    expect({ ending, shown }).toEqual({ ending: one.ends, shown: expect.stringContaining(one.says) as string });
    serves();
  });

  it.each([
    ['brackets', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`], ['brackets never closed', `{{ ${'('.repeat(100_000)}`], ['conditions', `${'{{ if true }}'.repeat(20_000)}${'{{ end }}'.repeat(20_000)}`],
    ['conditions one after the other', `{{ if false }}${'{{ else if false }}'.repeat(20_000)}{{ end }}`], ['definitions', '{{ define "a" }}'.repeat(20_000)], ['blocks', '{{ block "a" . }}'.repeat(20_000)],
    ['stages of a pipeline', `{{ 1${' | add 1'.repeat(20_000)} }}`], ['fields', `{{ ${'.a'.repeat(100_000)} }}`], ['arguments', `{{ list ${'1 '.repeat(20_000)} | len }}`], ['a comment', `{{/* ${'*'.repeat(100_000)}`], ['a text', `{{ "${'\\'.repeat(100_001)}`], ['a number', `{{ ${'9'.repeat(100_000)} }}`],
    ['variables', Array.from({ length: 3_000 }, (_, index) => `{{ $v${index} := 1 }}`).join('')],
  ])('very many: %s', (_, text) => {
    expect(attempt(chart(text)).ending).toMatch(/^(rendered|TEMPLATE_FAILED|RENDER_LIMIT|MANIFEST_INVALID)$/);
    serves();
  });
});

/** How many calls fit the stack from here on. */
function roomLeft(): number {
  let calls = 0;
  const call = (): void => {
    calls++;
    call();
  };
  try {
    call();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return calls;
}

describe('H4: templates end before the stack does', () => {
  // At its end Node may end the whole process, where a regular expression has to be compiled there.
  it.each([
    '{{ define "a" }}{{ room }}{{ include "a" . }}{{ end }}{{ include "a" . }}', '{{ define "a" }}{{ room }}{{ template "a" . }}{{ end }}{{ template "a" . }}', '{{ define "a" }}{{ room }}{{ tpl "{{ include \\"a\\" . }}" . }}{{ end }}{{ include "a" . }}',
    '{{ define "a" }}{{ room }}{{ range $k, $v := dict "a" 1 }}{{ range list 1 }}{{ with 1 }}{{ if true }}{{ include "a" . }}{{ end }}{{ end }}{{ end }}{{ end }}{{ end }}{{ include "a" . }}',
    `{{ define "a" }}{{ room }}{{ ${'('.repeat(100)}include "a" .${')'.repeat(100)} }}{{ end }}{{ include "a" . }}`, '{{ define "a" }}{{ room }}{{ upper (lower (print 1 (list 2 (include "a" .)))) }}{{ end }}{{ include "a" . }}',
  ])('%s', (text) => {
    const whole = roomLeft();
    let least = whole;
    const room: GoFunction = { parameters: [], result: STRING, call: () => {
      least = Math.min(least, roomLeft());
      return '';
    } };
    expect(() => TemplateSet.parse([{ name: 'page', text }], { ...HELM_FUNCTIONS, room }).execute('page', {}, { host: counting })).toThrow(TemplateError);
    expect(least / whole).toBeGreaterThan(0.25);
  });
});

describe('H4: keys without randomness end', () => {
  it.each([['zeros', 0], ['ones', 255], ['sevens', 7]])('%s', (_, byte) => {
    const constant = host((count) => new Uint8Array(count).fill(byte));
    for (const call of ['genCA "a" 1', 'genSelfSignedCert "a" (list) (list) 1', 'genPrivateKey "dsa"', 'genPrivateKey "ecdsa"', 'genPrivateKey "ed25519"', 'randAlphaNum 5', 'shuffle "abcdef"', 'randInt 1 7', 'uuidv4']) {
      expect([call, attempt(chart(show(call)), {}, { host: constant }).ending]).toEqual([call, expect.stringMatching(/^(rendered|TEMPLATE_FAILED)$/)]);
    }
  });
});
