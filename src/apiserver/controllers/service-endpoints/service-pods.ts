import { equal, own, type JsonObject } from '../../../model/json/index.js';
import {
  labelSelectorFromMap,
  matchesLabels,
  type KubeObject,
  type LabelSelector,
} from '../../../model/kubernetes/index.js';
import type { WatchedObject } from '../../rest/index.js';
import { count, items, maybe, sub, text } from '../../resources/index.js';
import type { ControllerHost, ObjectName } from '../../controller-runtime/index.js';
import { conditionOf, createdAt, hasEnded, isReady, millisecondsAt } from '../common/pod-conditions.js';
import { PODS, SERVICES } from '../../../model/resources/index.js';

export const HEADLESS = 'service.kubernetes.io/headless';
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

export function specOf(object: KubeObject): JsonObject {
  return sub(object, 'spec');
}

/** Services without selector or with an external name have their endpoints from elsewhere. */
export function isSelecting(service: KubeObject): boolean {
  return selectorOf(service) !== undefined;
}

/** An object never changes: what it selects is worked out once, not for every pod of its namespace. */
const selectors = new WeakMap<KubeObject, LabelSelector | 'none'>();

function selectorOf(service: KubeObject): LabelSelector | undefined {
  let selector = selectors.get(service);
  if (selector === undefined) {
    const labels = text(specOf(service), 'type') === 'ExternalName' ? undefined : maybe(service, 'spec.selector');
    selector = labels === undefined ? 'none' : labelSelectorFromMap(labels as Record<string, string>);
    selectors.set(service, selector);
  }
  return selector === 'none' ? undefined : selector;
}

export function hasClusterIp(service: KubeObject): boolean {
  return !['', 'None'].includes(text(specOf(service), 'clusterIP'));
}

export function publishesUnready(service: KubeObject): boolean {
  return own(specOf(service), 'publishNotReadyAddresses') === true;
}

/** Selected pods that have an address and have not ended; those on their way out only where asked for. */
export function podsOf({ client }: ControllerHost, service: KubeObject, withTerminating: boolean): KubeObject[] {
  const selector = selectorOf(service);
  return client
    .list(PODS, service.metadata.namespace)
    .filter(
      (pod) =>
        selector !== undefined &&
        matchesLabels(selector, pod.metadata.labels) &&
        !hasEnded(pod) &&
        addressesOf(pod).length > 0 &&
        (withTerminating || pod.metadata.deletionTimestamp === undefined),
    );
}

export function addressesOf(pod: KubeObject): string[] {
  const listed = items(maybe(pod, 'status'), 'podIPs')
    .map((each) => text(each, 'ip'))
    .filter((ip) => ip !== '');
  if (listed.length > 0) return listed;
  const first = text(maybe(pod, 'status'), 'podIP');
  return first === '' ? [] : [first];
}

/** The container port that a service port leads to; undefined where the pod has no port of that name. */
export function targetPort(pod: KubeObject, port: JsonObject): number | undefined {
  const target = own(port, 'targetPort');
  if (typeof target === 'number') return target;
  const containers = [
    ...items(maybe(pod, 'spec'), 'containers'),
    ...items(maybe(pod, 'spec'), 'initContainers').filter((each) => text(each, 'restartPolicy') === 'Always'),
  ];
  const named = containers
    .flatMap((container) => items(container, 'ports'))
    .find((each) => text(each, 'name') === target && (text(each, 'protocol') || 'TCP') === protocolOf(port));
  return named && count(named, 'containerPort');
}

export function protocolOf(port: JsonObject): string {
  return text(port, 'protocol') || 'TCP';
}

/** Pods get a name of their own in DNS where their subdomain is the service. */
export function hostnameFor(pod: KubeObject, service: KubeObject): string {
  const spec = specOf(pod);
  return text(spec, 'subdomain') === service.metadata.name ? text(spec, 'hostname') : '';
}

export function podReference(pod: KubeObject): JsonObject {
  const { namespace, name, uid } = pod.metadata;
  return { kind: 'Pod', namespace, name, uid };
}

/** When the newest cause of the endpoints came about: the service, or a pod that became ready or unready. */
export function triggerTime(service: KubeObject, pods: readonly KubeObject[]): string {
  const times = pods.map((pod) => millisecondsAt(conditionOf(pod, 'Ready'), 'lastTransitionTime') ?? 0);
  return `${new Date(Math.max(createdAt(service), ...times)).toISOString().slice(0, 19)}Z`;
}

/**
 * The services that select a pod, now or before the change; none where the change means nothing to whoever calls a
 * service.
 */
export function servicesOfPod({ type, object, previous }: WatchedObject, { client }: ControllerHost): ObjectName[] {
  if (type === 'MODIFIED' && previous !== undefined && isSameEndpoint(object, previous)) return [];
  const namespace = object.metadata.namespace ?? '';
  return client
    .list(SERVICES, namespace)
    .filter((service) => {
      const selector = selectorOf(service);
      return (
        selector !== undefined &&
        (matchesLabels(selector, object.metadata.labels) ||
          (previous !== undefined && matchesLabels(selector, previous.metadata.labels)))
      );
    })
    .map(({ metadata }) => ({ namespace, name: metadata.name ?? '' }));
}

function isSameEndpoint(pod: KubeObject, before: KubeObject): boolean {
  return (
    pod.metadata.deletionTimestamp === before.metadata.deletionTimestamp &&
    hasEnded(pod) === hasEnded(before) &&
    isReady(pod) === isReady(before) &&
    text(specOf(pod), 'nodeName') === text(specOf(before), 'nodeName') &&
    equal(addressesOf(pod), addressesOf(before)) &&
    equal(pod.metadata.labels, before.metadata.labels)
  );
}
