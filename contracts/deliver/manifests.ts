import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, isObject, readYaml, type KubeObject } from '../../src/model/index.js';

/** One Application, AppProject or ApplicationSet that somebody else wrote, and where. */
export interface Found {
  readonly where: string;
  readonly object: KubeObject;
}

const KINDS = ['Application', 'AppProject', 'ApplicationSet'];
const SEEDS = join(import.meta.dirname, '../../../shared/seeds');

/** Every document of these kinds below a folder. Files that are templates, or no YAML at all, are passed over. */
export function manifestsBelow(folder: string): Found[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ya?ml|json)$/.test(file)).sort()
    .flatMap((file) => manifestsIn(readFileSync(join(folder, file), 'utf8'), file));
}

/** The fenced YAML of the seeds; nothing where they are not here. */
export function manifestsOfSeeds(): Found[] {
  if (!existsSync(SEEDS)) return [];
  return readdirSync(SEEDS).sort().flatMap((file) => {
    const fences = [...readFileSync(join(SEEDS, file), 'utf8').matchAll(/^ *```ya?ml\n([\s\S]*?)^ *```/gm)];
    return fences.flatMap(([, text = '']) => manifestsIn(text, file));
  });
}

function manifestsIn(text: string, where: string): Found[] {
  if (!KINDS.some((kind) => text.includes(kind))) return [];
  try {
    return readYaml(text, { dialect: 'kubernetes', file: where }).flatMap(({ value }) => {
      if (!isObject(value) || typeof value.kind !== 'string' || !KINDS.includes(value.kind)) return [];
      if (typeof value.apiVersion !== 'string' || !value.apiVersion.startsWith('argoproj.io/') || !isObject(value.metadata)) return [];
      return [{ where, object: { ...value, apiVersion: value.apiVersion, kind: value.kind, metadata: value.metadata } }];
    });
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
