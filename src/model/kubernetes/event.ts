import type { KubeObject } from './object.js';

export interface EventFacts {
  readonly about: KubeObject;
  /** Tells the Event from others about the same object. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  /** Who reports it, and on which machine. */
  readonly component: string;
  readonly host?: string;
  /** As Kubernetes writes it. */
  readonly time: string;
}

const MAX_MESSAGE = 1024;
const MAX_NAME = 200;
/** Where Events about objects without a namespace belong. */
const DEFAULT_NAMESPACE = 'default';

/** An Event of the core group, as recorders of Kubernetes write it. */
export function eventAbout({ about, id, reason, message, type, component, host, time }: EventFacts): KubeObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = about.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespace || DEFAULT_NAMESPACE, name: `${name.slice(0, MAX_NAME)}.${id}` },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion },
    reason,
    message: message.slice(0, MAX_MESSAGE),
    type,
    source: { component, ...(host === undefined ? {} : { host }) },
    reportingComponent: component,
    reportingInstance: host ?? '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}
