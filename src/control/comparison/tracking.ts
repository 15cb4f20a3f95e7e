import { isHook } from '../../model/argo/index.js';
import { gvkOf, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import type { Settings, TrackingMethod } from '../../model/settings/index.js';

export const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
export const INSTALLATION_ID = 'argocd.argoproj.io/installation-id';

/** How objects are tracked as an application's. */
export interface Tracking {
  readonly method: TrackingMethod;
  readonly labelKey: string;
  readonly installationId: string;
}

const LABEL_LENGTH = 63;

export function trackingOf({ trackingMethod, instanceLabelKey, installationID }: Settings): Tracking {
  return { method: trackingMethod, labelKey: instanceLabelKey, installationId: installationID };
}

/** Argo CD does not track definitions, since others may have objects of the kind: none is ever pruned. */
function isDefinition({ kind, apiVersion }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** `APP:GROUP/KIND:NAMESPACE/NAME`; cluster-scoped objects have the destination namespace. */
export function trackingId(application: string, object: KubeObject, destinationNamespace: string): string {
  const { group, kind } = gvkOf(object);
  const { namespace = destinationNamespace, name = '' } = object.metadata;
  return `${application}:${group}/${kind}:${namespace}/${name}`;
}

/** The object with the tracking label or annotation. */
export function track(
  object: KubeObject,
  application: string,
  destinationNamespace: string,
  tracking: Tracking,
): KubeObject {
  if (isDefinition(object)) return object;
  const { metadata } = object;
  const labelled =
    tracking.method === 'annotation'
      ? metadata.labels
      : { ...metadata.labels, [tracking.labelKey]: tracking.method === 'label' ? application : shortened(application) };
  const annotated =
    tracking.method === 'label'
      ? metadata.annotations
      : annotate(object, trackingId(application, object, destinationNamespace), tracking.installationId);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labelled === undefined ? {} : { labels: labelled }),
      ...(annotated === undefined ? {} : { annotations: annotated }),
    },
  };
}

/** Without an installation id, one that was copied with the manifest is dropped. */
function annotate({ metadata }: KubeObject, id: string, installationId: string): Record<string, string> {
  const { [INSTALLATION_ID]: _copied, ...annotations } = metadata.annotations ?? {};
  return { ...annotations, [TRACKING_ID]: id, ...(installationId === '' ? {} : { [INSTALLATION_ID]: installationId }) };
}

/** Label values end with a letter or a digit. */
function shortened(application: string): string {
  return application.length <= LABEL_LENGTH
    ? application
    : application.slice(0, LABEL_LENGTH).replace(/(?<![^a-zA-Z0-9])[^a-zA-Z0-9]+$/, '');
}

/** The application that an object is tracked as belonging to, if any. */
export function ownerOf(object: KubeObject, tracking: Tracking): string | undefined {
  const { annotations, labels } = object.metadata;
  if (tracking.method === 'label') {
    const name = labels?.[tracking.labelKey];
    return name === '' ? undefined : name;
  }
  const id = annotations?.[TRACKING_ID];
  if (id === undefined || (annotations?.[INSTALLATION_ID] ?? '') !== tracking.installationId) return undefined;
  return parseTrackingId(id)?.application;
}

export function parseTrackingId(id: string): { readonly application: string; readonly key: Key } | undefined {
  const [, application = '', group = '', kind = '', namespace = '', name = ''] =
    /^([^:]*):([^/]*)\/([^:]*):([^/]*)\/(.*)$/s.exec(id) ?? [];
  return application === '' || kind === '' ? undefined : { application, key: { group, kind, namespace, name } };
}

/**
 * Whether the tracking id of an object is its own. Controllers copy annotations to objects they create; such copies are
 * listed, but neither compared nor pruned.
 */
export function isSelfReferenced(object: KubeObject, tracking: Tracking): boolean {
  if (tracking.method === 'label') return true;
  const id = object.metadata.annotations?.[TRACKING_ID];
  const parsed = id === undefined ? undefined : parseTrackingId(id);
  if (parsed === undefined) return true;
  const { group, kind } = gvkOf(object);
  const { key } = parsed;
  const isSamePlace = object.metadata.namespace === undefined || key.namespace === object.metadata.namespace;
  // A hook with generateName gets its name after its id.
  const isSameName = key.name === object.metadata.name || (key.name === '' && isHook(object));
  return isSameName && key.kind === kind && key.group === group && isSamePlace;
}
