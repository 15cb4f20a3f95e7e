import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml } from '../../src/model/yaml/index.js';
import type { Json, JsonObject } from '../../src/model/json/index.js';

/** A script and the objects it judges, in turns. */
export interface Subject {
  readonly name: string;
  readonly script: string;
  /** Argo CD opens all libraries for scripts of its own, and none of them for an administrator's. */
  readonly openLibs: boolean;
  readonly objects: readonly JsonObject[];
}

const ARGO_CD = 'github.com/argoproj/argo-cd/v3@v3.5.6';
const KINDS = {
  InferenceService: 'serving.kserve.io/InferenceService',
  Rollout: 'argoproj.io/Rollout',
  Certificate: 'cert-manager.io/Certificate',
};

/** Argo CD's scripts with the objects of its own tests, from the cache of Go modules, and a script of ours. */
export function loadSubjects(): Subject[] {
  const module = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', ARGO_CD], {
      cwd: join(import.meta.dirname, 'go'),
      encoding: 'utf8',
    }),
  ) as { Dir: string };
  const theirs = Object.entries(KINDS).map(([name, path]) =>
    argoSubject(name, join(module.Dir, 'resource_customizations', path)),
  );
  const script = readFileSync(join(import.meta.dirname, 'notebook-validation-job.lua'), 'utf8');
  return [...theirs, { name: 'NotebookValidationJob', script, openLibs: false, objects: notebookJobs() }];
}

function argoSubject(name: string, folder: string): Subject {
  const cases = readFileSync(join(folder, 'health_test.yaml'), 'utf8');
  const paths = [...cases.matchAll(/inputPath: (\S+)/g)].map((match) => match[1] ?? '');
  return {
    name,
    script: readFileSync(join(folder, 'health.lua'), 'utf8'),
    openLibs: true,
    objects: paths.map((path) => readObject(join(folder, path))),
  };
}

function readObject(path: string): JsonObject {
  const [document] = readYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes', duplicates: 'last', file: path });
  if (document === undefined) throw new Error(`${path} holds no object`);
  return document.value as JsonObject;
}

function notebookJobs(): JsonObject[] {
  const cells = (failedAt: number): Json[] =>
    Array.from({ length: 12 }, (_, index) =>
      index === failedAt
        ? { cellIndex: index, status: 'Failure', errorMessage: 'NameError: name "frame" is not defined' }
        : { cellIndex: index, status: 'Success', output: 'ok' },
    );
  const job = (status: Json): JsonObject => ({
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { name: 'fraud-model', namespace: 'data-science', generation: 2, labels: { app: 'fraud', team: 'risk' } },
    spec: {
      notebook: { git: { url: 'https://git.example.com/risk/notebooks.git', ref: 'main' }, path: 'train.ipynb' },
      podConfig: {
        containerImage: 'registry.example.com/notebook:1',
        resources: { limits: { cpu: '1', memory: '2Gi' } },
      },
      timeout: '30m',
    },
    ...(status === null ? {} : { status }),
  });
  return [
    job(null),
    job({ phase: 'Initializing', observedGeneration: 2 }),
    job({
      phase: 'Running',
      validationPodName: 'fraud-model-validation',
      observedGeneration: 2,
      conditions: [{ type: 'Ready', status: 'False', reason: 'PodRunning' }],
    }),
    job({ phase: 'Succeeded', observedGeneration: 2, completionTime: '2026-01-02T03:04:05Z', results: cells(-1) }),
    job({ phase: 'Failed', observedGeneration: 2, retryCount: 2, message: 'the pod failed', results: cells(7) }),
    job({ phase: 'Succeeded', observedGeneration: 1 }),
  ];
}
