import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { HELM_FUNCTIONS, Budget, TemplateError, TemplateSet } from '../helm/index.js';
import { attempt, chart, show, type Attempt } from './attempt.js';
import { TextTemplate } from '../go-template/index.js';

export interface Runaway {
  readonly name: string;
  readonly text: string;
  readonly ends: string;
  readonly says: string;
  readonly values?: string;
  readonly steps?: number;
}

const TABLE = 'runaway-templates.yaml';
export const runaways = readOneYaml(readFileSync(join(import.meta.dirname, TABLE), 'utf8'), {
  dialect: 'kubernetes',
  file: TABLE,
}) as unknown as readonly Runaway[];
export const host = (
  bytes: (count: number) => Uint8Array,
): { now(): bigint; random(count: number): Uint8Array; zone: string } => ({
  now: () => 0n,
  random: bytes,
  zone: 'UTC',
});
export const counting = host((count) => Uint8Array.from({ length: count }, (_, index) => (index * 151 + count) & 255));

export function runRunaway({ text, values, steps }: Runaway): Pick<Attempt, 'ending' | 'output'> {
  if (steps === undefined) return attempt(chart(text, values));
  try {
    return {
      ending: 'rendered',
      output: TemplateSet.parse([{ name: 'page', text }], HELM_FUNCTIONS).execute(
        'page',
        {},
        { budget: new Budget({ steps }), host: counting },
      ),
    };
  } catch (error) {
    if (error instanceof TemplateError && error.kind === 'budget')
      return { ending: 'RENDER_LIMIT', output: error.message };
    throw error;
  }
}

/** A message as `argocd-notifications-cm` may have it: the text, or why there is none. */
export function messageOf(text: string): string {
  try {
    return TextTemplate.parse('message', text).fill({ app: { metadata: { name: 'shop' } }, secrets: {} }, counting);
  } catch (error) {
    if (error instanceof Fault) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** What a template gives that everybody can render: whether the process still serves. */
export function renderOther(): unknown {
  return attempt(chart(show('add 1 2'))).objects[0]?.data;
}

/** Templates with very many of something. */
export const CROWDED: readonly (readonly [string, string])[] = [
  ['brackets', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`],
  ['brackets never closed', `{{ ${'('.repeat(100_000)}`],
  ['conditions', `${'{{ if true }}'.repeat(20_000)}${'{{ end }}'.repeat(20_000)}`],
  ['conditions one after the other', `{{ if false }}${'{{ else if false }}'.repeat(20_000)}{{ end }}`],
  ['definitions', '{{ define "a" }}'.repeat(20_000)],
  ['blocks', '{{ block "a" . }}'.repeat(20_000)],
  ['stages of a pipeline', `{{ 1${' | add 1'.repeat(20_000)} }}`],
  ['fields', `{{ ${'.a'.repeat(100_000)} }}`],
  ['arguments', `{{ list ${'1 '.repeat(20_000)} | len }}`],
  ['a comment', `{{/* ${'*'.repeat(100_000)}`],
  ['a text', `{{ "${'\\'.repeat(100_001)}`],
  ['a number', `{{ ${'9'.repeat(100_000)} }}`],
  ['variables', Array.from({ length: 3_000 }, (_, index) => `{{ $v${index} := 1 }}`).join('')],
];
