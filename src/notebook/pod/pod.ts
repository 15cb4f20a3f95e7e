import { type JsonObject, objectAt, objectsAt, put, textAt, textsAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { ATTEMPT, type GitNotebook, type NotebookJob, RUN, labelValue, podName, withoutEmpty } from '../job/index.js';
import { modelEnvironment } from './model-environment.js';
import { validationEnvironment } from './validation-level.js';

export interface PodOptions {
  readonly runId: string;
  readonly attempt: number;
  /** Known to the runner and to us; the notebook never sees it. */
  readonly nonce: string;
  /** The ConfigMap with the runner. */
  readonly runner: string;
  /** For fetching repositories; empty: the image of the job. */
  readonly gitImage: string;
  /** The image that was built for this run; empty: none was. */
  readonly builtImage: string;
}

const RUNNER_PATH = '/argosy/runner';
const CREDENTIALS_PATH = '/argosy/git-credentials';
const SIMULATE = 'argosy.dev/simulate';
/** Readable by whatever user the cluster chooses; mounted only where it is needed. */
const READABLE = 0o444;

export const OWNER = { apiVersion: 'mlops.mlops.dev/v1alpha1', kind: 'NotebookValidationJob' } as const;

export function ownedBy({ name, uid }: NotebookJob): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
  blockOwnerDeletion: boolean;
}[] {
  return [{ ...OWNER, name, uid, controller: true, blockOwnerDeletion: true }];
}

export function ourLabels(name: string): Record<string, string> {
  return {
    app: 'jupyter-notebook-validator',
    notebookvalidationjob: labelValue(name),
    'app.kubernetes.io/name': 'jupyter-notebook-validator-operator',
    'app.kubernetes.io/component': 'validation-pod',
    'app.kubernetes.io/managed-by': 'jupyter-notebook-validator-operator',
  };
}

/** All our pods, of whatever job. */
export function ourLabelSelector(): string {
  return 'app=jupyter-notebook-validator,app.kubernetes.io/managed-by=jupyter-notebook-validator-operator';
}

/** The pod of one attempt. Secrets are in it by name only, and nothing that a user wrote is ever part of a command. */
export function makePod(job: NotebookJob, order: PodOptions): KubeObject {
  const { podConfig, annotations } = job;
  const simulated = annotations[SIMULATE];
  const fetches = fetchesOf(job, order);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: job.namespace,
      name: podName(job, order.runId, order.attempt),
      labels: ourLabels(job.name),
      ownerReferences: ownedBy(job),
      annotations: {
        [RUN]: order.runId,
        [ATTEMPT]: String(order.attempt),
        ...(simulated === undefined ? {} : { [SIMULATE]: simulated }),
      },
    },
    spec: withoutEmpty({
      restartPolicy: 'Never',
      serviceAccountName: job.serviceAccount,
      activeDeadlineSeconds: Math.max(1, Math.ceil(job.milliseconds / 1000)),
      tolerations: objectsAt(podConfig, 'tolerations'),
      nodeSelector: objectAt(podConfig, 'nodeSelector'),
      affinity: objectAt(podConfig, 'affinity'),
      securityContext: objectAt(podConfig, 'securityContext'),
      initContainers: fetches.map((fetch) => fetchContainer(job, order, fetch)),
      containers: [validator(job, order)],
      volumes: [
        { name: 'workspace', emptyDir: {} },
        { name: 'jovyan-home', emptyDir: {} },
        { name: 'argosy-runner', configMap: { name: order.runner, defaultMode: READABLE } },
        ...fetches
          .filter(({ secret }) => secret !== '')
          .map(({ volume, secret }) => ({ name: volume, secret: { secretName: secret, defaultMode: READABLE } })),
        ...job.volumes,
      ],
    }),
  };
}

interface Fetch extends GitNotebook {
  readonly name: string;
  readonly target: string;
  readonly volume: string;
}

/** An image that was built from the repository has the notebook in it; a golden one is always fetched. */
function fetchesOf({ notebook, golden }: NotebookJob, { builtImage }: PodOptions): Fetch[] {
  return [
    ...(builtImage === ''
      ? [{ ...notebook, name: 'git-clone', target: '/workspace/repo', volume: 'git-credentials' }]
      : []),
    ...(golden === undefined
      ? []
      : [{ ...golden, name: 'golden-git-clone', target: '/workspace/golden', volume: 'golden-git-credentials' }]),
  ];
}

/** What the pod security standard `restricted` demands of a container. */
const CONFINED: JsonObject = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const OUR_MOUNTS: readonly JsonObject[] = [
  { name: 'workspace', mountPath: '/workspace' },
  { name: 'argosy-runner', mountPath: RUNNER_PATH, readOnly: true },
];

function fetchContainer(
  job: NotebookJob,
  order: PodOptions,
  { name, url, ref, path, target, volume, secret }: Fetch,
): JsonObject {
  return withoutEmpty({
    name,
    image: order.gitImage || imageOf(job, order),
    command: ['python3', `${RUNNER_PATH}/fetch.py`],
    env: [
      { name: 'HOME', value: '/tmp' },
      { name: 'ARGOSY_GIT', value: literal({ url, ref, path, target }) },
    ],
    // The same as the validator requests, so it costs nothing and satisfies quotas.
    resources: objectAt(job.podConfig, 'resources'),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: CONFINED,
    volumeMounts: [
      ...OUR_MOUNTS,
      ...(secret === '' ? [] : [{ name: volume, mountPath: CREDENTIALS_PATH, readOnly: true }]),
    ],
  });
}

