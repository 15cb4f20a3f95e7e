import type { Commit } from '../../fleet/write-repository.js';

const NOTEBOOKS: readonly Commit[] = [
  {
    message: 'Notebooks and their image',
    files: new Map([
      [
        'notebook-validator/Dockerfile',
        'FROM registry.access.redhat.com/ubi9/python-311\nRUN pip install --no-cache-dir nbclient ipykernel ' +
          'scikit-learn\n',
      ],
      [
        'notebooks/01-train.ipynb',
        JSON.stringify({
          cells: [
            {
              cell_type: 'code',
              id: 'c0',
              metadata: {},
              execution_count: null,
              outputs: [],
              source: "print(open('../README.md').read())",
            },
          ],
          metadata: {},
          nbformat: 4,
          nbformat_minor: 5,
        }) + '\n',
      ],
      ['README.md', 'Notebooks of the self-healing platform, and the image that validates them.\n'],
    ]),
  },
];

const MINIO = 'gitops/stage00-minio';
const GPU = 'gitops/stage00-gpu-infrastructure';
const REGISTRY = 'gitops/stage01-model-registry';
const SERVING = 'gitops/stage01-model-serving';
const ALIGNMENT = 'gitops/stage02-model-alignment';
const TRAINING = 'ml-platform/training';
const TRAINED: readonly object[] = [
  { status: 'Success', output: '400 rows' },
  { status: 'Success', output: 'model v1 is saved' },
];
const UNTRAINED: readonly object[] = [
  { status: 'Success', output: '0 rows' },
  { status: 'Failure', errorType: 'ValueError', errorMessage: 'no rows to learn from' },
];
const NAMESPACE =
  JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'private-ai-platform',
        annotations: { 'world.argosy.dev/route-domain': 'apps.cluster.example.com' },
      },
    },
    null,
    2,
  ) + '\n';
const RUNTIME = {
  supportedModelFormats: [{ name: 'vLLM', autoSelect: true }],
  containers: [{ name: 'kserve-container', image: 'quay.io/modh/vllm:rhoai-2.25' }],
};

/** What Applications of the stories deliver. A branch is main with the slip of its story. */
const DELIVERED: readonly Commit[] = [
  {
    message: 'The stages, the platform and the models',
    files: new Map([
      [`${MINIO}/namespace.yaml`, NAMESPACE],
      [
        `${MINIO}/minio.yaml`,
        [deployment('minio', 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z'), service('minio-api'), route({})].join(
          '---\n',
        ),
      ],
      [`${GPU}/gpu-operator.yaml`, deployment('gpu-operator', 'nvcr.io/nvidia/gpu-operator:v25.3.4')],
      [`${REGISTRY}/registry.yaml`, deployment('model-registry', 'quay.io/opendatahub/model-registry:v0.3.2')],
      [
        `${SERVING}/kustomization.yaml`,
        'resources: [serving/vllm/pvc-mistral-24b.yaml, serving/vllm/servingruntime.yaml]\n',
      ],
      [
        `${SERVING}/serving/vllm/pvc-mistral-24b.yaml`,
        manifest('v1', 'PersistentVolumeClaim', 'mistral-24b', {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '60Gi' } },
        }),
      ],
      [
        `${SERVING}/serving/vllm/servingruntime.yaml`,
        manifest('serving.kserve.io/v1alpha1', 'ServingRuntime', 'vllm-mistral-24b', RUNTIME),
      ],
      [`${ALIGNMENT}/playground.yaml`, playground({ app: 'llama-stack-playground' })],
      ['platform/cluster-cert-manager/cert-manager.yaml', certManager('cluster-cert-manager')],
      ['platform/argocd-cert-manager/cert-manager.yaml', certManager('argocd-cert-manager')],
      ['platform/grafana/grafana.yaml', deployment('platform-grafana', 'docker.io/grafana/grafana:12.2.1')],
      [
        'platform/grafana/monitor.yaml',
        manifest('monitoring.coreos.com/v1', 'ServiceMonitor', 'platform-grafana', {
          selector: { matchLabels: { app: 'platform-grafana' } },
          endpoints: [{ port: 'http' }],
        }),
      ],
      ...['staging', 'production'].map(
        (environment) => [`llmops/${environment}/model.yaml`, model(environment)] as const,
      ),
      [`${TRAINING}/fraud-detection.yaml`, notebook('fraud-detection-training', 'main', TRAINED)],
      [`${TRAINING}/experiment.yaml`, notebook('feature-experiment', 'main', TRAINED)],
    ]),
  },
  {
    message: 'Another try of the experiment',
    branch: 'experiment-without-data',
    from: 'main',
    files: new Map([[`${TRAINING}/experiment.yaml`, notebook('feature-experiment', 'without-data', UNTRAINED)]]),
  },
  {
    message: 'Serving moves on: its files are on main',
    branch: 'stage1-complete',
    from: 'main',
    files: new Map(
      ['pvc-mistral-24b.yaml', 'servingruntime.yaml'].map((name) => [`${SERVING}/serving/vllm/${name}`, undefined]),
    ),
  },
  {
    message: 'The playground, first try',
    branch: 'feature/stage2-implementation',
    from: 'main',
    files: new Map([[`${ALIGNMENT}/playground.yaml`, playground({ app: 'playground', stage: 'stage2' })]]),
  },
  {
    message: 'The registry brings the namespace too',
    branch: 'registry-with-namespace',
    from: 'main',
    files: new Map([[`${REGISTRY}/namespace.yaml`, NAMESPACE]]),
  },
  {
    message: 'A host for the route',
    branch: 'minio-with-host',
    from: 'main',
    files: new Map([
      [
        `${MINIO}/minio.yaml`,
        [
          deployment('minio', 'quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z'),
          service('minio-api'),
          route({ host: 'minio-api.example.com' }),
        ].join('---\n'),
      ],
    ]),
  },
];

