import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { ObjectRef } from './label.js';
import { ENVIRONMENT, NAMESPACE, SERVICES } from './names.js';

export const refOf = ({ apiVersion, kind, metadata }: KubeObject): ObjectRef => ({
  apiVersion,
  kind,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  name: metadata.name ?? '',
});
/** The Application of a plain application or a component, by the last part of its name. */
export const app = (name: string, domain = 'apps'): string => `${ENVIRONMENT.name}-${domain}-${name}`;
export const applicationRef = (name: string): ObjectRef => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace: 'argocd',
  name,
});
const inPlace =
  (apiVersion: string, kind: string) =>
  (name: string): ObjectRef => ({ apiVersion, kind, namespace: NAMESPACE, name });
export const deploymentRef = inPlace('apps/v1', 'Deployment');
export const statefulSetRef = inPlace('apps/v1', 'StatefulSet');
export const podRef = inPlace('v1', 'Pod');
export const serviceRef = inPlace('v1', 'Service');
export const secretRef = inPlace('v1', 'Secret');
export const configMapRef = inPlace('v1', 'ConfigMap');
export const claimRef = inPlace('v1', 'PersistentVolumeClaim');
export const jobRef = inPlace('batch/v1', 'Job');
export const externalSecretRef = inPlace('external-secrets.io/v1', 'ExternalSecret');
export const storeRef = inPlace('external-secrets.io/v1', 'SecretStore');

/** Applications with something from the store. */
export const STORE_CUSTOMERS = [
  app('vault-secret-store', 'foundation'),
  app('ghcr-pull-secret', 'foundation'),
  app('minio', 'data'),
  app('redis', 'data'),
  app('grafana', 'platform'),
  app('loki', 'platform'),
  app('plausible'),
  app('agents'),
  app('inference-gateway'),
  ...SERVICES.map((name) => app(name)),
];
