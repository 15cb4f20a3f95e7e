import { isArray, isObject, own, writeJson, type Json } from '../../model/json/index.js';
import { readOneYaml, writeYaml } from '../../model/yaml/index.js';
import type { Manifest } from '../common/index.js';
import { invalid } from './fault.js';

/** What `kustomize build` prints for these objects. */
export function kustomizationText(manifests: readonly Manifest[]): string {
  return manifests.map(({ object }) => printed(object)).join('---\n');
}

const FORBIDDEN = /[\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/**
 * Kustomize makes its YAML of JSON text, and some characters that JSON may hold no YAML text may: it gives up on such
 * an object.
 */
export function checkPrintable(value: Json): void {
  if (typeof value === 'string') {
    if (FORBIDDEN.test(value)) throw invalid('yaml: control characters are not allowed');
  } else if (isArray(value)) value.forEach(checkPrintable);
  else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      checkPrintable(key);
      checkPrintable(own(value, key) ?? null);
    }
  }
}

function printed(object: Json): string {
  const text = writeYaml(object);
  if (!text.includes('\\N')) return text;
  // The character "next line" is a line break to YAML, and folds to a space.
  const json = writeJson(object);
  return json.includes('\x85') ? writeYaml(readOneYaml(json, { dialect: 'kubernetes' })) : text;
}
