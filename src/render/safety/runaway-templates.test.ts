import { describe, expect, it } from 'vitest';
import { HELM_FUNCTIONS } from '../helm/functions/helm-functions.js';
import type { GoFunction } from '../helm/template/value/go-function.js';
import { STRING } from '../helm/template/value/go-type.js';
import { TemplateError } from '../helm/template/template-error.js';
import { TemplateSet } from '../helm/template/template-set.js';
import { attempt, chart, show } from './attempt.js';
import { counting, CROWDED, host, renderOther, runaways, runRunaway } from './runaway-templates.js';

function serves(): void {
  expect(renderOther()).toEqual({ shown: '3' });
}

describe('H4: templates without end', () => {
  it.each(runaways.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { ending, output } = runRunaway(one);
    expect({ ending, output }).toEqual({ ending: one.ends, output: expect.stringContaining(one.says) as string });
    serves();
  });

  it.each(CROWDED)('very many: %s', (_, text) => {
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
    '{{ define "a" }}{{ room }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
    '{{ define "a" }}{{ room }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
    '{{ define "a" }}{{ room }}{{ tpl "{{ include \\"a\\" . }}" . }}{{ end }}{{ include "a" . }}',
    '{{ define "a" }}{{ room }}{{ range $k, $v := dict "a" 1 }}{{ range list 1 }}{{ with 1 }}{{ if true ' +
      '}}{{ include "a" . }}{{ end }}{{ end }}{{ end }}{{ end }}{{ end }}{{ include "a" . }}',
    `{{ define "a" }}{{ room }}{{ ${'('.repeat(100)}include "a" .${')'.repeat(100)} }}{{ end }}{{ include "a" . }}`,
    '{{ define "a" }}{{ room }}{{ upper (lower (print 1 (list 2 (include "a" .)))) }}{{ end }}{{ include "a" . }}',
  ])('%s', (text) => {
    const whole = roomLeft();
    let least = whole;
    const room: GoFunction = {
      parameters: [],
      result: STRING,
      call: () => {
        least = Math.min(least, roomLeft());
        return '';
      },
    };
    expect(() =>
      TemplateSet.parse([{ name: 'page', text }], { ...HELM_FUNCTIONS, room }).execute('page', {}, { host: counting }),
    ).toThrow(TemplateError);
    expect(least / whole).toBeGreaterThan(0.25);
  });
});

/** Calls inside one another that use up this part of the stack, then the function. */
function withLess<T>(part: number, call: () => T): T {
  const eat = (calls: number): T => (calls <= 0 ? call() : eat(calls - 1));
  return eat(Math.floor(roomLeft() * part));
}

describe('H4: values are counted before they use up the stack', () => {
  // What JavaScript throws where the stack ends can be anything, and where code is compiled there the process may end.
  const deep =
    '{{ $x := dict }}{{ $y := dict }}{{ range until 5000 }}{{ $x = dict "a" $x }}{{ $y = dict "a" $y }}{{ end }}';
  it.each([
    ...['toYaml $x', 'toJson $x', 'toRawJson $x', 'toPrettyJson $x', 'mustToJson $x', 'toYamlPretty $x', 'toToml $x'],
    ...['$x', 'print $x', 'printf "%#v" $x', 'toString $x', 'quote $x', 'html $x', 'sha256sum (toJson $x)'],
    ...[
      'deepCopy $x',
      'merge $x $y',
      'mergeOverwrite $x $y',
      'deepEqual $x $y',
      'has $x (list $y)',
      'uniq (list $x $y)',
    ],
  ])('%s', (call) => {
    const set = TemplateSet.parse([{ name: 'page', text: `${deep}{{ ${call} }}` }], HELM_FUNCTIONS);
    for (const part of [0, 0.2, 0.4])
      expect(() => withLess(part, () => set.execute('page', {}, { host: counting }))).toThrow(
        /^a value is nested too deep: more than 500 maps and lists inside one another$/,
      );
  });
});

describe('H4: keys without randomness end', () => {
  it.each([
    ['zeros', 0],
    ['ones', 255],
    ['sevens', 7],
  ])('%s', (_, byte) => {
    const constant = host((count) => new Uint8Array(count).fill(byte));
    for (const call of [
      'genCA "a" 1',
      'genSelfSignedCert "a" (list) (list) 1',
      'genPrivateKey "dsa"',
      'genPrivateKey "ecdsa"',
      'genPrivateKey "ed25519"',
      'randAlphaNum 5',
      'shuffle "abcdef"',
      'randInt 1 7',
      'uuidv4',
    ]) {
      expect([call, attempt(chart(show(call)), {}, { host: constant }).ending]).toEqual([
        call,
        expect.stringMatching(/^(rendered|TEMPLATE_FAILED)$/),
      ]);
    }
  });
});
