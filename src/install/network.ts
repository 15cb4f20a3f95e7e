import type { JsonObject } from '../model/json/index.js';
import type { KubeObject } from '../model/kubernetes/index.js';
import {
  type ComponentName,
  CONTROLLER,
  type Installation,
  objectOf,
  selectorOf,
  SERVER,
  serverHosts,
} from './names.js';
import { present } from './workloads.js';

/** The Secret that the server reads its certificate from, as in Argo CD. */
const TLS_SECRET = 'argocd-server-tls';

export function services(installation: Installation): KubeObject[] {
  const { values } = installation;
  const port = (name: string, number: number, target: string): JsonObject => ({
    name,
    port: number,
    protocol: 'TCP',
    targetPort: target,
  });
  const service = (name: ComponentName, spec: JsonObject): KubeObject =>
    objectOf(
      installation,
      ['v1', 'Service', name],
      { spec: { ...spec, selector: selectorOf(installation, name) } },
      name,
    );
  return [
    service(CONTROLLER, { ports: [port('metrics', 8082, 'metrics')] }),
    service(SERVER, {
      type: values.server.serviceType,
      ports: [port('http', 80, 'api'), ...(values.tls.source === 'none' ? [] : [port('https', 443, 'api')])],
    }),
  ];
}

/** Who may reach what: the page and API from everywhere, metrics from pods of the cluster. Kubelets always may. */
export function networkPolicies(installation: Installation): KubeObject[] {
  if (!installation.values.networkPolicy) return [];
  const policy = (name: ComponentName, ingress: JsonObject): KubeObject =>
    objectOf(
      installation,
      ['networking.k8s.io/v1', 'NetworkPolicy', name],
      {
        spec: {
          podSelector: { matchLabels: selectorOf(installation, name) },
          policyTypes: ['Ingress'],
          ingress: [ingress],
        },
      },
      name,
    );
  return [
    policy(CONTROLLER, { from: [{ namespaceSelector: {} }], ports: [{ port: 'metrics', protocol: 'TCP' }] }),
    policy(SERVER, { ports: [{ port: 'api', protocol: 'TCP' }] }),
  ];
}

/** A single replica is never protected: its node could not be drained. */
export function disruptionBudgets(installation: Installation): KubeObject[] {
  const { podDisruptionBudget, ha, shards } = installation.values;
  if (!podDisruptionBudget) return [];
  const budget = (name: ComponentName): KubeObject =>
    objectOf(
      installation,
      ['policy/v1', 'PodDisruptionBudget', name],
      { spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(installation, name) } } },
      name,
    );
  return [...(ha > 1 || shards > 1 ? [budget(CONTROLLER)] : []), ...(ha > 1 ? [budget(SERVER)] : [])];
}

/** What leads to the server from outside, and who reads its metrics. */
export function entrances(installation: Installation): KubeObject[] {
  const { ingress, route, serviceMonitor, tls } = installation.values;
  return [
    ...(tls.source === 'cert-manager' ? [certificate(installation)] : []),
    ...(ingress.enabled ? [ingressObject(installation)] : []),
    ...(route.enabled ? [routeObject(installation)] : []),
    ...(serviceMonitor.enabled ? [monitor(installation)] : []),
  ];
}

function certificate(installation: Installation): KubeObject {
  const { issuer, issuerKind } = installation.values.tls;
  return objectOf(
    installation,
    ['cert-manager.io/v1', 'Certificate', SERVER],
    {
      spec: {
        secretName: TLS_SECRET,
        dnsNames: serverHosts(installation),
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        issuerRef: { group: 'cert-manager.io', kind: issuerKind, name: issuer },
      },
    },
    SERVER,
  );
}

function ingressObject(installation: Installation): KubeObject {
  const { ingress, tls } = installation.values;
  const { className, host, tlsSecret, annotations } = ingress;
  const backend = { service: { name: SERVER, port: { name: tls.source === 'none' ? 'http' : 'https' } } };
  const object = objectOf(
    installation,
    ['networking.k8s.io/v1', 'Ingress', SERVER],
    {
      spec: {
        ...(className === '' ? {} : { ingressClassName: className }),
        rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
        ...(tlsSecret === '' ? {} : { tls: [{ hosts: [host], secretName: tlsSecret }] }),
      },
    },
    SERVER,
  );
  return { ...object, metadata: { ...object.metadata, ...present('annotations', annotations) } };
}

function routeObject(installation: Installation): KubeObject {
  const { route, tls } = installation.values;
  return objectOf(
    installation,
    ['route.openshift.io/v1', 'Route', SERVER],
    {
      spec: {
        ...(route.host === '' ? {} : { host: route.host }),
        to: { kind: 'Service', name: SERVER, weight: 100 },
        port: { targetPort: tls.source === 'none' ? 'http' : 'https' },
        tls: { termination: tls.source === 'none' ? 'edge' : 'passthrough', insecureEdgeTerminationPolicy: 'Redirect' },
      },
    },
    SERVER,
  );
}

/** Of the controller alone: the metrics of the server are for users with a token. */
function monitor(installation: Installation): KubeObject {
  const { interval, labels } = installation.values.serviceMonitor;
  const object = objectOf(
    installation,
    ['monitoring.coreos.com/v1', 'ServiceMonitor', CONTROLLER],
    {
      spec: {
        endpoints: [{ port: 'metrics', path: '/metrics', interval }],
        selector: { matchLabels: selectorOf(installation, CONTROLLER) },
      },
    },
    CONTROLLER,
  );
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...textsOf(labels) } } };
}

function textsOf(labels: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [key, typeof value === 'string' ? value : String(value)]),
  );
}
