import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inLanes } from '../../harness/in-lanes.js';
import type { Api } from './api.js';
import { everyKind, isNamespaced } from './kinds.js';

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

interface PodItem extends Item {
  readonly status?: {
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly containerID?: string;
}

/** All that is in a cluster at one moment. */
export interface Moment {
  readonly lists: ReadonlyMap<string, readonly Item[]>;
  /** By `namespace/pod/container`, `.previous` at the end. */
  readonly logs: ReadonlyMap<string, string>;
}

/** Says of an object without a namespace whose fault it belongs to. */
export const FAULT_LABEL = 'lab/fault';
const LOG_LANES = 6;

/** Lists everything and reads the logs of all containers, as a person with kubectl would. */
export async function readMoment(api: Api): Promise<Moment> {
  const lists = new Map<string, readonly Item[]>();
  await inLanes(LOG_LANES, everyKind(), async ({ kind, apiVersion, path }) => {
    const list = (await api.get(path)) as { items: readonly Item[] };
    lists.set(
      kind,
      list.items.map((item) => ({ apiVersion, kind, ...item })),
    );
  });
  const wanted = ((lists.get('Pod') ?? []) as readonly PodItem[]).flatMap(logsOf);
  const logs = new Map<string, string>();
  await inLanes(LOG_LANES, wanted, async ({ key, path }) => {
    const text = await api.text(path);
    if (text !== undefined && text !== '') logs.set(key, text);
  });
  return { lists, logs };
}

function logsOf({ metadata: { namespace = '', name }, status }: PodItem): { key: string; path: string }[] {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=500&container=`;
  return containers.flatMap((container) => [
    ...(container.containerID === undefined
      ? []
      : [{ key: `${namespace}/${name}/${container.name}`, path: `${path}${container.name}` }]),
    ...(container.restartCount > 0
      ? [
          {
            key: `${namespace}/${name}/${container.name}.previous`,
            path: `${path}${container.name}&previous=true`,
          },
        ]
      : []),
  ]);
}

/** What belongs to one namespace and to the cluster, as a folder that `argosy triage -f` reads. */
export function writeDump({ lists, logs }: Moment, namespace: string, dir: string): void {
  const names = new Set([namespace, 'kube-system', 'kube-node-lease', 'default', '']);
  mkdirSync(join(dir, 'objects'), { recursive: true });
  for (const [kind, items] of lists) {
    const own = items.filter((item) => belongs(kind, item, names, namespace));
    if (own.length === 0) continue;
    const list = { apiVersion: 'v1', kind: 'List', items: own };
    writeFileSync(join(dir, 'objects', `${kind.toLowerCase()}.json`), JSON.stringify(list));
  }
  for (const [key, text] of logs) {
    const [owner = '', pod = '', container = ''] = key.split('/');
    if (!names.has(owner)) continue;
    const folder = join(dir, 'logs', owner, pod);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${container}.log`), text);
  }
}

function belongs(kind: string, item: Item, names: ReadonlySet<string>, namespace: string): boolean {
  if (isNamespaced(kind)) return names.has(item.metadata.namespace ?? '');
  if (kind === 'Namespace') return names.has(item.metadata.name) || !item.metadata.name.startsWith('f-');
  const claim = 'spec' in item ? (item.spec as { claimRef?: { namespace?: string } } | undefined)?.claimRef : undefined;
  if (claim?.namespace !== undefined) return claim.namespace === namespace;
  const owner = item.metadata.labels?.[FAULT_LABEL];
  return owner === undefined || owner === namespace;
}
