import type { Json, JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import {
  type ComponentName,
  CONTROLLER,
  type Installation,
  labelsOf,
  objectOf,
  selectorOf,
  SERVER,
  serverHosts,
} from './names.js';

/** Ports of the containers. */
export const METRICS_PORT = 8082;
export const API_PORT = 8080;

const DATA = '/data';

interface Component {
  readonly name: ComponentName;
  readonly replicas: number;
  readonly args: readonly string[];
  readonly port: { readonly name: string; readonly number: number; readonly scheme: 'HTTP' | 'HTTPS' };
}

/** The controller: a Deployment whose replicas elect a leader, or one pod of a StatefulSet for each shard. */
export function controllerWorkload(installation: Installation): KubeObject {
  const { shards, ha, readOnly, remoteHosts } = installation.values;
  const component: Component = {
    name: CONTROLLER,
    replicas: shards > 1 ? shards : ha,
    args: [
      'controller',
      ...commonArgs(installation),
      `--metrics-address=${installation.values.listenAddress}`,
      `--metrics-port=${METRICS_PORT}`,
      ...(readOnly ? ['--read-only'] : []),
      ...(shards > 1 ? [`--shards=${shards}`] : []),
      ...remoteHosts.map((host) => `--remote-host=${host}`),
      ...installation.values.controller.extraArgs,
    ],
    port: { name: 'metrics', number: METRICS_PORT, scheme: 'HTTP' },
  };
  const spec = workloadSpec(installation, component);
  return shards > 1
    ? objectOf(
        installation,
        ['apps/v1', 'StatefulSet', CONTROLLER],
        { spec: { ...spec, serviceName: CONTROLLER, podManagementPolicy: 'Parallel' } },
        CONTROLLER,
      )
    : objectOf(installation, ['apps/v1', 'Deployment', CONTROLLER], { spec }, CONTROLLER);
}

/** The server of API and page; every replica serves everybody. */
export function serverWorkload(installation: Installation): KubeObject {
  const { ha, tls, admin, remoteHosts, trustedProxies, listenAddress, server } = installation.values;
  const isPlain = tls.source === 'none';
  const component: Component = {
    name: SERVER,
    replicas: ha,
    args: [
      'serve',
      ...commonArgs(installation),
      `--host=${listenAddress}`,
      `--port=${API_PORT}`,
      ...serverHosts(installation).map((host) => `--allow-host=${host}`),
      ...(admin ? ['--enable-admin'] : []),
      ...(isPlain ? ['--insecure'] : []),
      ...(trustedProxies.length === 0 ? [] : [`--trusted-proxies=${trustedProxies.join(',')}`]),
      ...remoteHosts.map((host) => `--remote-host=${host}`),
      ...server.extraArgs,
    ],
    port: { name: 'api', number: API_PORT, scheme: isPlain ? 'HTTP' : 'HTTPS' },
  };
  return objectOf(
    installation,
    ['apps/v1', 'Deployment', SERVER],
    { spec: workloadSpec(installation, component) },
    SERVER,
  );
}

function commonArgs({ namespace, values }: Installation): string[] {
  return [
    `--namespace=${namespace}`,
    `--profile=${values.profile}`,
    '--security-profile=shared',
    `--data=${DATA}/argosy`,
    '--audit-log=-',
    `--log-level=${values.logLevel}`,
    `--log-format=${values.logFormat}`,
  ];
}

function workloadSpec(installation: Installation, component: Component): JsonObject {
  return {
    replicas: component.replicas,
    revisionHistoryLimit: 3,
    selector: { matchLabels: selectorOf(installation, component.name) },
    template: {
      metadata: {
        labels: labelsOf(installation, component.name),
        ...present('annotations', partOf(installation, component).podAnnotations),
      },
      spec: podSpec(installation, component),
    },
  };
}

function partOf({ values }: Installation, { name }: Component) {
  return name === CONTROLLER ? values.controller : values.server;
}

function podSpec(installation: Installation, component: Component): JsonObject {
  const { values } = installation;
  const { nodeSelector, tolerations, affinity, priorityClassName, volumeSize } = partOf(installation, component);
  return {
    serviceAccountName: component.name,
    ...present(
      'imagePullSecrets',
      values.imagePullSecrets.map((name) => ({ name })),
    ),
    // A numeric user comes with the image; OpenShift chooses another one.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    terminationGracePeriodSeconds: 30,
    ...(priorityClassName === '' ? {} : { priorityClassName }),
    ...present('nodeSelector', nodeSelector),
    ...present('tolerations', [...tolerations]),
    ...present('affinity', affinity),
    ...(component.replicas > 1 ? { topologySpreadConstraints: [spread(installation, component)] } : {}),
    containers: [container(installation, component)],
    volumes: [{ name: 'data', emptyDir: { sizeLimit: volumeSize } }],
  };
}

/** One node less takes one replica away, where there are nodes enough. */
function spread(installation: Installation, { name }: Component): JsonObject {
  return {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selectorOf(installation, name) },
  };
}

function container(installation: Installation, component: Component): JsonObject {
  const { values, version } = installation;
  const { resources, env } = partOf(installation, component);
  return {
    name: component.name,
    image: values.image === '' ? `localhost/argosy:${version}` : values.image,
    imagePullPolicy: values.imagePullPolicy,
    args: [...component.args],
    env: [{ name: 'HOME', value: DATA }, { name: 'TMPDIR', value: DATA }, ...env],
    ports: [{ name: component.port.name, containerPort: component.port.number, protocol: 'TCP' }],
    ...probes(component),
    resources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [{ name: 'data', mountPath: DATA }],
  };
}

/** A start may wait for a slow API server; afterwards only a process that does not answer is restarted. */
function probes({ port }: Component): JsonObject {
  const get = (path: string): JsonObject => ({ httpGet: { path, port: port.name, scheme: port.scheme } });
  return {
    startupProbe: { ...get('/healthz'), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150 },
    livenessProbe: { ...get('/healthz'), periodSeconds: 10, timeoutSeconds: 10, failureThreshold: 6 },
    readinessProbe: { ...get('/readyz'), periodSeconds: 5, timeoutSeconds: 10, failureThreshold: 3 },
  };
}

/** Nothing at all where it is empty. */
export function present(name: string, value: readonly Json[] | JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value as Json };
}