/** The repositories of the git server, each under the name by which stories know its address. */
export const REPOSITORIES: Readonly<Record<string, readonly [string, readonly Commit[]]>> = {
  gitRepository: ['self-healing-platform.git', NOTEBOOKS],
  gitOpsRepository: ['platform.git', DELIVERED],
};

function manifest(apiVersion: string, kind: string, name: string, spec: object): string {
  return `${JSON.stringify({ apiVersion, kind, metadata: { name }, spec }, null, 2)}\n`;
}

function deployment(name: string, image: string, labels: Readonly<Record<string, string>> = { app: name }): string {
  return manifest('apps/v1', 'Deployment', name, {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
  });
}

function service(name: string): string {
  return manifest('v1', 'Service', name, { selector: { app: 'minio' }, ports: [{ name: 'api', port: 9000 }] });
}

function route(stated: object): string {
  return manifest('route.openshift.io/v1', 'Route', 'minio-api', {
    ...stated,
    to: { kind: 'Service', name: 'minio-api' },
    port: { targetPort: 'api' },
    tls: { termination: 'edge' },
  });
}

function playground(labels: Readonly<Record<string, string>>): string {
  return deployment('llama-stack-playground', 'quay.io/rh-aiservices-bu/llama-stack-playground:0.2.11', labels);
}

/** A release of the chart: its own Deployment, and a role that every release names alike. */
function certManager(release: string): string {
  const matchLabels = { 'app.kubernetes.io/instance': release, 'app.kubernetes.io/component': 'controller' };
  const labels = { 'app.kubernetes.io/name': 'cert-manager', ...matchLabels };
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'cert-manager-controller-certificates', labels },
    rules: [{ apiGroups: ['cert-manager.io'], resources: ['certificates'], verbs: ['update', 'patch'] }],
  };
  const template = {
    metadata: { labels },
    spec: {
      containers: [
        {
          name: 'cert-manager-controller',
          image: 'quay.io/jetstack/cert-manager-controller:v1.19.1',
          args: ['--leader-election-namespace=kube-system'],
        },
      ],
    },
  };
  return (
    `${manifest('apps/v1', 'Deployment', release, { selector: { matchLabels }, template })}---\n` +
    `${JSON.stringify(role, null, 2)}\n`
  );
}

function model(environment: string): string {
  const spec = {
    predictor: {
      model: { runtime: 'vllm-cpu', modelFormat: { name: 'vLLM' }, storageUri: 'hf://Qwen/Qwen2.5-0.5B-Instruct' },
    },
  };
  const runtime = {
    supportedModelFormats: [{ name: 'vLLM', autoSelect: true }],
    containers: [{ name: 'kserve-container', image: 'quay.io/rh-aiservices-bu/vllm-cpu-openai-ubi9:0.3' }],
  };
  return (
    `${manifest('serving.kserve.io/v1alpha1', 'ServingRuntime', 'vllm-cpu', runtime)}---\n` +
    manifest('serving.kserve.io/v1beta1', 'InferenceService', `${environment}-qwen25-05b-instruct`, spec)
  );
}

/** A notebook whose cells end so, in the words of the runner. */
function notebook(name: string, ref: string, cells: readonly object[]): string {
  const failedCell = cells.findIndex((cell) => 'errorType' in cell);
  const end =
    failedCell < 0
      ? { status: 'succeeded', category: '', error: '', failedCell: null }
      : { status: 'failed', category: 'notebook_execution_failed', error: 'ValueError', failedCell };
  const events = [
    { event: 'start', kernel: 'nbclient python3', cells: cells.length, codeCells: cells.length },
    ...cells.map((cell, index) => ({ event: 'cell', cell: index, cellType: 'code', seconds: 0.1, ...cell })),
    { event: 'end', ...end, seconds: 1 },
  ];
  const simulate = {
    validator: {
      after: '2s',
      exitCode: failedCell < 0 ? 0 : 1,
      log: events.map((event) => `@argosy $(ARGOSY_NONCE) ${JSON.stringify(event)}`),
    },
  };
  return `${JSON.stringify(
    {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      metadata: { name, annotations: { 'argosy.dev/simulate': JSON.stringify(simulate) } },
      spec: {
        notebook: { git: { url: 'https://github.com/example/ml-models', ref }, path: `notebooks/${name}.ipynb` },
        podConfig: { containerImage: 'quay.io/ml-platform/sklearn-notebook:latest' },
      },
    },
    null,
    2,
  )}\n`;
}
