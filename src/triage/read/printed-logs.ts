import type { KubeObject } from '../../model/kubernetes/index.js';
import type { LogFact } from '../snapshot/index.js';
import type { TextBlock } from './text-blocks.js';

/** How `kubectl logs --prefix` marks the lines of several pods. */
const PREFIX = /^\[pod\/([^/\]\s]+)\/([^\]\s]+)\] /;

/** The logs of a text, by the commands that printed them and the pods that it knows. */
export function printedLogs(blocks: readonly TextBlock[], objects: readonly KubeObject[]): LogFact[] {
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  return blocks.flatMap(({ kind, lines, typed }) => {
    const [name = ''] = typed?.names ?? [];
    if (kind !== 'log' || typed === undefined) return [];
    const told = lines.filter((line) => line.trim() !== '');
    return [...byPod(told, name, typed.container)].flatMap(([where, of]) => {
      const [named = '', container = ''] = where.split('/');
      const pod = podFor(named, typed.resource, typed.namespace, pods);
      if (pod === undefined || of.length === 0) return [];
      return [
        {
          namespace: pod.metadata.namespace ?? '',
          pod: pod.metadata.name ?? '',
          container,
          previous: typed.isPrevious,
          lines: of,
        },
      ];
    });
  });
}

function byPod(lines: readonly string[], name: string, container: string): ReadonlyMap<string, string[]> {
  const logs = new Map<string, string[]>();
  for (const line of lines) {
    const [prefix = '', pod = name, from = container] = PREFIX.exec(line) ?? [];
    const where = `${pod}/${from}`;
    const log = logs.get(where);
    if (log === undefined) logs.set(where, [line.slice(prefix.length)]);
    else log.push(line.slice(prefix.length));
  }
  return logs;
}

/** The pod of a name, or one of those that a workload made. */
function podFor(
  name: string,
  resource: string,
  namespace: string | undefined,
  pods: readonly KubeObject[],
): KubeObject | undefined {
  const near = pods.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  const exact = near.filter(({ metadata }) => metadata.name === name);
  if (exact.length > 0 || /^po(?:ds?)?$/.test(resource)) return exact.length === 1 ? exact[0] : undefined;
  return near.find(({ metadata }) => (metadata.name ?? '').startsWith(`${name}-`));
}
