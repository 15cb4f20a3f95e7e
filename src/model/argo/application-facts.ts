import { objectAt, textAt } from '../json/index.js';
import type { KubeObject } from '../kubernetes/index.js';

export interface ApplicationId {
  readonly namespace: string;
  readonly name: string;
}

export function idOf({ metadata: { namespace = '', name = '' } }: KubeObject): ApplicationId {
  return { namespace, name };
}

export function qualifiedName({ namespace, name }: ApplicationId): string {
  return `${namespace}/${name}`;
}

export function projectOf(application: KubeObject): string {
  return textAt(application, 'spec', 'project') || 'default';
}

/** The address of the cluster, or its name. */
export function serverOf(application: KubeObject): string {
  return textAt(application, 'spec', 'destination', 'server') || textAt(application, 'spec', 'destination', 'name');
}

/** Whether the application is delivered to the cluster that it is kept in. */
export function isDeliveredHere(application: KubeObject): boolean {
  return ['https://kubernetes.default.svc', 'https://kubernetes.default.svc.cluster.local', 'in-cluster'].includes(
    serverOf(application),
  );
}

export function isAutomated(application: KubeObject): boolean {
  const automated = objectAt(application, 'spec', 'syncPolicy', 'automated');
  return automated !== undefined && automated.enabled !== false;
}
