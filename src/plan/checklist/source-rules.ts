import { hasManySources, sourceFieldsOf } from '../../model/argo/index.js';
import { formatPointer, isObject, type JsonObject } from '../../model/json/index.js';
import { parseSemver } from '../../model/formats/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { Fault } from '../../model/faults/index.js';
import type { ChecklistInput, Finding } from './checklist-input.js';

/** Production follows a branch that people keep, or a version that nobody can move. */
export function checkBranch({ application, isProduction, policy: { branches } }: ChecklistInput): Finding[] {
  if (!isProduction) return [{ state: 'holds', message: 'not a production application: any branch is fine' }];
  const { spec } = application;
  if (!isObject(spec)) return [];
  if (isObject(spec.sourceHydrator))
    return [{ state: 'unchecked', message: 'the hydrator writes the branch that it tracks' }];
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
            ? 'no chart version: every new version is deployed'
            : `${JSON.stringify(revision)} is a range: every new version that matches is deployed`,
        remedy: 'pin the version that is deployed now; argosy app get shows it',
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
      ? 'tracks the default branch of the repository, whichever that is'
      : `tracks ${JSON.stringify(revision)}, not ${branches.join(' or ')}: an outdated branch loses files and ` +
        'drifts unnoticed';
  return [
    {
      state: 'fails',
      field,
      message,
      remedy: `merge it into ${main}, then track that`,
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
