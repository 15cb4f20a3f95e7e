import { describe, expect, it } from 'vitest';
import type { ChartInput } from '../prepare-chart.js';
import { renderChart } from '../render-chart.js';
import { treeOf } from '../../testing/tree.js';
import { TreeReader } from '../../common/tree-reader.js';
import { explainFailure, MissingValueFault } from './missing-value.js';
import { parsePath, pathText } from './path-text.js';

/** The steps of a template that fails, each as its key and state. */
function steps(template: string, values = '', helpers = ''): string[] | string {
  const tree = treeOf({
    'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    'c/values.yaml': values,
    'c/templates/a.yaml': template,
    'c/templates/_h.tpl': helpers,
  });
  const input: ChartInput = {
    source: { kind: 'folder', reader: new TreeReader(tree), path: 'c' },
    values: [],
    sets: [],
    charts: new Map(),
  };
  try {
    renderChart({
      ...input,
      release: { name: 'r', namespace: 'n' },
      kubeVersion: '1.34.4',
      context: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
    });
    return 'renders';
  } catch (error) {
    const explained = explainFailure(error, input);
    if (!(explained instanceof MissingValueFault)) return 'not explained';
    return explained.missing.steps.map((step) =>
      step.kind === 'constant' ? step.text : `${step.key} ${step.state}${step.isFailed ? ' failed' : ''}`,
    );
  }
}

describe('the way of a value', () => {
  it.each<[string, string, string, string[]]>([
    ['a plain path', 'a: {{ .Values.a.b.c }}', 'a: {}', ['a.b.c unset failed']],
    ['from the root', '{{ range list 1 }}a: {{ $.Values.a.b }}{{ end }}', '', ['a.b unset failed']],
    ['default in front', 'a: {{ default .Values.x.y .Values.z }}', 'z: 1', ['z set', 'x.y unset failed']],
    [
      'in parentheses',
      'a: {{ required "m" ((.Values.a).b | default (.Values.c)) }}',
      'c: ""',
      ['a.b unset', 'c empty'],
    ],
    ['index', 'a: {{ required "m" (index .Values "a" "b") }}', 'a: {b: ""}', ['a.b empty']],
    ['dig', 'a: {{ required "m" (dig "a" "b" "" .Values.AsMap) }}', 'a: {b: ""}', ['a.b empty', '""']],
    ['get', 'a: {{ required "m" (get .Values.a "b") }}', 'a: {}', ['a.b unset']],
    [
      'a variable',
      '{{ $x := .Values.a | default .Values.b }}\na: {{ required "m" $x }}',
      'b: ""',
      ['a unset', 'b empty'],
    ],
    ['a field of a variable', '{{ $x := .Values.a }}\na: {{ $x.b.c }}', 'a: {}', ['a.b.c unset failed']],
    ['inside with', '{{ with .Values.a }}a: {{ .b.c }}{{ end }}', 'a: {x: 1}', ['a.b.c unset failed']],
    [
      'another function on top',
      'a: {{ required "m" (.Values.a | trim | quote | trimAll "\\"") }}',
      'a: ""',
      ['a empty'],
    ],
    ['a condition around fail', '{{ if not .Values.a }}{{ fail "no" }}{{ end }}', '', ['a unset']],
    ['the else of a condition', '{{ if .Values.a }}x: 1{{ else }}{{ fail "no" }}{{ end }}', '', ['a unset']],
    [
      'a condition of several',
      '{{ if and .Values.a (not .Values.b) }}{{ fail "no" }}{{ end }}',
      'a: 1',
      ['a set', 'b unset'],
    ],
  ])('%s', (_, template, values, expected) => {
    expect(steps(template, values)).toEqual(expected);
  });

  it('leads through helpers', () => {
    expect(
      steps(
        'a: {{ required "m" (include "h" .) }}',
        'b: ""',
        '{{ define "h" }}{{ .Values.a | default .Values.b }}{{ end }}',
      ),
    ).toEqual(['a unset', 'b empty']);
    expect(
      steps('a: {{ include "h" (dict "context" $) }}', '', '{{ define "h" }}{{ .context.Values.a.b }}{{ end }}'),
    ).toEqual(['a.b unset failed']);
    expect(
      steps('a: {{ include "h" . }}', '', '{{ define "h" }}{{ include "h" . }}{{ required "m" .Values.x }}{{ end }}'),
    ).not.toBe('renders');
  });

  it('is not told where no value is concerned', () => {
    expect(steps('{{ fail "always" }}')).toBe('not explained');
    expect(steps('a: {{ .Values.x')).toBe('not explained');
    expect(steps('a: {{ tpl "{{ required \\"m\\" nil }}" . }}')).toBe('not explained');
  });
});

it.each([
  ['a.b', ['a', 'b']],
  ['a\\.b/c', ['a.b/c']],
  ['a[0].b', ['a', '0', 'b']],
  ['a[0][1]', ['a', '0', '1']],
])('the key %s is a path', (text, path) => {
  expect(parsePath(text)).toEqual(path);
});

it('a path is written as --set reads it', () => {
  expect(pathText(['a.b', 'c=d', '__proto__'])).toBe('a\\.b.c\\=d.__proto__');
  expect(() => parsePath('a..b')).toThrow('is no key');
  expect(() => parsePath('a[x]')).toThrow('is no key');
});
