import { hasManySources, sourceFieldsOf } from '../../model/argo/index.js';
import { formatPointer, isObject, type JsonObject } from '../../model/json/index.js';
import { parseSemver } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { Fault } from '../../model/faults/index.js';
import type { ChecklistInput, Finding } from './checklist-input.js';

/** Production follows a branch that people keep, or a version that nobody can move. */
export function checkBranch({ application, isProduction, policy: { branches } }: ChecklistInput): Finding[] {
  if (!isProduction) return [{ state: 'holds', message: 'not chosen as production: it may follow any branch' }];
  const { spec } = application;
  if (!isObject(spec)) return [];
  if (isObject(spec.sourceHydrator))
    return [{ state: 'unchecked', message: 'a hydrator writes the branch that it follows' }];
  const hasMany = hasManySources(application);
  return sourceFieldsOf(application).flatMap(({ source, path }) =>
    checkSource(source, {
      branches,
      field: formatPointer([...path.map(String), 'targetRevision']),
      written: (revision) =>
        hasMany
          ? { sources: [{ ...identity(source), targetRevision: revision }] }
          : { source: { targetRevision: revision } },
    }),
  );
}

interface Followed {
  readonly branches: readonly string[];
  readonly field: string;
  readonly written: (revision: string) => JsonObject;
}

/** Which of several sources is spoken of. */
function identity({ repoURL = '', path, chart, ref }: JsonObject): JsonObject {
  return {
    repoURL,
    ...(path === undefined ? {} : { path }),
    ...(chart === undefined ? {} : { chart }),
    ...(ref === undefined ? {} : { ref }),
  };
}

function checkSource(source: JsonObject, { branches, field, written }: Followed): Finding[] {
  const revision = typeof source.targetRevision === 'string' ? source.targetRevision : '';
  const isChart =
    (typeof source.chart === 'string' && source.chart !== '') ||
    (typeof source.repoURL === 'string' && source.repoURL.startsWith('oci://'));
  if (isVersion(revision) || (isChart && /^sha256:[0-9a-f]{64}$/.test(revision))) return [];
  if (isChart) {
    return [
      {
        state: 'fails',
        field,
        message:
          revision === ''
            ? 'it names no version of its chart: the newest is taken, whenever there is one'
            : `${JSON.stringify(revision)} is no single version: the newest that fits is taken, whenever there is one`,
        remedy: 'write the version that runs; argosy app get shows it',
      },
    ];
  }
  if (
    branches.includes(revision) ||
    branches.some((branch) => revision === `refs/heads/${branch}`) ||
    /^[0-9a-f]{40}$/.test(revision)
  )
    return [];
  const [main = 'main'] = branches;
  const message =
    revision === '' || revision === 'HEAD'
      ? 'it follows whatever branch the repository calls its default'
      : `it follows ${JSON.stringify(revision)}, not ${branches.join(' or ')}: a branch that was left behind ` +
        'lacks files, and nobody sees it drift';
  return [
    {
      state: 'fails',
      field,
      message,
      remedy: `merge what is there into ${main}, then follow it`,
      add: writeYaml({ spec: written(main) }),
    },
  ];
}

/** A tag or chart version such as v1.2.3. */
function isVersion(revision: string): boolean {
  try {
    const version = revision.replace(/^refs\/tags\//, '');
    parseSemver(version);
    return /^v?\d+\.\d+\.\d/.test(version);
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
