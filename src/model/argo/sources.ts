import { isObject, listAt, objectAt, textAt, type Json, type JsonObject } from '../json/index.js';

/** One source of an Application, and the field that it is written in. */
export interface SourceField {
  readonly source: JsonObject;
  readonly path: readonly (string | number)[];
}

/**
 * The sources of an Application or of an ApplicationSet's template, as Argo CD's `spec.GetSources()` chooses them: a
 * hydrator's sync source alone; else `spec.sources` if it is not empty; else `spec.source`.
 */
export function sourceFieldsOf(application: Json | undefined): SourceField[] {
  const hydrator = objectAt(application, 'spec', 'sourceHydrator');
  if (hydrator !== undefined)
    return [{ source: syncSourceOf(hydrator), path: ['spec', 'sourceHydrator', 'syncSource'] }];
  const many = listAt(application, 'spec', 'sources').flatMap((source, index) =>
    isObject(source) ? [{ source, path: ['spec', 'sources', index] }] : [],
  );
  if (many.length > 0) return many;
  const one = objectAt(application, 'spec', 'source');
  return one === undefined ? [] : [{ source: one, path: ['spec', 'source'] }];
}

export function sourcesOf(application: Json | undefined): JsonObject[] {
  return sourceFieldsOf(application).map(({ source }) => source);
}

/** Whether `spec.sources` counts; the status then speaks in plural. */
export function hasManySources(application: Json | undefined): boolean {
  return sourceFieldsOf(application)[0]?.path[1] === 'sources';
}

/** The branch and path that a hydrator writes to, in the repository of the dry source by default. */
function syncSourceOf(hydrator: JsonObject): JsonObject {
  return {
    repoURL: textAt(hydrator, 'syncSource', 'repoURL') || textAt(hydrator, 'drySource', 'repoURL'),
    path: textAt(hydrator, 'syncSource', 'path'),
    targetRevision: textAt(hydrator, 'syncSource', 'targetBranch'),
  };
}
