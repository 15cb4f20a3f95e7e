import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { readOutside } from '../../world/demo/outside/open-outside.js';
import { executionMissing } from './execution.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import {
  APPLICATIONS,
  BUILDS,
  BUILD_CONFIGS,
  IMAGE_STREAMS,
  INFERENCE_SERVICES,
  PODS,
  ROLES,
  ROLE_BINDINGS,
  SECRETS,
} from '../../src/model/resources/index.js';

const WELL: JsonObject = {
  validator: {
    after: '100ms',
    log: [
      runnerLine({ event: 'start', kernel: 'k', cells: 1, codeCells: 1 }),
      runnerLine({ event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 }),
      runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
    ],
  },
};
const absent = executionMissing();

let lab: NotebookLab;
beforeAll(async () => {
  lab = await NotebookLab.open({
    world: join(import.meta.dirname, '../../world'),
    processes: { images: [{ image: 'quay.io/jupyter/minimal-notebook:latest' }] },
  });
}, 90_000);
afterAll(() => lab.close());

const build = (more: JsonObject = {}): { spec: JsonObject } => ({
  spec: { podConfig: { buildConfig: { enabled: true, ...more } } },
});

describe('the notebook operator in the world', () => {
  it('builds the image of a run, and runs the notebook in it', async () => {
    const ns = await lab.namespace('builds');
    const outside = await readOutside(lab.cluster);
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'git-login', namespace: ns },
      stringData: { username: outside.get('gitUser') ?? '', password: outside.get('gitPassword') ?? '' },
    });
    await lab.job(ns, 'train', WELL, {
      spec: {
        ...build().spec,
        notebook: {
          git: { url: outside.get('gitRepository') ?? '', ref: 'main', credentialsSecret: 'git-login' },
          path: 'notebooks/01-train.ipynb',
        },
      },
    });
    const begun = await lab.untilStatus(ns, 'train', ({ buildStatus }) => isObject(buildStatus));
    expect(begun).toMatchObject({ phase: 'Building', buildStatus: { strategy: 's2i' } });
    const done = await lab.untilStatus(ns, 'train', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
    expect(done).toMatchObject({
      phase: 'Succeeded',
      buildStatus: {
        phase: 'Complete',
        buildName: expect.stringMatching(/^train-build-[0-9a-f]{6}-1$/) as string,
        imageReference: `image-registry.openshift-image-registry.svc:5000/builds/train-build:${String(done.runId)}`,
      },
    });
    const pod = (await lab.pods(ns)).find(({ metadata }) => metadata.name === done.validationPodName);
    expect(pod?.spec).toMatchObject({
      containers: [{ image: isObject(done.buildStatus) ? done.buildStatus.imageReference : '' }],
    });
    expect(pod?.spec).not.toHaveProperty('initContainers');
    for (const ref of [BUILD_CONFIGS, IMAGE_STREAMS]) {
      const { items } = await lab.cluster.list(ref, { namespace: ns });
      expect(items.map(({ metadata }) => metadata.ownerReferences)).toMatchObject([
        [{ kind: 'NotebookValidationJob', name: 'train' }],
      ]);
    }
  });

  it.skipIf(absent !== undefined)(
    absent ?? 'an image that was built from one that may run here runs too, with the files of its repository',
    async () => {
      const ns = await lab.namespace('built');
      const outside = await readOutside(lab.cluster);
      await lab.cluster.create(SECRETS, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'git-login', namespace: ns },
        stringData: { username: outside.get('gitUser') ?? '', password: outside.get('gitPassword') ?? '' },
      });
      await lab.job(
        ns,
        'train',
        {},
        {
          spec: {
            ...build().spec,
            notebook: {
              git: { url: outside.get('gitRepository') ?? '', ref: 'main', credentialsSecret: 'git-login' },
              path: 'notebooks/01-train.ipynb',
            },
          },
        },
      );
      const done = await lab.untilStatus(
        ns,
        'train',
        ({ phase }) => phase === 'Succeeded' || phase === 'Failed',
        100_000,
      );
      expect(done).toMatchObject({
        phase: 'Succeeded',
        kernel: expect.stringContaining('ython') as string,
        buildStatus: { phase: 'Complete' },
        results: [
          { status: 'Success', output: expect.stringContaining('Notebooks of the self-healing platform') as string },
        ],
      });
    },
    120_000,
  );

  it('ends with a build that is cancelled, and cancels one that takes too long', async () => {
    const ns = await lab.namespace('no-builds');
    await lab.job(ns, 'cancelled', WELL, build());
    const name = await lab.until(
      'a build',
      async () => (await lab.cluster.list(BUILDS, { namespace: ns })).items[0]?.metadata.name,
    );
    await lab.cluster.patch(
      BUILDS,
      { namespace: ns, name },
      { type: 'merge', body: { status: { cancelled: true } } },
      { subresource: 'status' },
    );
    expect(await lab.untilStatus(ns, 'cancelled', ({ phase }) => phase === 'Failed')).toMatchObject({
      message: expect.stringContaining('CancelledBuild: The build was cancelled by the user.') as string,
      buildStatus: { phase: 'Failed' },
    });
    await lab.job(ns, 'slow', WELL, build({ timeout: '500ms' }));
    await lab.untilStatus(ns, 'slow', ({ phase }) => phase === 'Failed');
    await lab.until('its build is cancelled', async () =>
      (await lab.cluster.list(BUILDS, { namespace: ns })).items.every(
        ({ status }) => isObject(status) && status.phase === 'Cancelled',
      ),
    );
  });

  it('restarts the pods of an InferenceService, once each', async () => {
    const ns = await lab.namespace('serving');
    await lab.cluster.create(INFERENCE_SERVICES, {
      apiVersion: 'serving.kserve.io/v1beta1',
      kind: 'InferenceService',
      metadata: { name: 'my-model', namespace: ns },
      spec: { predictor: { containers: [{ name: 'kserve-container', image: 'my-model-server:latest' }] } },
    });
    const served = async (): Promise<string[]> =>
      (
        await lab.cluster.list(PODS, { namespace: ns, labelSelector: 'serving.kserve.io/inferenceservice=my-model' })
      ).items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.uid ?? '');
    const before = await lab.until('a predictor', async () => {
      const pods = await served();
      return pods.length > 0 && pods;
    });
    await lab.job(ns, 'retrain', WELL, {
      spec: { modelValidation: { targetModels: ['my-model'] } },
      metadata: {
        annotations: {
          'mlops.dev/on-success-trigger':
            '- {apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, name: my-model, namespace: ' +
            'serving, action: restart}',
        },
      },
    });
    const done = await lab.untilStatus(
      ns,
      'retrain',
      ({ triggers }) =>
        Array.isArray(triggers) && triggers.every((each) => isObject(each) && each.state === 'Succeeded'),
    );
    expect(done.triggers).toMatchObject([{ state: 'Succeeded', attempts: 1, message: '1 pod is replaced' }]);
    const after = await lab.until('another predictor', async () => {
      const pods = await served();
      return pods.length > 0 && !pods.some((uid) => before.includes(uid)) && pods;
    });
    expect(after).toHaveLength(before.length);
    expect(
      await lab.untilStatus(ns, 'retrain', ({ modelValidationResult }) => modelValidationResult !== undefined),
    ).toMatchObject({
      modelValidationResult: {
        platform: 'kserve',
        platformDetected: true,
        success: true,
        existingEnvironmentCheck: {
          success: true,
          modelsChecked: [{ modelName: 'my-model', available: true, healthy: true }],
        },
      },
    });
  });

  it('starts a sync where the service account of the job may, once per run', async () => {
    const ns = await lab.namespace('syncs');
    await lab.cluster.create(ROLES, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'sync', namespace: 'argocd' },
      rules: [{ apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['patch'] }],
    });
    await lab.cluster.create(ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'sync', namespace: 'argocd' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sync' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: ns }],
    });
    await lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'serving', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.invalid/none.git', path: '.' },
        destination: { server: 'https://kubernetes.default.svc', namespace: ns },
      },
    });
    await lab.job(ns, 'train', WELL, {
      metadata: {
        annotations: {
          'mlops.dev/on-success-trigger':
            '- {apiVersion: argoproj.io/v1alpha1, kind: Application, name: serving, action: sync}',
        },
      },
    });
    const done = await lab.untilStatus(
      ns,
      'train',
      ({ triggers }) =>
        Array.isArray(triggers) && triggers.every((each) => isObject(each) && each.state === 'Succeeded'),
    );
    expect(done.triggers).toMatchObject([{ namespace: 'argocd', state: 'Succeeded', message: 'a sync was started' }]);
    const state = await lab.until('an operation', async () => {
      const application = await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name: 'serving' });
      const [operation, status] = [application?.operation, application?.status];
      const state = isObject(status) ? status.operationState : undefined;
      const begun = isObject(state) ? state.operation : undefined;
      return isObject(operation) ? operation : isObject(begun) && begun;
    });
    expect(state).toMatchObject({
      initiatedBy: { username: 'jupyter-notebook-validator-operator' },
      sync: { syncStrategy: { hook: {} } },
    });
  });
});
