import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { IS_WHOLE } from '../harness/sizes.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { ExampleLab } from './examples/example-lab.js';
import { NodeByHand } from './examples/node-by-hand.js';
import { manifestFile } from './examples/repositories.js';
import { SOURCES } from './examples/source.js';
import { NotebookLab } from './notebook-lab.js';
import {
  CRDS,
  INFERENCE_SERVICES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  SERVICE_ACCOUNTS,
} from '../../src/model/resources/index.js';
import { textAt } from '../../src/model/json/index.js';

// The same three examples on the real kube-apiserver. There are no nodes and no KServe: what pods and models come to,
// the test says.
const LONG = 240_000;
const MANIFESTS = 'manifests/all.yaml';
const parts = await realParts();
const absent = parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;

describe.skipIf(absent !== undefined)(absent ?? 'the examples of the notebook guide on the real kube-apiserver', () => {
  let plane: ControlPlane;
  let lab: ExampleLab;
  let node: NodeByHand;
  beforeAll(async () => {
    plane = await startRealControlPlane({ etcdFsync: false });
    lab = await ExampleLab.of(() => NotebookLab.beside(plane.kubeconfigPath));
    node = await NodeByHand.open(lab.notebooks.cluster);
    const [definition] = readYaml(
      readFileSync(join(import.meta.dirname, '../../world/controllers/kserve/crds.yaml'), 'utf8'),
      { dialect: 'kubernetes' },
    );
    await lab.notebooks.cluster.create(CRDS, definition?.value as unknown as KubeObject);
  }, LONG);
  afterAll(async () => {
    await node.close();
    await lab.close();
    await plane.stop();
  }, LONG);

  /** What the controller manager would make of a namespace, and of its claims. */
  const settle = async (namespace: string): Promise<void> => {
    await lab.notebooks.cluster.create(SERVICE_ACCOUNTS, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    });
  };
  const bind = async (namespace: string, name: string): Promise<void> => {
    await lab.notebooks.until(
      `the claim ${name}`,
      async () => (await lab.notebooks.cluster.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name })) !== undefined,
      LONG / 2,
    );
    await lab.notebooks.cluster.patch(
      PERSISTENT_VOLUME_CLAIMS,
      { namespace, name },
      { type: 'merge', body: { status: { phase: 'Bound' } } },
      { subresource: 'status' },
    );
  };
  const started = (namespace: string, job: string): Promise<KubeObject> =>
    lab.notebooks.until(`a pod of ${job}`, () => node.start(namespace, job), LONG / 2);
  const serve = async (namespace: string, name: string, ready: 'True' | 'False'): Promise<void> => {
    await lab.notebooks.until(
      `the service ${name}`,
      async () => (await lab.notebooks.cluster.get(INFERENCE_SERVICES, { namespace, name })) !== undefined,
      LONG / 2,
    );
    await lab.notebooks.cluster.patch(
      INFERENCE_SERVICES,
      { namespace, name },
      { type: 'merge', body: { status: { conditions: [{ type: 'Ready', status: ready }] } } },
      { subresource: 'status' },
    );
  };
  const predictor = async (namespace: string, name: string): Promise<void> => {
    await lab.notebooks.cluster.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels: { 'serving.kserve.io/inferenceservice': 'my-model' } },
      spec: { containers: [{ name: 'kserve-container', image: 'my-model-server:latest' }] },
    });
  };

  describe.each(IS_WHOLE ? SOURCES : SOURCES.slice(-1))('$title', (source) => {
    it(
      'a notebook trains a model',
      async () => {
        const { application, namespace } = source.training;
        const [manifest, ...objects] = source.objects('training') as [KubeObject, ...KubeObject[]];
        const name = objects[0]?.metadata.name ?? '';
        lab.git.commit(textAt(manifest.spec, 'source', 'repoURL').split('/').at(-1) ?? '', {
          [MANIFESTS]: manifestFile(objects),
        });
        await lab.namespace(namespace);
        await settle(namespace);
        await lab.api.create(lab.git.rewritten(manifest), 'argocd');
        const pod = await started(namespace, name);
        await lab.untilApplication(application, 'Synced/Progressing');
        await node.end(pod, { cells: ['400 payments', 'model v1'] });
        await lab.untilApplication(application, 'Synced/Healthy');
        expect(await lab.notebooks.status(namespace, name)).toMatchObject({
          phase: 'Succeeded',
          kernel: 'by hand',
          results: [{ output: '400 payments' }, { output: 'model v1' }],
        });
      },
      LONG,
    );

    it(
      'five stages wait for each other; one that fails stops them with its cell and error until a commit fixes it',
      async () => {
        const { application, namespace } = source.pipeline;
        const commit = (ref: string): string =>
          lab.git.commit(`${application}-manifests`, {
            [MANIFESTS]: manifestFile(source.objects('pipeline')).replaceAll(/^( +)ref: main$/gm, `$1ref: ${ref}`),
          });
        commit('main');
        await lab.namespace(namespace);
        await settle(namespace);
        await lab.deliver(application, `${application}-manifests`, namespace);
        await bind(namespace, 'ml-model-storage');
        const present = (): Promise<string[]> => lab.present(namespace, 'NotebookValidationJob', 'InferenceService');
        await node.end(await started(namespace, 'data-preprocessing'), { cells: ['complete'] });
        const training = await started(namespace, 'model-training');
        await lab.untilOperation(
          application,
          /^Running$/,
          'waiting for healthy state of mlops.mlops.dev/NotebookValidationJob/model-training',
        );
        expect(await present()).toEqual([
          'NotebookValidationJob/data-preprocessing',
          'NotebookValidationJob/model-training',
        ]);
        await node.end(training, { cells: ['fitted'], error: { type: 'ValueError', message: 'no rows' } });
        await lab.untilOperation(
          application,
          /^(Running|Failed)$/,
          'reason: NotebookValidationJob/model-training: Validation failed: cell 1 raised ValueError: no rows',
        );
        expect(await present()).toEqual([
          'NotebookValidationJob/data-preprocessing',
          'NotebookValidationJob/model-training',
        ]);
        commit('fixed');
        await lab.refresh(application);
        for (const job of ['data-preprocessing', 'model-training', 'model-validation'])
          await node.end(await started(namespace, job), { cells: ['well'] });
        await serve(namespace, 'fraud-detection-model', 'True');
        await lab.untilApplication(application, 'Synced/Healthy');
      },
      LONG,
    );

    it(
      'a model server is started anew by each run of its notebook, once',
      async () => {
        const { application, namespace } = source.serving;
        const commit = (ref: string): string =>
          lab.git.commit(`${application}-manifests`, {
            [MANIFESTS]: manifestFile(source.objects('serving')).replaceAll(/^( +)ref: main$/gm, `$1ref: ${ref}`),
          });
        commit('main');
        if (namespace !== source.training.namespace) {
          await lab.namespace(namespace);
          await settle(namespace);
        }
        await lab.deliver(application, `${application}-manifests`, namespace);
        await serve(namespace, 'my-model', 'False');
        for (const version of ['v1', 'v2']) {
          await predictor(namespace, `predictor-${version}`);
          const pod = await started(namespace, 'retrain-model');
          expect(await lab.present(namespace, 'Pod')).toContain(`Pod/predictor-${version}`);
          await node.end(pod, { cells: [version] });
          await lab.notebooks.until(
            'the predictor goes',
            async () => !(await lab.present(namespace, 'Pod')).includes(`Pod/predictor-${version}`),
            LONG / 2,
          );
          await lab.untilTriggered(namespace, 'retrain-model', 1);
          await serve(namespace, 'my-model', 'True');
          await lab.untilApplication(application, 'Synced/Healthy');
          if (version === 'v2') continue;
          commit('v2');
          await lab.refresh(application);
        }
      },
      LONG,
    );
  });
});
