import type { Commit } from '../fleet/write-repository.js';

const NOTEBOOKS: readonly Commit[] = [{
  message: 'Notebooks and their image',
  files: new Map([
    ['notebook-validator/Dockerfile', 'FROM registry.access.redhat.com/ubi9/python-311\nRUN pip install --no-cache-dir nbclient ipykernel scikit-learn\n'],
    ['notebooks/01-train.ipynb', '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'],
    ['README.md', 'Notebooks of the self-healing platform, and the image that validates them.\n'],
  ]),
}];

const SERVING = 'gitops/stage01-model-serving';
const ALIGNMENT = 'gitops/stage02-model-alignment';

/** The branch of the first stage keeps its kustomization and loses what that lists; the one of the second has other labels. */
const STAGES: readonly Commit[] = [
  {
    message: 'Model serving and model alignment',
    files: new Map([
      [`${SERVING}/kustomization.yaml`, 'namespace: private-ai-demo\nresources: [serving/vllm/pvc-mistral-24b.yaml, serving/vllm/servingruntime.yaml, serving/vllm/inferenceservice-mistral-24b.yaml]\n'],
      [`${SERVING}/serving/vllm/pvc-mistral-24b.yaml`, manifest('v1', 'PersistentVolumeClaim', 'mistral-24b', { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '60Gi' } } })],
      [`${SERVING}/serving/vllm/servingruntime.yaml`, manifest('serving.kserve.io/v1alpha1', 'ServingRuntime', 'vllm', { supportedModelFormats: [{ name: 'vLLM', autoSelect: true }], containers: [{ name: 'kserve-container', image: 'quay.io/modh/vllm:rhoai-2.25' }] })],
      [`${SERVING}/serving/vllm/inferenceservice-mistral-24b.yaml`, manifest('serving.kserve.io/v1beta1', 'InferenceService', 'mistral-24b', { predictor: { model: { modelFormat: { name: 'vLLM' }, storageUri: 'pvc://mistral-24b/model' } } })],
      [`${ALIGNMENT}/playground.yaml`, playground({ app: 'llama-stack-playground' })],
    ]),
  },
  {
    message: 'Serving moves on: its files are on main', branch: 'stage1-complete', from: 'main',
    files: new Map([`${SERVING}/serving/vllm/pvc-mistral-24b.yaml`, `${SERVING}/serving/vllm/servingruntime.yaml`, `${SERVING}/serving/vllm/inferenceservice-mistral-24b.yaml`].map((path) => [path, undefined])),
  },
  {
    message: 'The playground, first try', branch: 'feature/stage2-implementation', from: 'main',
    files: new Map([[`${ALIGNMENT}/playground.yaml`, playground({ app: 'playground', stage: 'stage2' })]]),
  },
];

/** The repositories of the git server, each under the name by which stories know its address. */
export const REPOSITORIES: Readonly<Record<string, readonly [string, readonly Commit[]]>> = {
  gitRepository: ['self-healing-platform.git', NOTEBOOKS],
  gitOpsRepository: ['private-ai-demo.git', STAGES],
};

function manifest(apiVersion: string, kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name }, spec }, null, 2)}\n`;
}

function playground(labels: Readonly<Record<string, string>>): string {
  const containers = [{ name: 'playground', image: 'quay.io/rh-aiservices-bu/llama-stack-playground:0.2.11', ports: [{ containerPort: 8501 }] }];
  return manifest('apps/v1', 'Deployment', 'llama-stack-playground', { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } });
}
