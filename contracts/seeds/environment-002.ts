import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOneYaml, writeYaml } from '../../src/model/yaml/index.js';
import type { Json, JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { NotebookLab, runnerLine } from '../notebook/notebook-lab.js';
import { readDocument } from './document.js';
import type { ShellEnvironment } from './shell-environment.js';
import { APPLICATIONS, DEPLOYMENTS, INFERENCE_SERVICES, type ResourceRef } from '../../src/model/resources/index.js';

const ROOT = join(import.meta.dirname, '../..');
const KEY = 'resource.customizations.health.mlops.mlops.dev_NotebookValidationJob';
const core = (kind: string, plural: string): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

const START = runnerLine({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 });
const GOOD: JsonObject = {
  after: '200ms',
  log: [
    START,
    runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }),
    runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
  ],
};
const BAD: JsonObject = {
  after: '200ms',
  exitCode: 1,
  log: [
    START,
    runnerLine({
      event: 'cell',
      cell: 0,
      cellType: 'code',
      status: 'Failure',
      errorType: 'ValueError',
      errorMessage: 'no rows',
    }),
    'ValueError: no rows',
    runnerLine({
      event: 'end',
      status: 'failed',
      category: 'notebook_execution_failed',
      error: 'ValueError: no rows',
      failedCell: 0,
      seconds: 1,
    }),
  ],
};

/** A notebook that succeeded, one that failed, a model server, and the server of Argo CD beside our controller. */
export async function openEnvironment(): Promise<ShellEnvironment> {
  const lab = await NotebookLab.open({
    world: { directory: join(ROOT, 'world'), only: ['kserve', 'openshift-router'] },
  });
  const git = await GitRepository.open('/nonexistent', [], (text) => text);
  await lab.cluster.create(core('ConfigMap', 'configmaps'), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'argocd', name: 'argocd-cm', labels: { 'app.kubernetes.io/part-of': 'argocd' } },
  });
  await lab.cluster.create(DEPLOYMENTS, deployment('argocd', 'argocd-server'));
  await lab.namespace('ml-platform');
  await lab.cluster.create(INFERENCE_SERVICES, {
    apiVersion: 'serving.kserve.io/v1beta1',
    kind: 'InferenceService',
    metadata: { namespace: 'ml-platform', name: 'my-model' },
    spec: { predictor: { containers: [{ name: 'kserve-container', image: 'my-model-server:latest' }] } },
  });
  await deliver(lab, git, 'ml-platform', guideJob());
  await deliver(lab, git, 'ml-experiments', withRun(notebook('old-experiment'), BAD));
  await lab.untilStatus('ml-platform', 'model-training-job', ({ phase }) => phase === 'Succeeded');
  await lab.untilStatus('ml-platform', 'old-experiment', ({ phase }) => phase === 'Failed');
  const folder = mkdtempSync(join(tmpdir(), 'argosy-seed-002-'));
  writeFileSync(join(folder, 'argocd-cm.yaml'), settingsFile());
  return {
    kubeconfig: lab.kubeconfig,
    folder,
    close: async () => {
      await lab.close();
      await git.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function deliver(
  lab: NotebookLab,
  git: GitRepository,
  name: string,
  ...objects: readonly KubeObject[]
): Promise<void> {
  await git.write(`${name}/all.yaml`, objects.map((object) => writeYaml(object)).join('---\n'));
  await git.commit();
  await lab.cluster.create(APPLICATIONS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: git.url, path: name },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'ml-platform' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  });
}

function deployment(namespace: string, name: string): KubeObject {
  const labels = { 'app.kubernetes.io/name': name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'server', image: 'quay.io/argoproj/argocd:v3.5.6' }] },
      },
    },
  };
}

function notebook(name: string): KubeObject {
  return {
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { name, namespace: 'ml-platform' },
    spec: {
      notebook: { git: { url: 'https://git.example.com/ml.git', ref: 'main' }, path: 'train.ipynb' },
      podConfig: {},
    },
  };
}

/** How its containers behave, for a cluster that runs none. */
function withRun(job: KubeObject, validator: Json): KubeObject {
  return {
    ...job,
    metadata: {
      ...job.metadata,
      annotations: {
        ...job.metadata.annotations,
        'argosy.dev/simulate': JSON.stringify({ 'git-clone': { after: '100ms' }, validator }),
      },
    },
  };
}

/** The manifest that the guide shows, or one of that name. */
function guideJob(): KubeObject {
  const written = readDocument('002')?.slice(161, 183).join('\n');
  return withRun(
    written === undefined
      ? notebook('model-training-job')
      : (readOneYaml(written, { dialect: 'kubernetes' }) as unknown as KubeObject),
    GOOD,
  );
}

/** The ConfigMap that the guide shows, or a short one under the same key. */
function settingsFile(): string {
  const own = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace: 'argocd' },
    data: { [KEY]: readFileSync(join(ROOT, 'catalogue/for-argocd/mlops.mlops.dev_NotebookValidationJob.lua'), 'utf8') },
  };
  return readDocument('002')?.slice(61, 127).join('\n') ?? writeYaml(own);
}
