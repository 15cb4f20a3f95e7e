import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  drop,
  isArray,
  isObject,
  own,
  parseJson,
  put,
  writeJson,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { renderDirectory } from '../directory/index.js';
import { renderChart, type RenderChartRequest } from '../helm/index.js';
import { buildKustomization, kustomizationText } from '../kustomize/index.js';
import { treeOf } from '../testing/index.js';
import { TreeReader } from '../common/index.js';

/** An input whose answer by the real tool is on record. */
export interface ComparedCase {
  readonly name: string;
  readonly tool: 'helm' | 'kustomize' | 'kubectl';
  readonly files: Readonly<Record<string, string>>;
  /** Why our answer is another one: a difference that is known and described. */
  readonly differs?: string;
  /** Of `helm template`. */
  readonly args?: readonly string[];
}

export type Answer = { readonly text: string } | { readonly refused: true };

export const TABLES = ['numbers', 'durations', 'duplicate-keys', 'prototype-keys', 'charts'] as const;
export type Table = (typeof TABLES)[number];

const FOLDER = join(import.meta.dirname, 'compared');

export function readTable(table: Table): readonly ComparedCase[] {
  return readOneYaml(readFileSync(join(FOLDER, `${table}.yaml`), 'utf8'), {
    dialect: 'kubernetes',
    file: table,
  }) as unknown as readonly ComparedCase[];
}

export function answersPath(table: Table): string {
  return join(FOLDER, `${table}.json`);
}

/** What the real tools answered, by the names of the cases. */
export function readAnswers(table: Table): Readonly<Record<string, Answer>> {
  return JSON.parse(readFileSync(answersPath(table), 'utf8')) as Readonly<Record<string, Answer>>;
}

/** Our own answer to the same input. */
export function answer(given: ComparedCase): Answer {
  try {
    return { text: textOf(given) };
  } catch (error) {
    if (error instanceof Fault) return { refused: true };
    throw error;
  }
}

function textOf({ tool, files, args = [] }: ComparedCase): string {
  const reader = new TreeReader(treeOf(files));
  switch (tool) {
    case 'helm': {
      const outcome = renderChart({
        source: { kind: 'folder', reader, path: '' },
        charts: new Map(),
        ...flags(args, files),
        release: { name: 'release-name', namespace: 'default' },
        kubeVersion: '1.34.4',
        includeCrds: args.includes('--include-crds'),
        context: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
      });
      return outcome.kind === 'rendered' ? outcome.text : 'needs';
    }
    case 'kustomize': {
      const outcome = buildKustomization({ reader, path: '' });
      return outcome.kind === 'built' ? kustomizationText(outcome.manifests) : 'needs';
    }
    case 'kubectl':
      return renderDirectory(reader, '')
        .map(({ object }) => canonical(object as unknown as Json))
        .join('\n');
  }
}

function flags(args: readonly string[], files: ComparedCase['files']): Pick<RenderChartRequest, 'values' | 'sets'> {
  const values: RenderChartRequest['values'][number][] = [];
  const sets: RenderChartRequest['sets'][number][] = [];
  for (let at = 0; at + 1 < args.length; at += 2) {
    const [flag = '', text = ''] = [args[at], args[at + 1]];
    if (flag === '-f') values.push({ name: text, text: files[text] ?? '' });
    else sets.push({ kind: flag.slice(2) as RenderChartRequest['sets'][number]['kind'], text });
  }
  // Helm takes the flags of one sort after those of another, in this order.
  const order = ['set-json', 'set', 'set-string', 'set-file', 'set-literal'];
  return { values, sets: sets.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)) };
}

/** The mark that makes kubectl print an object without a server. */
export const MARK = 'argosy-compared';

/** What kubectl prints, in the form that ours has. */
export function canonicalOfKubectl(text: string): string {
  const object = parseJson(text) as JsonObject;
  const metadata = object.metadata as JsonObject;
  const annotations = metadata.annotations as JsonObject;
  drop(annotations, MARK);
  if (Object.keys(annotations).length === 0) drop(metadata, 'annotations');
  return canonical(object);
}

function canonical(value: Json): string {
  return writeJson(sorted(value));
}

function sorted(value: Json): Json {
  if (isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value).sort()) put(object, key, sorted(own(value, key) ?? null));
  return object;
}
