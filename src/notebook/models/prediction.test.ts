import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { readJob, type NotebookJob } from '../job/job.js';
import { checkModels, modelsToQuery, modelsUntil } from './model-check.js';
import { checkResponse, requestTo } from './prediction.js';

const job = (model: JsonObject): NotebookJob =>
  readJob({
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { name: 'train', namespace: 'ml' },
    spec: { modelValidation: { targetModels: ['fraud'], ...model } },
  });
const asking = (prediction: JsonObject, more: JsonObject = {}): NotebookJob =>
  job({ predictionValidation: prediction, ...more });
const served = (url: string | undefined, ready = true): KubeObject => ({
  apiVersion: 'serving.kserve.io/v1beta1',
  kind: 'InferenceService',
  metadata: { name: 'fraud', namespace: 'ml' },
  status: {
    ...(url === undefined ? {} : { address: { url } }),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', message: ready ? '' : 'no model yet' }],
  },
});
const INSIDE = 'http://fraud-predictor.ml.svc.cluster.local';

describe('the request to a model', () => {
  it.each<[string, JsonObject, KubeObject, unknown]>([
    [
      'by the first protocol of KServe',
      { testData: '{"instances": [[1, 2]]}' },
      served(INSIDE),
      { service: 'fraud-predictor:80', path: '/v1/models/fraud:predict', body: '{"instances":[[1,2]]}' },
    ],
    [
      'with bare rows',
      { testData: '[[1, 2]]' },
      served(`${INSIDE}:8080/v1/models/fraud:predict`),
      { service: 'fraud-predictor:8080', path: '/v1/models/fraud:predict', body: '{"instances":[[1,2]]}' },
    ],
    [
      'by the second protocol',
      { testData: '{"inputs": [{"name": "x", "datatype": "FP64", "shape": [1], "data": [1]}]}' },
      served('https://fraud-predictor.ml.svc'),
      expect.objectContaining({ service: 'https:fraud-predictor:443', path: '/v2/models/fraud/infer' }),
    ],
    [
      'nothing, without data',
      {},
      served(INSIDE),
      'spec.modelValidation.predictionValidation.testData is empty: there is nothing to predict',
    ],
    [
      'nothing, with data that is no JSON',
      { testData: '1,2,3' },
      served(INSIDE),
      'spec.modelValidation.predictionValidation.testData is not valid JSON: "1,2,3"',
    ],
    [
      'nothing, without an address',
      { testData: '[1]' },
      served(undefined),
      'InferenceService fraud has no address in its status',
    ],
    [
      'nothing, of another namespace',
      { testData: '[1]' },
      served('http://fraud.other.svc.cluster.local'),
      'the address http://fraud.other.svc.cluster.local of InferenceService fraud is in another namespace',
    ],
    [
      'nothing, outside of the cluster',
      { testData: '[1]' },
      served('https://fraud.apps.example.com'),
      'the address https://fraud.apps.example.com of InferenceService fraud is not a Service of the cluster',
    ],
  ])('%s', (_, prediction, object, expected) => {
    expect(requestTo(asking(prediction), 'fraud', object)).toEqual(expected);
  });

  it.each([
    ['vllm', '/v1/completions', 'fraud'],
    ['torchserve', '/predictions/fraud', 'fraud'],
    ['tensorflow-serving', '/v1/models/fraud:predict', 'fraud'],
    ['triton', '/v2/models/fraud/infer', 'fraud'],
    ['ray-serve', '/', 'fraud-serve-svc:8000'],
    ['seldon', '/api/v1.0/predictions', 'fraud-default:8000'],
    ['bentoml', '/predict', 'fraud'],
    ['custom', '/score', 'fraud'],
  ])('%s at %s of the Service %s', (platform, path, service) => {
    expect(
      requestTo(
        asking({ testData: '{"a": 1}' }, { platform, customPlatform: { predictionEndpoint: '/score' } }),
        'fraud',
        served(undefined),
      ),
    ).toEqual({ service, path, body: '{"a":1}' });
  });

  it('never leaves the Service', () => {
    expect(
      requestTo(
        asking(
          { testData: '[1]' },
          { platform: 'custom', customPlatform: { predictionEndpoint: '/../../../secrets' } },
        ),
        'fraud',
        served(undefined),
      ),
    ).toMatch(/^spec\.modelValidation\.customPlatform\.predictionEndpoint .* must be a path of the model's Service/);
  });
});

describe('an answer', () => {
  const V1 = '{"predictions": [4, 20.004], "model_name": "fraud", "model_version": "v7"}';
  it.each<[string, string, string, boolean, string, string]>([
    ['is as expected within the tolerance', V1, '[4, 20]', true, '', '0.004'],
    ['may say more than is expected', V1, '{"predictions": [4, 20]}', true, '', '0.004'],
    [
      'differs by more',
      V1,
      '[4, 20.1]',
      false,
      'model fraud returned [4,20.004], expected [4, 20.1] within 0.01: /1 differs by 0.096',
      '0.096',
    ],
    [
      'has other rows',
      V1,
      '[4]',
      false,
      'model fraud returned [4,20.004], expected [4] within 0.01: the response has 2 items, not 1',
      '',
    ],
    ['is a single one', '{"predictions": ["cat"]}', '"cat"', true, '', ''],
    [
      'is of the second protocol',
      '{"outputs": [{"name": "o", "data": [1.0, 2.0]}]}',
      '[1, 2.5]',
      false,
      'model fraud returned [1,2], expected [1, 2.5] within 0.01: /1 differs by 0.5',
      '0.5',
    ],
    [
      'lacks what is expected',
      '{"predictions": [1]}',
      '{"probabilities": [1]}',
      false,
      'model fraud returned {"predictions":[1]}, expected {"probabilities": [1]} within 0.01: ' +
        '/probabilities is missing',
      '',
    ],
    [
      'is another word',
      '{"label": "dog"}',
      '{"label": "cat"}',
      false,
      'model fraud returned {"label":"dog"}, expected {"label": "cat"} within 0.01: /label is "dog"',
      '',
    ],
    ['is text', 'positive\n', 'positive', true, '', ''],
    ['is other text', '<html>', '[1]', false, 'model fraud returned <html>, expected [1]', ''],
  ])('%s', (_, text, expectedOutput, success, message, difference) => {
    expect(
      checkResponse(asking({ testData: '[1]', expectedOutput }), 'fraud', { kind: 'responded', text }),
    ).toMatchObject({
      success,
      message,
      difference,
    });
  });

  it('is enough without an expectation, and truncated if it is long', () => {
    expect(checkResponse(asking({ testData: '[1]' }), 'fraud', { kind: 'responded', text: V1 })).toMatchObject({
      success: true,
      version: 'v7',
    });
    const long = checkResponse(asking({ testData: '[1]', expectedOutput: '[1]' }), 'fraud', {
      kind: 'responded',
      text: JSON.stringify({ predictions: Array(10_000).fill(1) }),
    });
    expect([long.success, JSON.stringify(long).length < 2000]).toEqual([false, true]);
  });
});

describe('the models of a job', () => {
  const status = { phase: 'Succeeded', runId: 'r', completionTime: '2026-01-24T22:00:00Z' };
  const start = Date.parse('2026-01-24T22:00:00Z');
  const predicting = asking({ testData: '[[1]]', expectedOutput: '[2]' }, { timeout: '30s' });
  const ready = { isServed: true, models: new Map([['fraud', served(INSIDE)]]) };
  const responding = (text: string) => ({
    ...ready,
    responses: new Map([['fraud', { kind: 'responded', text } as const]]),
  });

  it('are queried when they are ready, until the timeout', () => {
    expect(modelsToQuery(predicting, ready)).toEqual(['fraud']);
    expect(modelsToQuery(predicting, { ...ready, models: new Map([['fraud', served(INSIDE, false)]]) })).toEqual([]);
    expect(modelsToQuery(job({ predictionValidation: { enabled: false, testData: '[1]' } }), ready)).toEqual([]);
    expect(modelsToQuery(asking({ testData: '[1]' }, { phase: 'clean' }), ready)).toEqual([]);
    expect(
      modelsUntil(predicting, {
        ...status,
        triggers: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            name: 'p',
            namespace: '',
            action: 'restart',
            state: 'Succeeded',
            attempts: 1,
            runId: 'r',
            time: '2026-01-24T22:00:10Z',
          },
        ],
      }),
    ).toBe(start + 40_000);
  });

  it('pass as soon as they respond as expected', () => {
    expect(
      checkModels(predicting, status, responding('{"predictions": [2], "model_version": "v2"}'), start),
    ).toMatchObject({
      success: true,
      message: '',
      completionTime: '2026-01-24T22:00:00Z',
      existingEnvironmentCheck: {
        success: true,
        modelsChecked: [{ modelName: 'fraud', healthy: true, version: 'v2' }],
        predictionValidation: {
          success: true,
          actualOutput: '[2]',
          expectedOutput: '[2]',
          difference: '0',
          message: '',
        },
      },
    });
  });

  it.each<[string, Parameters<typeof checkModels>[2], string]>([
    [
      'answer otherwise',
      responding('{"predictions": [3]}'),
      'model fraud returned [3], expected [2] within 0.01: /0 differs by 1 (after 30 s)',
    ],
    [
      'are not there',
      {
        ...ready,
        responses: new Map([
          [
            'fraud',
            {
              kind: 'silent',
              why: 'service fraud-predictor:80 rejected /v1/models/fraud:predict: no endpoints available',
            } as const,
          ],
        ]),
      },
      'model fraud: service fraud-predictor:80 rejected /v1/models/fraud:predict: no endpoints available (after 30 s)',
    ],
    ['say nothing', { ...ready, responses: undefined }, 'model fraud: no response (after 30 s)'],
    [
      'are not ready',
      { ...ready, models: new Map([['fraud', served(INSIDE, false)]]), responses: undefined },
      'not ready: fraud (no model yet) (after 30 s)',
    ],
    [
      'do not exist',
      { ...ready, models: new Map(), responses: undefined },
      'not ready: fraud (not found) (after 30 s)',
    ],
  ])('that %s are waited for until the timeout', (_, facts, message) => {
    expect(checkModels(predicting, status, facts, start + 29_999)).toBeUndefined();
    expect(checkModels(predicting, status, facts, start + 30_000)).toMatchObject({
      success: false,
      message,
      existingEnvironmentCheck: { success: false, predictionValidation: { success: false } },
    });
  });

  it('of a missing platform are not waited for', () => {
    expect(
      checkModels(predicting, status, { isServed: false, models: new Map(), responses: undefined }, start),
    ).toMatchObject({
      success: false,
      platformDetected: false,
      message: 'the cluster does not serve InferenceService of serving.kserve.io',
    });
  });
});
