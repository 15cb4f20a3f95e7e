import { writeYaml } from '../../../src/model/yaml/index.js';
import type { Json, JsonObject } from '../../../src/model/json/index.js';

const FOLDER = 'teams/fraud-detection';
const MODELS = 'fraud-models';
const job = (name: string, wave: number, repository: string, file: string, hasModels: boolean): JsonObject => ({
  apiVersion: 'mlops.mlops.dev/v1alpha1',
  kind: 'NotebookValidationJob',
  metadata: { name, annotations: { 'argocd.argoproj.io/sync-wave': String(wave) } },
  spec: {
    notebook: { git: { url: repository, ref: 'main' }, path: `${FOLDER}/notebooks/${file}.ipynb` },
    podConfig: {
      containerImage: 'quay.io/ml/sklearn-notebook:latest',
      ...(hasModels ? { volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }] } : {}),
    },
    ...(hasModels ? { volumes: [{ name: 'models', persistentVolumeClaim: { claimName: MODELS } }] } : {}),
  },
});

/**
 * Five stages that wait for each other: a volume, the data, a model, its validation, and a server that answers with it.
 */
export function pipelineFiles(repository: string): [string, string][] {
  const objects: Json[] = [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: MODELS, annotations: { 'argocd.argoproj.io/sync-wave': '0' } },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    },
    job('prepare-data', 1, repository, '01-prepare-data', false),
    job('train-model', 2, repository, '02-train-model', true),
    job('validate-model', 3, repository, '03-validate-model', true),
    {
      apiVersion: 'serving.kserve.io/v1beta1',
      kind: 'InferenceService',
      metadata: { name: 'fraud-detection', annotations: { 'argocd.argoproj.io/sync-wave': '4' } },
      spec: {
        predictor: {
          model: {
            modelFormat: { name: 'sklearn' },
            storageUri: `pvc://${MODELS}/fraud-detection`,
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
        },
      },
    },
  ];
  return [
    [`${FOLDER}/manifests/pipeline.yaml`, objects.map((object) => writeYaml(object)).join('---\n')],
    [
      `${FOLDER}/notebooks/01-prepare-data.ipynb`,
      notebook('# Stage 2: the data', [
        'import random\nchance = random.Random(11)\nrows = [[chance.uniform(0, 100), chance.uniform(0, 24)] ' +
          "for _ in range(2000)]\nprint(len(rows), 'payments')",
        "complete = [row for row in rows if None not in row]\nassert len(complete) == len(rows), 'there are " +
          "gaps'\nprint('no gaps')",
        "mean = sum(amount for amount, _ in rows) / len(rows)\nassert 45 < mean < 55, 'the amounts are not " +
          "what they were'\nprint('mean amount %.1f' % mean)",
      ]),
    ],
    [
      `${FOLDER}/notebooks/02-train-model.ipynb`,
      notebook('# Stage 3: the model', [
        'import json, os, random\nchance = random.Random(11)\nrows = [[chance.uniform(0, 1), ' +
          'chance.uniform(0, 1)] for _ in range(2000)]\nrisks = [2 * amount + hour for amount, hour in rows]',
        // By hand, so that it runs wherever Python does; some hundred thousand steps, so that there is something to
        // watch.
        'weights = [0.0, 0.0]\nfor epoch in range(60):\n    for (amount, hour), risk in zip(rows, risks):\n ' +
          '       error = weights[0] * amount + weights[1] * hour - risk\n        weights[0] -= 0.01 * error ' +
          '* amount\n        weights[1] -= 0.01 * error * hour\nprint([round(weight, 3) for weight in ' +
          'weights])',
        "folder = '/mnt/models/fraud-detection'\nos.makedirs(folder, exist_ok=True)\nwith open(folder + " +
          "'/unfinished', 'w') as file:\n    json.dump({'version': 'v1', 'coefficients': weights}, file)\n" +
          "os.replace(folder + '/unfinished', folder + '/model.json')\nprint('model v1 is saved')",
      ]),
    ],
    [
      `${FOLDER}/notebooks/03-validate-model.ipynb`,
      notebook('# Stage 4: is it good enough?', [
        "import json\nmodel = json.load(open('/mnt/models/fraud-detection/model.json'))\nprint('model', " +
          "model['version'])",
        'rows = [[0.1 * step, 0.5] for step in range(10)]\nworst = max(abs(sum(w * x for w, x in ' +
          'zip(model["coefficients"], row)) - (2 * row[0] + row[1])) for row in rows)\nprint(\'worst error ' +
          "%.4f' % worst)",
        "assert worst < 0.05, 'the model is not good enough'",
      ]),
    ],
  ];
}

function notebook(title: string, code: readonly string[]): string {
  const lines = (text: string): string[] =>
    text.split('\n').map((line, at, all) => (at < all.length - 1 ? `${line}\n` : line));
  const cells: Json[] = [
    { cell_type: 'markdown', id: 'title', metadata: {}, source: lines(title) },
    ...code.map(
      (source, at): Json => ({
        cell_type: 'code',
        id: `cell-${at + 1}`,
        metadata: {},
        execution_count: null,
        outputs: [],
        source: lines(source),
      }),
    ),
  ];
  return (
    JSON.stringify(
      {
        cells,
        metadata: {
          kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
          language_info: { name: 'python' },
        },
        nbformat: 4,
        nbformat_minor: 5,
      },
      null,
      1,
    ) + '\n'
  );
}
