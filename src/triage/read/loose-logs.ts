import type { KubeObject } from '../../model/kubernetes/index.js';
import { containersOf } from '../graph/index.js';
import { textAt } from '../json/index.js';
import { objectAt } from '../../model/json/index.js';
import type { LogFact } from '../snapshot/index.js';

/** A log file whose path does not name its pod. */
export interface LooseLog {
  readonly path: string;
  readonly lines: readonly string[];
}

/** Names of files that people save logs under; `kubectl cluster-info dump` writes `logs.txt`. */
export function isLogName(path: string): boolean {
  return /\.log$|(?:^|\/)logs?\.txt$|(?:^|\/)(?:pod[-_]?)?logs\/[^/]+\.txt$/i.test(path);
}

/** Finds the pod: by the lines that kubectl prints around logs, otherwise by a pod name in the path. */
export function ownersOfLogs(files: readonly LooseLog[], objects: Iterable<KubeObject>): LogFact[] {
  if (files.length === 0) return [];
  const pods = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const { name = '' } = object.metadata;
    if (object.kind === 'Pod') pods.set(name, [...(pods.get(name) ?? []), object]);
  }
  return files.flatMap((file) => marked(file) ?? named(file, pods));
}

const START = /^==== START logs for container (\S+) of pod ([^/\s]+)\/(\S+) ====$/;
const END = /^==== END logs for container /;

function marked({ lines }: LooseLog): LogFact[] | undefined {
  const found: { namespace: string; pod: string; container: string; previous: boolean; lines: string[] }[] = [];
  let isInside = false;
  for (const line of lines) {
    const [, container, namespace, pod] = START.exec(line) ?? [];
    if (container !== undefined && namespace !== undefined && pod !== undefined) {
      found.push({ namespace, pod, container, previous: false, lines: [] });
      isInside = true;
    } else if (END.test(line)) isInside = false;
    else if (isInside) found.at(-1)?.lines.push(line);
  }
  return found.length === 0 ? undefined : found;
}

function named({ path, lines }: LooseLog, pods: ReadonlyMap<string, readonly KubeObject[]>): LogFact[] {
  const parts = path
    .replace(/\.(?:log|txt)$/i, '')
    .split(/[/_.\s]+/)
    .filter((part) => part !== '');
  for (const part of [...parts].reverse()) {
    const pod = podIn(part, pods);
    if (pod === undefined) continue;
    // Pods with the same name in several namespaces: the path must contain the namespace.
    const fitting =
      pod.candidates.length === 1
        ? pod.candidates
        : pod.candidates.filter(({ metadata }) => parts.includes(metadata.namespace ?? ''));
    const [one] = fitting;
    if (one === undefined || fitting.length > 1) return [];
    const words = new Set([...parts, ...pod.rest]);
    const containers = containersOf(objectAt(one, 'spec'), 'spec').map(({ container }) => textAt(container, 'name'));
    const container =
      containers.find((name) => words.has(name) || pod.rest.join('-').startsWith(name)) ??
      (containers.length === 1 ? containers[0] : undefined);
    return [
      {
        namespace: one.metadata.namespace ?? '',
        pod: one.metadata.name ?? '',
        container: container ?? '',
        previous: words.has('previous') || words.has('prev'),
        lines: [...lines],
      },
    ];
  }
  return [];
}

/** The pod that a word names or begins with: `web-7d4b9-x2k-server` is a pod and its container. */
function podIn(
  word: string,
  pods: ReadonlyMap<string, readonly KubeObject[]>,
): { readonly candidates: readonly KubeObject[]; readonly rest: readonly string[] } | undefined {
  const steps = word.split('-');
  for (let length = steps.length; length > 0; length--) {
    const candidates = pods.get(steps.slice(0, length).join('-'));
    if (candidates !== undefined) return { candidates, rest: steps.slice(length) };
  }
  return undefined;
}
