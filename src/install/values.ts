import { parseQuantity } from '../model/kubernetes/index.js';
import type { JsonObject } from '../model/json/index.js';
import {
  choice,
  count,
  flag,
  group,
  map,
  objects,
  readFields,
  schemaOf,
  text,
  texts,
  type ValuesOf,
  wrong,
} from './field.js';

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_MUST = 'be a name of lower case letters, digits and dashes';
const HOST = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const HOST_MUST = 'be a host name, such as argosy.example.com';
const REPOSITORY = '[A-Za-z0-9][A-Za-z0-9._/-]{0,200}(:[0-9]{1,5}/[A-Za-z0-9._/-]{1,200})?';
const IMAGE = new RegExp(`^${REPOSITORY}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha256:[0-9a-f]{64})?$`);
const FLAG = /^--[a-z][^\n]*$/;
const QUANTITY = /^[0-9]{1,12}(\.[0-9]{1,6})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

const component = (what: string, memory: readonly [string, string]) => ({
  resources: map(`Requests and limits of ${what}`, {
    requests: { cpu: '100m', memory: memory[0] },
    limits: { memory: memory[1] },
  }),
  volumeSize: text(
    'Size of its only writable volume, for mirrors and temporary files',
    '4Gi',
    QUANTITY,
    'be a quantity, such as 4Gi',
  ),
  extraArgs: texts(
    'More flags of its command, such as --tool=jsonnet=/opt/jsonnet',
    FLAG,
    'be a flag that begins with --',
  ),
  env: objects('Environment variables, as a container has them, such as a proxy'),
  podAnnotations: map('Annotations of its pods'),
  nodeSelector: map('Labels of the nodes that it may run on'),
  tolerations: objects('Taints of nodes that it tolerates'),
  affinity: map('Affinity of its pods'),
  priorityClassName: text('Priority class of its pods', '', HOST, LABEL_MUST),
});

/** Every value of an installation. The chart, its schema, and the page about it are made from this. */
export const FIELDS = {
  image: text(
    'Image of the controller and the server; empty for localhost/argosy with the version of Argosy',
    '',
    IMAGE,
    'be an image, such as registry.example.com/argosy:1.2.3',
  ),
  imagePullPolicy: choice('When the image is pulled', ['IfNotPresent', 'Always', 'Never']),
  imagePullSecrets: texts('Secrets with the credentials of the registry', HOST, LABEL_MUST),
  createNamespace: flag('Whether the namespace is one of the objects'),
  ha: count('Replicas of the server and of the controller, of which one leads', 1, [1, 9]),
  shards: count('Parts that the clusters are divided into; each is a controller of its own', 1, [1, 99]),
  readOnly: flag('Compare and report, change nothing'),
  rights: choice('wide: everything in the cluster, as Argo CD; narrow: the namespaces below', ['wide', 'narrow']),
  namespaces: texts('With narrow rights: the namespaces that may be delivered to', LABEL, LABEL_MUST),
  notebooks: flag('With narrow rights: those to run notebooks in these namespaces'),
  profile: choice('Defaults of Argo CD or of OpenShift GitOps', ['kubernetes', 'openshift']),
  admin: flag('Whether there is an account admin where admin.enabled of argocd-cm says nothing', true),
  logLevel: choice('Least level of lines of the log', ['info', 'debug', 'warn', 'error']),
  logFormat: choice('Format of the log', ['json', 'text']),
  listenAddress: choice('Address that pods listen on; :: for clusters with IPv6', ['0.0.0.0', '::']),
  hosts: texts('Names of the server, besides those of its Service and url of argocd-cm', HOST, HOST_MUST),
  trustedProxies: texts(
    'Addresses and networks of reverse proxies, such as 10.0.0.0/8',
    /^[0-9a-f:.]+(\/[0-9]{1,3})?$/i,
    'be an address or a network',
  ),
  remoteHosts: texts('Hosts that remote kustomizations and values files may be loaded from', HOST, HOST_MUST),
  tls: group('Certificate of the server', {
    source: choice(
      'own: the Secret argocd-server-tls, else one that Argosy makes and renews; none: a proxy terminates TLS',
      ['own', 'cert-manager', 'none'],
    ),
    issuer: text('Issuer of cert-manager', '', HOST, LABEL_MUST),
    issuerKind: choice('Its kind', ['Issuer', 'ClusterIssuer']),
  }),
  controller: group('The controller', component('the controller', ['256Mi', '2Gi'])),
  server: group('The server of API and page', {
    ...component('the server', ['192Mi', '1Gi']),
    serviceType: choice('Type of its Service', ['ClusterIP', 'NodePort', 'LoadBalancer']),
  }),
  networkPolicy: flag('Whether NetworkPolicies admit only what pods serve', true),
  podDisruptionBudget: flag('Whether drains of nodes leave one replica, where there are more', true),
  ingress: group('An Ingress for the server', {
    enabled: flag('Whether there is one'),
    className: text('Its class', '', HOST, LABEL_MUST),
    host: text('Its host', '', HOST, HOST_MUST),
    tlsSecret: text('Secret with the certificate of the host', '', HOST, LABEL_MUST),
    annotations: map('Its annotations'),
  }),
  route: group('A Route of OpenShift for the server', {
    enabled: flag('Whether there is one'),
    host: text('Its host; empty for one that OpenShift chooses', '', HOST, HOST_MUST),
  }),
  serviceMonitor: group('A ServiceMonitor for the Prometheus operator', {
    enabled: flag('Whether there is one'),
    interval: text('How often metrics are read', '30s', /^[1-9][0-9]{0,4}(ms|s|m)$/, 'be a duration, such as 30s'),
    labels: map('Labels by which Prometheus finds it'),
  }),
} as const;

export type InstallValues = ValuesOf<typeof FIELDS>;

/** The values of an installation; a Fault names what is unknown, of the wrong type, or contradicts another value. */
export function readInstallValues(given: JsonObject): InstallValues {
  const values = readFields(FIELDS, given);
  for (const name of ['controller', 'server'] as const) checkResources(values[name].resources, `${name}.resources`);
  const { rights, namespaces, notebooks, readOnly, shards, ha, tls, ingress } = values;
  if (rights === 'narrow' && namespaces.length === 0)
    throw wrong('namespaces', 'must name those that may be delivered to, with narrow rights');
  if (rights === 'wide' && namespaces.length > 0)
    throw wrong('namespaces', 'needs rights: narrow; wide rights know no limits');
  if (notebooks && readOnly) throw wrong('notebooks', 'cannot run where readOnly is true');
  if (shards > 1 && readOnly && ha > 1) throw wrong('ha', 'must be 1 where readOnly and shards are set');
  if (tls.source === 'cert-manager' && tls.issuer === '')
    throw wrong('tls.issuer', 'must name an issuer of cert-manager');
  if (ingress.enabled && ingress.host === '') throw wrong('ingress.host', 'must be set where ingress.enabled is true');
  return values;
}

/** What a kubelet would refuse only when the pod is there. */
function checkResources(resources: JsonObject, at: string): void {
  for (const [kind, amounts] of Object.entries(resources)) {
    if (kind !== 'requests' && kind !== 'limits') throw wrong(`${at}.${kind}`, 'is neither requests nor limits');
    for (const [name, amount] of Object.entries(amounts ?? {})) {
      try {
        parseQuantity(String(amount));
      } catch (error) {
        throw wrong(
          `${at}.${kind}.${name}`,
          `must be a quantity, such as 256Mi: ${error instanceof Error ? error.message : ''}`,
        );
      }
    }
  }
}

export function installValuesSchema(): JsonObject {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schemaOf(FIELDS) };
}
