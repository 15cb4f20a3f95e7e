import { objectAt, objectsAt, own } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { amountOf, textAt } from '../json/index.js';
import type { SeriesFact } from '../snapshot/index.js';

/** What metrics-server says of a pod or node, which `kubectl top` prints; undefined for every other object. */
export function measuredByServer(object: KubeObject): SeriesFact[] | undefined {
  if (!object.apiVersion.startsWith('metrics.k8s.io/')) return undefined;
  const { name = '', namespace = '' } = object.metadata;
  const time = Date.parse(textAt(object, 'timestamp'));
  const at = Number.isNaN(time) ? 0 : time;
  if (object.kind === 'NodeMetrics') return usageOf('node_', { node: name }, object, at);
  return objectsAt(object, 'containers').flatMap((container) =>
    usageOf('', { namespace, pod: name, container: textAt(container, 'name') }, container, at),
  );
}

function usageOf(
  prefix: string,
  labels: Readonly<Record<string, string>>,
  holder: Parameters<typeof objectAt>[0],
  at: number,
): SeriesFact[] {
  const usage = objectAt(holder, 'usage');
  return (
    [
      ['cpu', 'cpu_cores'],
      ['memory', 'memory_bytes'],
    ] as const
  ).flatMap(([resource, name]) => {
    const amount = usage === undefined ? undefined : own(usage, resource);
    return amount === undefined
      ? []
      : [{ name: `argosy_${prefix}${name}`, labels, samples: [[at, amountOf(amount)] as const] }];
  });
}
