import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Fault } from '../../model/faults/index.js';
import { TreeReader, type ChartInput } from '../../render/index.js';
import { readText } from '../files/index.js';
import type { LocalSource } from './source.js';
import type { ValuesFlags } from '../command/index.js';

/** The chart with the values that the flags give it. */
export function chartInput(source: LocalSource, flags: ValuesFlags): ChartInput {
  const texts = (kind: ChartInput['sets'][number]['kind'], given: readonly string[] = []): ChartInput['sets'] =>
    given.map((text) => ({ kind, text }));
  return {
    source:
      source.kind === 'archive'
        ? { kind: 'archive', bytes: source.bytes, id: source.path, path: source.path }
        : { kind: 'folder', reader: new TreeReader(source.tree), path: source.path },
    values: (flags.values ?? []).map((name) => ({ name, text: valuesText(name) })),
    sets: [
      ...texts('set', flags.set),
      ...texts('set-string', flags.setString),
      ...texts('set-file', flags.setFile),
      ...texts('set-json', flags.setJson),
      ...texts('set-literal', flags.setLiteral),
    ],
    readFile: (path) => fileText(path),
    charts: new Map(),
  };
}

function valuesText(name: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name))
    throw new Fault('USAGE', `${name} is not on this machine: download it first`, { where: '--values' });
  return readText(name);
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault('VALUES_INVALID', `failed parsing --set-file data: open ${path}: no such file or directory`, {
      where: '--set-file',
      cause,
    });
  }
}

/** Clock and chance for templates that ask for them. */
export function functionHost(now: () => number): {
  now(): bigint;
  random(count: number): Uint8Array;
  readonly zone: string;
} {
  return {
    now: () => BigInt(now()) * 1_000_000n,
    random: (count) => randomBytes(count),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
