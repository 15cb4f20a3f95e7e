import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { ProcessLab } from '../../src/apiserver/testing/process-lab.js';
import { isObject, own, type Json, type JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { processImages } from '../demo/process-images.js';

const WORLD = join(import.meta.dirname, '..');
const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
const PREDICT = '/api/v1/namespaces/default/services/fraud-predictor:80/proxy/v1/models/fraud:predict';

/** What a program prints; the server answers it meanwhile. */
function outputOf(program: string, words: readonly string[], input: string): Promise<string> {
  const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', () => resolve(text));
  });
}

describe(`a model that is served by a process${missing}`, { skip: missing !== '' }, () => {
  const data = mkdtempSync(join(tmpdir(), 'argosy-serving-'));
  let server: ApiServer;
  let lab: ProcessLab;
  beforeAll(async () => {
    server = await startApiServer({
      data,
      port: 0,
      controllers: true,
      log: NO_LOG,
      world: { directory: WORLD, only: ['kserve', 'openshift-router'] },
      processes: { images: processImages(WORLD) },
    });
    lab = new ProcessLab(server.kubeconfig);
  });
  afterAll(async () => {
    await server.close();
    rmSync(data, { recursive: true, force: true });
  });

  const ready = async (): Promise<boolean> => {
    const { body } = await lab.ask('GET', '/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices/fraud');
    const conditions = at(at(body, 'status'), 'conditions');
    return (
      Array.isArray(conditions) &&
      conditions.some((each) => at(each, 'type') === 'Ready' && at(each, 'status') === 'True')
    );
  };
  const at = (value: Json | undefined, key: string): Json | undefined =>
    isObject(value) ? own(value, key) : undefined;
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    for (let turn = 0; !(await what()); turn++) {
      if (turn > 300) throw new Error('it did not come to that');
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  };
  const pods = async (): Promise<JsonObject[]> => {
    const { body } = await lab.ask(
      'GET',
      '/api/v1/namespaces/default/pods?labelSelector=serving.kserve.io/inferenceservice%3Dfraud',
    );
    const items = at(body, 'items');
    return Array.isArray(items) ? items.filter(isObject) : [];
  };
  const train = async (version: string, slope: number): Promise<void> => {
    const model = JSON.stringify({ version, coefficients: [slope, 1], intercept: 0 });
    await lab.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `train-${version}` },
      spec: {
        restartPolicy: 'Never',
        volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'ml-model-storage' } }],
        containers: [
          {
            name: 'app',
            image: 'quay.io/ml/sklearn-notebook:latest',
            command: [
              'sh',
              '-c',
              'mkdir -p /mnt/models/fraud && printf %s "$1" > /mnt/models/fraud/new && mv ' +
                '/mnt/models/fraud/new /mnt/models/fraud/model.json',
              'sh',
              model,
            ],
            volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }],
          },
        ],
      },
    });
    expect((await lab.ended(`train-${version}`))['phase']).toBe('Succeeded');
  };

  it('is not ready before there is a model, and says so', async () => {
    await lab.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'ml-model-storage' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '50Gi' } } },
    });
    const { code } = await lab.ask('POST', '/apis/serving.kserve.io/v1beta1/namespaces/default/inferenceservices', {
      apiVersion: 'serving.kserve.io/v1beta1',
      kind: 'InferenceService',
      metadata: { name: 'fraud' },
      spec: {
        predictor: {
          sklearn: {
            storageUri: 'pvc://ml-model-storage/fraud',
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
        },
      },
    });
    expect(code).toBe(201);
    await until(async () => (await pods()).some((pod) => at(pod['status'], 'phase') === 'Running'));
    const name = String(at((await pods())[0]?.['metadata'], 'name'));
    await until(async () => (await lab.log(name)).includes('no model in /mnt/models yet'));
    expect(await ready()).toBe(false);
    expect(await lab.ask('POST', PREDICT, { instances: [[1, 2]] })).toMatchObject({
      code: 503,
      body: { message: 'no endpoints available for service "fraud-predictor:80"' },
    });
    expect((await lab.ask('GET', `/api/v1/namespaces/default/pods/${name}:8080/proxy/`)).text).toContain(
      'connection refused',
    );
  });

  it('answers when it is trained, with its version, and with the old one until it is started again', async () => {
    await train('v1', 2);
    await until(ready);
    expect(
      (
        await lab.ask('POST', PREDICT, {
          instances: [
            [1, 2],
            [10, 0],
          ],
        })
      ).body,
    ).toEqual({ predictions: [4, 20], model_name: 'fraud', model_version: 'v1' });
    await train('v2', 3);
    expect((await lab.ask('POST', PREDICT, { instances: [[1, 2]] })).body).toMatchObject({ model_version: 'v1' });
    const [old] = await pods();
    await lab.ask('DELETE', `/api/v1/namespaces/default/pods/${String(at(old?.['metadata'], 'name'))}`);
    await until(
      async () => at((await lab.ask('POST', PREDICT, { instances: [[1, 2]] })).body, 'model_version') === 'v2',
    );
    expect((await lab.ask('POST', PREDICT, { instances: [[1, 2]] })).body).toMatchObject({ predictions: [5] });
  });

  it('speaks the second protocol, and refuses what makes no sense', async () => {
    const base = '/api/v1/namespaces/default/services/fraud-predictor:80/proxy';
    expect(
      (
        await lab.ask('POST', `${base}/v2/models/fraud/infer`, {
          inputs: [{ name: 'x', shape: [2, 2], datatype: 'FP64', data: [1, 2, 10, 0] }],
        })
      ).body,
    ).toMatchObject({ model_version: 'v2', outputs: [{ data: [5, 30], shape: [2] }] });
    expect(await lab.ask('POST', `${base}/v1/models/other:predict`, { instances: [] })).toMatchObject({
      code: 404,
      body: { error: 'Model with name other does not exist.' },
    });
    expect(await lab.ask('POST', PREDICT, { instances: [[1]] })).toMatchObject({
      code: 400,
      body: { error: 'the model wants 2 numbers, not 1' },
    });
    const kubectl = join(homedir(), '.cache/argosy/parts/kubernetes-v1.34.4/kubectl');
    if (existsSync(kubectl))
      expect(
        await outputOf(
          kubectl,
          ['--kubeconfig', server.kubeconfig, 'create', '--raw', PREDICT, '-f', '-'],
          '{"instances": [[1, 2]]}',
        ),
      ).toContain('"predictions": [5');
    expect(await lab.ask('GET', `${base}/v1/models/fraud?x=1`)).toMatchObject({
      code: 200,
      body: { name: 'fraud', ready: true, version: 'v2' },
    });
    expect(await lab.ask('GET', '/api/v1/namespaces/default/services/fraud-predictor:81/proxy/')).toMatchObject({
      code: 503,
    });
    expect(await lab.ask('GET', '/api/v1/namespaces/default/services/none/proxy/')).toMatchObject({ code: 404 });
  });
});
