import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import { processImages } from '../../world/demo/process-images.js';
import { NotebookLab, runnerLine } from './notebook-lab.js';
import {
  DEPLOYMENTS,
  EVENTS,
  INFERENCE_SERVICES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  SERVICES,
} from '../../src/model/resources/index.js';

const WORLD = join(import.meta.dirname, '../../world');
const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
const IMAGE = 'quay.io/ml/sklearn-notebook:latest';
const NS = 'ml';
const WELL: JsonObject = {
  validator: {
    after: '50ms',
    log: [
      runnerLine({ event: 'start', kernel: 'k', cells: 0, codeCells: 0 }),
      runnerLine({ event: 'end', status: 'succeeded', category: '', error: '', failedCell: null, seconds: 1 }),
    ],
  },
};
const SILENT =
  'import os, socket, time\ns = socket.socket()\ns.bind((os.environ["ARGOSY_ADDRESS"], 8080))\ns.listen()\n' +
  'kept = []\nwhile True: kept.append(s.accept())';

describe(`models that are asked after a run${missing}`, { skip: missing !== '' }, () => {
  let lab: NotebookLab;
  beforeAll(async () => {
    lab = await NotebookLab.open({
      world: { directory: WORLD, only: ['kserve', 'openshift-router'] },
      processes: { images: processImages(WORLD) },
    });
    await lab.namespace(NS);
    await lab.cluster.create(PERSISTENT_VOLUME_CLAIMS, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'models', namespace: NS },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    });
    await lab.cluster.create(INFERENCE_SERVICES, {
      apiVersion: 'serving.kserve.io/v1beta1',
      kind: 'InferenceService',
      metadata: { name: 'fraud', namespace: NS },
      spec: {
        predictor: {
          sklearn: {
            storageUri: 'pvc://models/fraud',
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
        },
      },
    });
  }, 60_000);
  afterAll(() => lab.close());

  const ask = async (name: string, model: string, more: JsonObject): Promise<void> => {
    await lab.job(NS, name, WELL, { spec: { modelValidation: { targetModels: [model], ...more } } });
  };
  const prediction = (expectedOutput: string): JsonObject => ({
    predictionValidation: { testData: '{"instances": [[1, 2], [10, 0]]}', expectedOutput },
  });
  const resultOf = async (name: string): Promise<JsonObject> => {
    const { modelValidationResult, phase } = await lab.untilStatus(NS, name, (status) =>
      isObject(status.modelValidationResult),
    );
    expect(phase).toBe('Succeeded');
    return isObject(modelValidationResult) ? modelValidationResult : {};
  };
  const train = async (): Promise<void> => {
    const command = [
      'sh',
      '-c',
      'mkdir -p /mnt/models/fraud && printf %s "$1" > /mnt/models/fraud/new && mv /mnt/models/fraud/new ' +
        '/mnt/models/fraud/model.json',
      'sh',
      JSON.stringify({ version: 'v1', coefficients: [2, 1], intercept: 0 }),
    ];
    await lab.cluster.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'train-v1', namespace: NS },
      spec: {
        restartPolicy: 'Never',
        volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' } }],
        containers: [
          { name: 'app', image: IMAGE, command, volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }] },
        ],
      },
    });
  };
  const deploy = async (name: string, command: readonly string[]): Promise<void> => {
    const labels = { app: name };
    await lab.cluster.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: NS },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: 'app', image: IMAGE, command: [...command], ports: [{ containerPort: 8080 }] }],
          },
        },
      },
    });
  };

  it('are waited for until they are trained, and answer as expected', async () => {
    await ask('waits', 'fraud', prediction('[4, 20.005]'));
    await lab.untilStatus(NS, 'waits', ({ phase }) => phase === 'Succeeded');
    expect((await lab.status(NS, 'waits')).modelValidationResult).toBeUndefined();
    await train();
    expect(await resultOf('waits')).toMatchObject({
      success: true,
      message: '',
      platformDetected: true,
      existingEnvironmentCheck: {
        success: true,
        modelsChecked: [{ modelName: 'fraud', healthy: true, version: 'v1' }],
        predictionValidation: {
          success: true,
          actualOutput: '[4,20]',
          expectedOutput: '[4, 20.005]',
          difference: '0.005',
          message: '',
        },
      },
    });
    expect(
      await lab.controller.metric(
        `notebookvalidationjob_prediction_validations_total{namespace="${NS}",platform="kserve",result="success"}`,
      ),
    ).toBe(1);
  });

  it('answer otherwise, too late, or not at all: each says so, and the notebook stays a success', async () => {
    await deploy('slow', ['python3', '-c', SILENT]);
    await deploy('lonely', ['sleep', '600']);
    await lab.cluster.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'slow', namespace: NS },
      spec: { selector: { app: 'slow' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await lab.until('deployments', async () =>
      (await lab.cluster.list(DEPLOYMENTS, { namespace: NS })).items.every(
        ({ status }) => isObject(status) && status.availableReplicas === 1,
      ),
    );
    const custom = {
      platform: 'custom',
      timeout: '8s',
      customPlatform: { predictionEndpoint: '/score' },
      predictionValidation: { testData: '[1]' },
    };
    await ask('wrong', 'fraud', { ...prediction('[5, 20]'), timeout: '8s' });
    await ask('refused', 'fraud', { predictionValidation: { testData: '[[1, 2, 3]]' }, timeout: '8s' });
    await ask('late', 'slow', custom);
    await ask('lonely', 'lonely', custom);
    await ask('absent', 'nobody', { ...prediction('[1]'), timeout: '2s' });
    const results = new Map(
      await Promise.all(
        ['wrong', 'refused', 'late', 'lonely', 'absent'].map(async (name) => [name, await resultOf(name)] as const),
      ),
    );
    expect(Object.fromEntries([...results].map(([name, { message }]) => [name, message]))).toEqual({
      wrong: 'model fraud returned [4,20], expected [5, 20] within 0.01: /0 differs by 1 (after 8 s)',
      refused:
        'model fraud: service fraud-predictor:80 rejected /v1/models/fraud:predict: the server answered 400: ' +
        '{"error": "the model wants 2 numbers, not 3"} (after 8 s)',
      late: expect.stringMatching(
        /^model slow: service slow did not respond to \/score: .*no complete response within [\d.]+ s.* \(after 8 s\)$/,
      ) as string,
      lonely: 'model lonely: service lonely rejected /score: services "lonely" not found (after 8 s)',
      absent: 'not ready: nobody (not found) (after 2 s)',
    });
    expect(results.get('wrong')).toMatchObject({
      success: false,
      existingEnvironmentCheck: {
        modelsChecked: [{ healthy: true, version: 'v1' }],
        predictionValidation: { success: false, actualOutput: '[4,20]', difference: '1' },
      },
    });
    expect(
      await lab.controller.metric(
        `notebookvalidationjob_prediction_validations_total{namespace="${NS}",platform="kserve",result="failed"}`,
      ),
    ).toBe(3);
    expect(
      await lab.controller.metric(
        `notebookvalidationjob_prediction_validations_total{namespace="${NS}",platform="custom",result="failed"}`,
      ),
    ).toBe(2);
    await lab.until('an event', async () =>
      (await lab.cluster.list(EVENTS, { namespace: NS })).items.some(
        ({ reason, involvedObject }) =>
          reason === 'ModelsNotValidated' && isObject(involvedObject) && involvedObject.name === 'wrong',
      ),
    );
  });
});
