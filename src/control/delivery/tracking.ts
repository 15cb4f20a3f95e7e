import { gvkOf, type Key, type KubeObject, type Settings, type TrackingMethod } from '../../model/index.js';

export const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
export const INSTALLATION_ID = 'argocd.argoproj.io/installation-id';

/** How objects say to which application they belong. */
export interface Tracking {
  readonly method: TrackingMethod;
  readonly labelKey: string;
  readonly installationId: string;
}

const LABEL_LENGTH = 63;

export function trackingOf({ trackingMethod, instanceLabelKey, installationID }: Settings): Tracking {
  return { method: trackingMethod, labelKey: instanceLabelKey, installationId: installationID };
}

/** `app.kubernetes.io/instance` on a CRD would be taken for the instance of its operator, so Argo CD leaves CRDs alone. */
function isUntrackable({ kind, apiVersion }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** `APP:GROUP/KIND:NAMESPACE/NAME`; objects without a namespace carry the application's. */
export function trackingId(application: string, object: KubeObject, destinationNamespace: string): string {
  const { group, kind } = gvkOf(object);
  return `${application}:${group}/${kind}:${object.metadata.namespace ?? destinationNamespace}/${object.metadata.name ?? ''}`;
}

/** The object with what says that it belongs to the application. */
export function track(object: KubeObject, application: string, destinationNamespace: string, tracking: Tracking): KubeObject {
  const { metadata } = object;
  const labelled = tracking.method === 'annotation' || (tracking.method === 'label' && isUntrackable(object)) ? metadata.labels
    : { ...metadata.labels, [tracking.labelKey]: tracking.method === 'label' ? application : application.slice(0, LABEL_LENGTH) };
  const annotated = tracking.method === 'label' ? metadata.annotations : {
    ...metadata.annotations,
    [TRACKING_ID]: trackingId(application, object, destinationNamespace),
    ...(tracking.installationId === '' ? {} : { [INSTALLATION_ID]: tracking.installationId }),
  };
  return { ...object, metadata: { ...metadata, ...(labelled === undefined ? {} : { labels: labelled }), ...(annotated === undefined ? {} : { annotations: annotated }) } };
}

/** The application that an object says it belongs to; undefined where it says nothing. */
export function ownerOf(object: KubeObject, tracking: Tracking): string | undefined {
  const { annotations, labels } = object.metadata;
  if (tracking.method === 'label') return labels?.[tracking.labelKey];
  const id = annotations?.[TRACKING_ID];
  if (id === undefined || (annotations?.[INSTALLATION_ID] ?? '') !== tracking.installationId) return undefined;
  return parseTrackingId(id)?.application;
}

export function parseTrackingId(id: string): { readonly application: string; readonly key: Key } | undefined {
  const [, application = '', group = '', kind = '', namespace = '', name = ''] = /^([^:]*):([^/]*)\/([^:]*):([^/]*)\/(.*)$/s.exec(id) ?? [];
  return application === '' || kind === '' ? undefined : { application, key: { group, kind, namespace, name } };
}

/**
 * Whether the tracking id of an object speaks of the object itself. Controllers copy annotations to what they make; such
 * copies are shown, and neither compared nor pruned.
 */
export function speaksOfItself(object: KubeObject, tracking: Tracking): boolean {
  if (tracking.method === 'label') return true;
  const id = object.metadata.annotations?.[TRACKING_ID];
  const parsed = id === undefined ? undefined : parseTrackingId(id);
  if (parsed === undefined) return true;
  const { group, kind } = gvkOf(object);
  const { key } = parsed;
  const isSamePlace = object.metadata.namespace === undefined || key.namespace === object.metadata.namespace;
  return key.name === object.metadata.name && key.kind === kind && key.group === group && isSamePlace;
}
