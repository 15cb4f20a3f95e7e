import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Snapshot } from '../../src/triage/index.js';
import { DESCRIBED_KINDS, described } from './pasted-described.js';
import { items, word } from './pasted-fields.js';
import { listed, listedEvents } from './pasted-tables.js';

/** So much of a log is pasted. */
const LOG_LINES = 60;

/**
 * A snapshot as somebody pastes it: what kubectl prints of a namespace in tables, of what is ill in full, the events
 * and the ends of logs, each behind the line that was typed.
 */
export function pastedText(snapshot: Snapshot, namespace: string): string {
  const now = snapshot.time;
  const ours = snapshot.objects.filter(
    ({ metadata }) => metadata.namespace === undefined || metadata.namespace === namespace,
  );
  const sorted = [...ours].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const shown = DESCRIBED_KINDS.flatMap((kind) =>
    sorted.filter((each) => each.kind === kind && isWorthALook(each, snapshot)),
  );
  return [
    ...listed(sorted, namespace, now),
    ...listedEvents(snapshot.events, namespace, now),
    ...shown.flatMap((each) => described(each, { snapshot, now })),
    ...snapshot.logs
      .filter((log) => log.namespace === namespace)
      .flatMap((log) => [
        `$ kubectl logs ${log.pod} -n ${namespace} -c ${log.container}${log.previous ? ' --previous' : ''}`,
        ...log.lines.slice(-LOG_LINES),
        '',
      ]),
  ].join('\n');
}

/** Deployments and Services are looked at anyway; pods only where they are not well. */
function isWorthALook(object: KubeObject, snapshot: Snapshot): boolean {
  if (object.kind === 'ReplicaSet') return hasWarning(object, snapshot);
  if (object.kind === 'ConfigMap') return !/root|istio-ca/.test(object.metadata.name ?? '');
  if (object.kind !== 'Pod') return true;
  const statuses = items(object, 'status', 'containerStatuses');
  return (
    hasWarning(object, snapshot) ||
    statuses.length === 0 ||
    statuses.some((each) => word(each, 'ready') !== 'true' || Number(word(each, 'restartCount')) > 0)
  );
}

function hasWarning({ kind, metadata }: KubeObject, { events }: Snapshot): boolean {
  return events.some(({ type, about }) => type === 'Warning' && about.kind === kind && about.name === metadata.name);
}
