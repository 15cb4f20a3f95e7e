import { Fault } from '../../model/faults/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { entryOf, textAt, textsAt } from '../json/index.js';
import type { ListingFact, LogFact } from '../snapshot/index.js';
import type { FileKind } from './read-dump.js';

/** Folders and files of a support bundle (`cluster-resources/...`) whose lists have no kind. */
const BUNDLE: Readonly<Record<string, FileKind>> = Object.fromEntries(
  (
    [
      ['pods', 'v1', 'Pod'],
      ['events', 'v1', 'Event'],
      ['services', 'v1', 'Service'],
      ['nodes', 'v1', 'Node'],
      ['namespaces', 'v1', 'Namespace'],
      ['pvcs', 'v1', 'PersistentVolumeClaim'],
      ['pvs', 'v1', 'PersistentVolume'],
      ['configmaps', 'v1', 'ConfigMap'],
      ['serviceaccounts', 'v1', 'ServiceAccount'],
      ['limitranges', 'v1', 'LimitRange'],
      ['resource-quota', 'v1', 'ResourceQuota'],
      ['endpoints', 'v1', 'Endpoints'],
      ['deployments', 'apps/v1', 'Deployment'],
      ['statefulsets', 'apps/v1', 'StatefulSet'],
      ['daemonsets', 'apps/v1', 'DaemonSet'],
      ['replicasets', 'apps/v1', 'ReplicaSet'],
      ['jobs', 'batch/v1', 'Job'],
      ['cronjobs', 'batch/v1', 'CronJob'],
      ['ingress', 'networking.k8s.io/v1', 'Ingress'],
      ['network-policy', 'networking.k8s.io/v1', 'NetworkPolicy'],
      ['storage-classes', 'storage.k8s.io/v1', 'StorageClass'],
      ['volumeattachments', 'storage.k8s.io/v1', 'VolumeAttachment'],
      ['pod-disruption-budgets', 'policy/v1', 'PodDisruptionBudget'],
      ['priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass'],
      ['custom-resource-definitions', 'apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ] as const
  ).map(([folder, apiVersion, kind]) => [folder, { apiVersion, kind }]),
);

/** What the objects of a file are by its place in a support bundle. */
export function fileKindOf(path: string): FileKind | undefined {
  const match = /(?:^|\/)cluster-resources\/([a-z-]+)(?:\/[^/]+)?\.(?:json|ya?ml)$/.exec(path);
  return match === null ? undefined : entryOf(BUNDLE, match[1] ?? '');
}

/**
 * The pod and container of a log file, by its path in a support bundle or must-gather folder; undefined if it is not a
 * log.
 */
export function logOf(path: string): Omit<LogFact, 'lines'> | undefined {
  const gathered =
    /(?:^|\/)namespaces\/([^/]+)\/pods\/([^/]+)\/([^/]+)\/[^/]+\/logs\/(current|previous)(?:\.insecure)?\.log$/.exec(
      path,
    );
  if (gathered !== null) return log(gathered[1], gathered[2], gathered[3], gathered[4] === 'previous');
  const bundled =
    /(?:^|\/)(?:cluster-resources\/pods\/)?logs\/([^/]+)\/([^/]+)\/([^/]+?)(-previous|\.previous)?\.log$/.exec(path);
  return bundled === null ? undefined : log(bundled[1], bundled[2], bundled[3], bundled[4] !== undefined);
}

function log(namespace = '', pod = '', container = '', previous: boolean): Omit<LogFact, 'lines'> {
  return { namespace, pod, container, previous };
}

/**
 * The metadata of a snapshot folder: when it was taken, and which kinds were listed completely (`pod.core`,
 * `certificate.cert-manager.io`).
 */
export function readManifest(
  text: string,
  file: string,
): { readonly time: number | undefined; readonly listings: readonly ListingFact[] } | undefined {
  try {
    const manifest = readOneYaml(text, { dialect: 'kubernetes', file });
    const kinds = textsAt(manifest, 'kinds');
    if (kinds.length === 0) return undefined;
    const time = Date.parse(textAt(manifest, 'time'));
    return { time: Number.isNaN(time) ? undefined : time, listings: kinds.map((each) => listingOf(each)) };
  } catch (error) {
    // Some other file of this name; it is read like every other.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function listingOf(text: string): ListingFact {
  const dot = text.indexOf('.');
  const [kind, group] = dot < 0 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)];
  return { group: group === 'core' ? '' : group, kind, namespace: '', listing: 'complete', because: '' };
}
