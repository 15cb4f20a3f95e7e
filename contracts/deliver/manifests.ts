import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../src/model/faults/index.js';
import { isObject } from '../../src/model/json/index.js';
import { readYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';

/** One Application, AppProject, ApplicationSet or NotebookValidationJob that somebody else wrote, and where. */
export interface FoundManifest {
  readonly where: string;
  readonly object: KubeObject;
}

const KINDS = ['Application', 'AppProject', 'ApplicationSet', 'NotebookValidationJob'];
const GROUPS = ['argoproj.io/', 'mlops.mlops.dev/'];
const SEEDS = join(import.meta.dirname, '../../../shared/seeds');

/** Every document of these kinds below a folder. Files that are templates, or no YAML at all, are passed over. */
export function manifestsBelow(folder: string): FoundManifest[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort()
    .flatMap((file) => manifestsIn(readFileSync(join(folder, file), 'utf8'), file));
}

/** The fenced YAML of the seeds; nothing where they are not here. */
export function manifestsOfSeeds(): FoundManifest[] {
  if (!existsSync(SEEDS)) return [];
  return readdirSync(SEEDS)
    .sort()
    .flatMap((file) => {
      const fences = [...readFileSync(join(SEEDS, file), 'utf8').matchAll(/^ *```ya?ml\n([\s\S]*?)^ *```/gm)];
      return fences.flatMap(([, text = '']) => manifestsIn(text, file));
    });
}

function manifestsIn(text: string, where: string): FoundManifest[] {
  if (!KINDS.some((kind) => text.includes(kind))) return [];
  try {
    return readYaml(text, { dialect: 'kubernetes', file: where }).flatMap(({ value }) => {
      if (!isObject(value) || typeof value.kind !== 'string' || !KINDS.includes(value.kind)) return [];
      const { apiVersion } = value;
      if (
        typeof apiVersion !== 'string' ||
        !GROUPS.some((group) => apiVersion.startsWith(group)) ||
        !isObject(value.metadata)
      )
        return [];
      // Pages that only show an annotation write a comment where the spec would be.
      if (value.spec === null) return [];
      return [{ where, object: { ...value, apiVersion, kind: value.kind, metadata: value.metadata } }];
    });
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
