import { Fault } from '../../../model/faults/index.js';
import {
  matchesLabels,
  parseLabelSelector,
  splitApiVersion,
  type KubeObject,
  type LabelSelector,
} from '../../../model/kubernetes/index.js';
import type { LocalClient, ResourceName, ServedKind } from '../../rest/index.js';
import { count, sub, text } from '../../resources/index.js';
import { HORIZONTAL_POD_AUTOSCALERS, PODS } from '../../../model/resources/index.js';

/** What is scaled, and where its number of replicas stands. */
export interface Target {
  readonly of: ResourceName;
  readonly object: KubeObject;
  readonly place: string;
  readonly field: string;
  /** Of its pods; empty where its kind does not say. */
  readonly selector: string;
}

/** The target of an autoscaler, or why there is none. */
export function targetOf(client: LocalClient, autoscaler: KubeObject): Target | { readonly error: string } {
  const reference = sub(autoscaler, 'spec.scaleTargetRef');
  const { group } = splitApiVersion(text(reference, 'apiVersion'));
  const [kind, name] = [text(reference, 'kind'), text(reference, 'name')];
  const served: ServedKind | undefined = client.served(group, kind);
  if (!served) return { error: `no matches for kind "${kind}" in group "${group}"` };
  const object = client.get(served, autoscaler.metadata.namespace ?? '', name);
  if (!object) return { error: `${group === '' ? served.plural : `${served.plural}.${group}`} "${name}" not found` };
  if (served.scale === undefined) return { error: 'the server could not find the requested resource' };
  const names = served.scale.replicasPath.split('.').slice(1);
  return {
    of: served,
    object,
    place: names.slice(0, -1).join('.'),
    field: names.at(-1) ?? '',
    selector: served.scale.selectorOf(object),
  };
}

export function replicasOf({ object, place, field }: Target): number {
  return count(sub(object, place), field);
}

/** A selector that cannot be used, as the real controller reports it. */
export interface SelectorError {
  readonly event: string;
  readonly reason: string;
  readonly message: string;
  readonly error: string;
}

/** The selector of a target's pods, which no other autoscaler may scale. */
export function selectorOf(
  client: LocalClient,
  { selector }: Target,
  namespace: string,
): LabelSelector | SelectorError {
  if (selector === '')
    return {
      event: 'SelectorRequired',
      reason: 'InvalidSelector',
      message: "the HPA target's scale is missing a selector",
      error: 'selector is required',
    };
  const parsed = readSelector(selector);
  if (typeof parsed === 'string') {
    const error = `couldn't convert selector into a corresponding internal selector object: ${parsed}`;
    return { event: 'InvalidSelector', reason: 'InvalidSelector', message: error, error };
  }
  const pods = client.list(PODS, namespace).filter(({ metadata }) => matchesLabels(parsed, metadata.labels));
  const scaling = client
    .list(HORIZONTAL_POD_AUTOSCALERS, namespace)
    .filter((each) => pods.some((pod) => scales(client, each, pod)));
  if (scaling.length < 2) return parsed;
  const error =
    `pods by selector ${selector} are controlled by multiple HPAs: ` +
    `[${scaling.map(({ metadata }) => `${namespace}/${metadata.name ?? ''}`).join(' ')}]`;
  return { event: 'AmbiguousSelector', reason: 'AmbiguousSelector', message: error, error };
}

/** Whether an object with these labels is one of those that the autoscaler counts. */
export function scales(client: LocalClient, autoscaler: KubeObject, { metadata }: KubeObject): boolean {
  const target = targetOf(client, autoscaler);
  if ('error' in target || target.selector === '') return false;
  const selector = readSelector(target.selector);
  return typeof selector !== 'string' && matchesLabels(selector, metadata.labels);
}

function readSelector(selector: string): LabelSelector | string {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}
