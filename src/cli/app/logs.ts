import type { Cluster } from '../../cluster/index.js';
import { readLogs, checkPodLimit } from '../../control/index.js';
import { compareText } from '../../model/go/index.js';
import {
  keyOf,
  keyText,
  splitApiVersion,
  type Key,
  type KubeObject,
  type OwnerReference,
} from '../../model/kubernetes/index.js';
import { millisecondsOf, parseTime } from '../../model/formats/index.js';
import { type AppFlags, type AppSession, applicationId, findApplication } from '../session/index.js';
import { objectsAt, textAt } from '../../model/json/index.js';
import { withDestination, Kinds, readIfPermitted, keyAt } from '../application/index.js';
import { PODS } from '../../model/resources/index.js';

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

/** `app logs`: what the containers of the application's pods wrote, by time; with --follow, what they go on writing. */
export async function logs(session: AppSession, name: string, flags: LogsFlags): Promise<void> {
  const application = await findApplication(session, applicationId(name, session));
  await withDestination(session, application, (cluster) => printLogs(session, cluster, application, flags));
}

async function printLogs(
  { host }: AppSession,
  cluster: Cluster,
  application: KubeObject,
  flags: LogsFlags,
): Promise<void> {
  const pods = (await podsOf(cluster, application, flags)).sort((a, b) =>
    compareText(keyText(keyOf(a)), keyText(keyOf(b))),
  );
  const sources = pods.flatMap((pod) =>
    containersOf(pod, flags.container).map((container) => ({
      namespace: pod.metadata.namespace ?? '',
      pod: pod.metadata.name ?? '',
      container,
    })),
  );
  checkPodLimit(pods.length);
  if (sources.length === 0)
    host.stderr.write(
      `no matching ${flags.container === undefined ? 'pod' : `container ${flags.container}`} in the application\n`,
    );
  const follow = flags.follow === true;
  const stopping = new AbortController();
  const until = flags.untilTime === undefined ? Infinity : millisecondsOf(parseTime(flags.untilTime));
  if (follow)
    void host.untilStopped().then(() => {
      stopping.abort();
    });
  await readLogs(
    cluster,
    sources,
    {
      follow,
      previous: flags.previous === true,
      sinceSeconds: flags.sinceSeconds,
      sinceTime: '',
      tailLines: flags.tail,
    },
    ({ pod, text, time, isProblem }) => {
      if (isProblem === true) host.stderr.write(`${pod}: ${text}\n`);
      else if (until < Infinity && millisecondsOf(parseTime(time)) > until) stopping.abort();
      else if (isShown(text, flags)) host.stdout.write(`${text}\n`);
      return undefined;
    },
    stopping.signal,
  );
}

function isShown(text: string, { filter = '', matchCase }: LogsFlags): boolean {
  return matchCase === true ? text.includes(filter) : text.toLowerCase().includes(filter.toLowerCase());
}

function containersOf(pod: KubeObject, wanted: string | undefined): string[] {
  const names = [...objectsAt(pod, 'spec', 'initContainers'), ...objectsAt(pod, 'spec', 'containers')].map(
    (container) => textAt(container, 'name'),
  );
  if (wanted !== undefined) return names.filter((name) => name === wanted);
  return objectsAt(pod, 'spec', 'containers').map((container) => textAt(container, 'name'));
}

/** The pods that a managed object is, or owns through others. */
async function podsOf(cluster: Cluster, application: KubeObject, flags: LogsFlags): Promise<KubeObject[]> {
  const managed = objectsAt(application, 'status', 'resources').map(keyAt);
  const kinds = await Kinds.of(cluster);
  const roots = new Set(managed.map(keyText));
  const namespaces = [
    ...new Set([...managed.map(({ namespace }) => namespace), textAt(application, 'spec', 'destination', 'namespace')]),
  ].filter((namespace) => namespace !== '');
  const pods = (
    await Promise.all(namespaces.map((namespace) => readIfPermitted(() => cluster.list(PODS, { namespace }))))
  ).flatMap((list) => list?.items ?? []);
  const owners = new Map<string, Promise<KubeObject | undefined>>();
  const chains = await Promise.all(
    pods.map(async (pod) => ({ pod, chain: await ownerChain(cluster, kinds, pod, owners) })),
  );
  return chains
    .filter(({ chain }) => chain.some((key) => roots.has(keyText(key))) && chain.some((key) => fits(key, flags)))
    .map(({ pod }) => pod);
}

function fits(key: Key, { group, kind, namespace, name }: LogsFlags): boolean {
  return (
    (group === undefined || group === key.group) &&
    (kind === undefined || kind === key.kind) &&
    (namespace === undefined || namespace === key.namespace) &&
    (name === undefined || name === key.name)
  );
}

/** The pod, its controller, the controller of that, and so on. */
async function ownerChain(
  cluster: Cluster,
  kinds: Kinds,
  pod: KubeObject,
  known: Map<string, Promise<KubeObject | undefined>>,
): Promise<Key[]> {
  const chain: Key[] = [];
  const seen = new Set<string>();
  for (let object: KubeObject | undefined = pod; object !== undefined && !seen.has(object.metadata.uid ?? ''); ) {
    chain.push(keyOf(object));
    seen.add(object.metadata.uid ?? '');
    const owner: OwnerReference | undefined = object.metadata.ownerReferences?.find(
      ({ controller }) => controller === true,
    );
    if (owner === undefined) break;
    object = await ownerOf(cluster, kinds, { ...owner, namespace: object.metadata.namespace ?? '' }, known);
  }
  return chain;
}

function ownerOf(
  cluster: Cluster,
  kinds: Kinds,
  owner: OwnerReference & { readonly namespace: string },
  known: Map<string, Promise<KubeObject | undefined>>,
): Promise<KubeObject | undefined> {
  const { group } = splitApiVersion(owner.apiVersion);
  const kind = kinds.find(group, owner.kind);
  if (kind === undefined) return Promise.resolve(undefined);
  const id = `${group}/${owner.kind}/${owner.namespace}/${owner.name}`;
  const found =
    known.get(id) ??
    readIfPermitted(() =>
      cluster.get(kind, { ...(kind.namespaced ? { namespace: owner.namespace } : {}), name: owner.name }),
    );
  known.set(id, found);
  return found;
}
