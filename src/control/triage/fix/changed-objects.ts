import { equal, isArray, isObject, own, type Json } from '../../../model/json/index.js';
import { keyOf, keyText, type KubeObject } from '../../../model/kubernetes/index.js';
import type { ApplicationRender } from './render-applications.js';

export interface ChangedObject {
  readonly id: string;
  /** Without the namespace of its application, which things of the whole cluster do not have. */
  readonly plainId: string;
  readonly name: string;
  readonly paths: readonly string[];
}

/** What one render has otherwise than another. */
export function changedObjects(before: ApplicationRender, after: ApplicationRender): ChangedObject[] {
  const ids = [...new Set([...before.manifests.keys(), ...after.manifests.keys()])].sort();
  return ids.flatMap((id) => {
    const [old, now] = [before.manifests.get(id)?.object, after.manifests.get(id)?.object];
    const some = now ?? old;
    if (some === undefined || (old !== undefined && now !== undefined && equal(old, now))) return [];
    const { namespace, name: plainName = '' } = some.metadata;
    const name = `${some.kind} ${namespace === undefined ? '' : `${namespace}/`}${plainName}`;
    return [
      {
        id,
        plainId: keyText(keyOf(some)),
        name,
        paths: changedPaths(old, now),
      },
    ];
  });
}

function changedPaths(old: KubeObject | undefined, now: KubeObject | undefined): string[] {
  if (old === undefined) return ['(new)'];
  return now === undefined ? ['(gone)'] : differingPaths(old, now).map(pathText);
}

export type Path = readonly (string | number)[];

/** Fields that differ; lists of another length count as one. */
export function differingPaths(before: Json, after: Json, path: Path = []): Path[] {
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((name) => {
      const [a, b] = [own(before, name), own(after, name)];
      return a === undefined || b === undefined ? [[...path, name]] : differingPaths(a, b, [...path, name]);
    });
  }
  if (isArray(before) && isArray(after) && before.length === after.length)
    return before.flatMap((each, index) => differingPaths(each, after[index] ?? null, [...path, index]));
  return equal(before, after) ? [] : [path];
}

function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