function validator(job: NotebookJob, order: PodOptions): JsonObject {
  const { podConfig } = job;
  return withoutEmpty({
    name: 'validator',
    image: imageOf(job, order),
    command: ['python3', `${RUNNER_PATH}/run.py`],
    env: environment(job, order),
    envFrom: environmentSources(podConfig),
    resources: objectAt(podConfig, 'resources'),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: CONFINED,
    volumeMounts: [
      ...OUR_MOUNTS,
      { name: 'jovyan-home', mountPath: '/home/jovyan' },
      ...objectsAt(podConfig, 'volumeMounts'),
    ],
  });
}

function imageOf(job: NotebookJob, { builtImage }: PodOptions): string {
  return builtImage || job.image;
}

/** Ours first, then the user's, which override them; those of the runner cannot be overridden. */
function environment(job: NotebookJob, order: PodOptions): JsonObject[] {
  const ours: Readonly<Record<string, string>> = {
    HOME: '/workspace',
    PYTHONUSERBASE: '/workspace/.local',
    PIP_USER: '1',
    PIP_NO_CACHE_DIR: '1',
    ...validationEnvironment(job.validation),
    ...modelEnvironment(job),
  };
  const theirs = objectsAt(job.podConfig, 'env').filter((entry) => !textAt(entry, 'name').startsWith('ARGOSY_'));
  const named = new Set(theirs.map((entry) => textAt(entry, 'name')));
  return [
    ...Object.entries(ours)
      .filter(([name]) => !named.has(name))
      .map(([name, value]) => ({ name, value: literal(value) })),
    ...theirs,
    { name: 'ARGOSY_RUN', value: literal(runOf(job, order)) },
    { name: 'ARGOSY_NONCE', value: order.nonce },
  ];
}

/** A value in which the node finds no `$(VARIABLE)` to fill in. */
function literal(value: JsonObject | string): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\$(?=[$(])/g, '$$$$');
}

/** What the runner does. */
function runOf(job: NotebookJob, { builtImage }: PodOptions): JsonObject {
  const notebook = `${builtImage === '' ? '/workspace/repo' : '/opt/app-root/src'}/${job.notebook.path}`;
  const run: JsonObject = {
    notebook,
    golden: job.golden === undefined ? null : `/workspace/golden/${job.golden.path}`,
    comparison: job.comparison,
    validation: job.validation,
    cellSeconds: null,
  };
  put(run, 'workdir', notebook.slice(0, notebook.lastIndexOf('/')));
  return run;
}

function environmentSources(podConfig: JsonObject): JsonObject[] {
  return [
    ...objectsAt(podConfig, 'envFrom'),
    ...textsAt(podConfig, 'credentials').map((name) => ({ secretRef: { name } })),
  ];
}

/** Names of what the pod cannot start without: `Secret git-credentials`. */
export function referencesOf(job: NotebookJob): string[] {
  const secrets: string[] = [];
  const maps: string[] = [];
  const add = (list: string[], name: string): void => {
    if (name !== '' && !list.includes(name)) list.push(name);
  };
  add(secrets, job.notebook.secret);
  add(secrets, job.golden?.secret ?? '');
  for (const entry of objectsAt(job.podConfig, 'env')) {
    add(secrets, textAt(objectAt(objectAt(entry, 'valueFrom'), 'secretKeyRef'), 'name'));
    add(maps, textAt(objectAt(objectAt(entry, 'valueFrom'), 'configMapKeyRef'), 'name'));
  }
  for (const source of environmentSources(job.podConfig)) {
    add(secrets, textAt(objectAt(source, 'secretRef'), 'name'));
    add(maps, textAt(objectAt(source, 'configMapRef'), 'name'));
  }
  for (const volume of job.volumes) {
    const [secret, map] = [objectAt(volume, 'secret'), objectAt(volume, 'configMap')];
    if (secret?.optional !== true) add(secrets, textAt(secret, 'secretName'));
    if (map?.optional !== true) add(maps, textAt(map, 'name'));
  }
  return [...secrets.map((name) => `Secret ${name}`), ...maps.map((name) => `ConfigMap ${name}`)];
}

/** The nonce of a pod. */
export function nonceOf(pod: KubeObject): string {
  const [container] = objectsAt(objectAt(pod, 'spec'), 'containers').filter(
    (each) => textAt(each, 'name') === 'validator',
  );
  return textAt(
    objectsAt(container, 'env').find((entry) => textAt(entry, 'name') === 'ARGOSY_NONCE'),
    'value',
  );
}

/** What is wrong with the keys of a git Secret; undefined if they are valid. */
export function credentialsError(name: string, keys: readonly string[]): string | undefined {
  if (keys.includes('ssh-privatekey')) return undefined;
  if (keys.includes('username') && (keys.includes('password') || keys.includes('token'))) return undefined;
  return (
    `Secret ${name} has no git credentials: it must have ssh-privatekey, or username with password or token; it ` +
    `has ${keys.length === 0 ? 'nothing' : [...keys].sort().join(', ')}`
  );
}
