import type { Cluster } from '../../cluster/index.js';
import { compareText, Fault, keyOf, keyText, splitApiVersion, type Key, type KubeObject, type OwnerReference } from '../../model/index.js';
import { applicationId, findApplication, listAt, textAt } from './application-object.js';
import { withDestination } from './destination.js';
import { Kinds, readable } from './live-objects.js';
import { keyAt } from './resource-states.js';
import type { AppFlags, AppSession } from './session.js';

export interface LogsFlags extends AppFlags {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly follow?: boolean;
  readonly tail: number;
  readonly sinceSeconds: number;
  readonly untilTime?: string;
  readonly filter?: string;
  readonly container?: string;
  readonly previous?: boolean;
  readonly matchCase?: boolean;
}

const PODS = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const BETWEEN_LOOKS = 1000;
const MOST_PODS = 10;

interface Line {
  /** RFC 3339 with nanoseconds, as the server gives it: sorts as text. */
  readonly time: string;
  readonly text: string;
}

/** `app logs`: what the containers of the application's pods wrote, by time. */
export async function logs(session: AppSession, name: string, flags: LogsFlags): Promise<void> {
  const application = await findApplication(session, applicationId(name, session));
  await withDestination(session, application, (cluster) => printLogs(session, cluster, application, flags));
}

async function printLogs(session: AppSession, cluster: Cluster, application: KubeObject, flags: LogsFlags): Promise<void> {
  const pods = (await podsOf(cluster, application, flags)).sort((a, b) => compareText(keyText(keyOf(a)), keyText(keyOf(b))));
  if (pods.length > MOST_PODS) throw new Fault('USAGE', `max pods to view logs are reached. Please provide more granular query: ${pods.length} pods match, ${MOST_PODS} are shown at most`);
  const stopped = flags.follow === true ? session.world.untilStopped() : undefined;
  let last = '';
  for (let isFirst = true; ; isFirst = false) {
    const lines = (await Promise.all(pods.flatMap((pod) => containersOf(pod, flags.container).map((container) => readLog(cluster, pod, container, flags, last))))).flat();
    const fresh = lines.filter(({ time }) => isFirst || time > last).sort((a, b) => compareText(a.time, b.time));
    for (const { time, text } of fresh) {
      if (time > last) last = time;
      if (isShown(text, flags) && (flags.untilTime === undefined || time <= flags.untilTime)) session.world.stdout.write(`${text}\n`);
    }
    if (stopped === undefined || await isStopped(session, stopped)) return;
  }
}

/** True when the process is asked to stop before it is time to look again. */
function isStopped(session: AppSession, stopped: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = session.after(BETWEEN_LOOKS, () => { resolve(false); });
    void stopped.then(() => { cancel(); resolve(true); });
  });
}

function isShown(text: string, { filter = '', matchCase }: LogsFlags): boolean {
  return matchCase === true ? text.includes(filter) : text.toLowerCase().includes(filter.toLowerCase());
}

function containersOf(pod: KubeObject, wanted: string | undefined): string[] {
  const names = [...listAt(pod, 'spec', 'initContainers'), ...listAt(pod, 'spec', 'containers')].map((container) => textAt(container, 'name'));
  if (wanted !== undefined) return names.filter((name) => name === wanted);
  return listAt(pod, 'spec', 'containers').map((container) => textAt(container, 'name'));
}

async function readLog(cluster: Cluster, pod: KubeObject, container: string, flags: LogsFlags, after: string): Promise<Line[]> {
  const { namespace = '', name = '' } = pod.metadata;
  const query = [
    `container=${encodeURIComponent(container)}`, 'timestamps=true',
    ...(flags.previous === true ? ['previous=true'] : []),
    ...(after !== '' ? [`sinceTime=${encodeURIComponent(after)}`] : flags.sinceSeconds > 0 ? [`sinceSeconds=${flags.sinceSeconds}`] : []),
    ...(after === '' && flags.tail > 0 ? [`tailLines=${flags.tail}`] : []),
  ];
  const text = await cluster.text(`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log?${query.join('&')}`);
  return text.split('\n').filter((line) => line !== '').map((line) => {
    const space = line.indexOf(' ');
    return { time: line.slice(0, space), text: line.slice(space + 1) };
  });
}

/** The pods that a managed object is, or owns through others. */
async function podsOf(cluster: Cluster, application: KubeObject, flags: LogsFlags): Promise<KubeObject[]> {
  const managed = listAt(application, 'status', 'resources').map(keyAt);
  const kinds = await Kinds.of(cluster);
  const roots = new Set(managed.map(keyText));
  const namespaces = [...new Set([...managed.map(({ namespace }) => namespace), textAt(application, 'spec', 'destination', 'namespace')])].filter((namespace) => namespace !== '');
  const pods = (await Promise.all(namespaces.map((namespace) => readable(() => cluster.list(PODS, { namespace }))))).flatMap((list) => list?.items ?? []);
  const owners = new Map<string, Promise<KubeObject | undefined>>();
  const chains = await Promise.all(pods.map(async (pod) => ({ pod, chain: await ownerChain(cluster, kinds, pod, owners) })));
  return chains.filter(({ chain }) => chain.some((key) => roots.has(keyText(key))) && chain.some((key) => fits(key, flags))).map(({ pod }) => pod);
}

function fits(key: Key, { group, kind, namespace, name }: LogsFlags): boolean {
  return (group === undefined || group === key.group) && (kind === undefined || kind === key.kind) && (namespace === undefined || namespace === key.namespace) && (name === undefined || name === key.name);
}

/** The pod, its controller, the controller of that, and so on. */
async function ownerChain(cluster: Cluster, kinds: Kinds, pod: KubeObject, known: Map<string, Promise<KubeObject | undefined>>): Promise<Key[]> {
  const chain: Key[] = [];
  const seen = new Set<string>();
  for (let object: KubeObject | undefined = pod; object !== undefined && !seen.has(object.metadata.uid ?? '');) {
    chain.push(keyOf(object));
    seen.add(object.metadata.uid ?? '');
    const owner: OwnerReference | undefined = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined) break;
    object = await ownerOf(cluster, kinds, { ...owner, namespace: object.metadata.namespace ?? '' }, known);
  }
  return chain;
}

function ownerOf(cluster: Cluster, kinds: Kinds, owner: OwnerReference & { readonly namespace: string }, known: Map<string, Promise<KubeObject | undefined>>): Promise<KubeObject | undefined> {
  const { group } = splitApiVersion(owner.apiVersion);
  const kind = kinds.find(group, owner.kind);
  if (kind === undefined) return Promise.resolve(undefined);
  const id = `${group}/${owner.kind}/${owner.namespace}/${owner.name}`;
  const found = known.get(id) ?? readable(() => cluster.get(kind, { ...(kind.namespaced ? { namespace: owner.namespace } : {}), name: owner.name }));
  known.set(id, found);
  return found;
}
