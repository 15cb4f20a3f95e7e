import { ClusterError, type Cluster } from '../../cluster/index.js';
import { createActions, readOverrides, type Actions, type Impact } from '../../health/index.js';
import { createMergePatch, Fault, gvkOf, isObject, keyOf, keyText, writeYaml, type Key, type KubeObject } from '../../model/index.js';
import { loadCatalogue } from '../health/load-catalogue.js';
import { prettyJson } from '../pretty-json.js';
import { formatTable } from '../table.js';
import { applicationId, findApplication } from './application-object.js';
import { withDestination } from './destination.js';
import { Kinds, readManaged } from './live-objects.js';
import { readSettings, type AppFlags, type AppSession } from './session.js';
import { splitPair } from './text-values.js';

export interface ActionFlags extends AppFlags {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly resourceName?: string;
  readonly all?: boolean;
  readonly output?: string;
  readonly param?: readonly string[];
}

/** `app actions list`. */
export async function listActions(session: AppSession, name: string, flags: ActionFlags): Promise<string> {
  const actions = await openActions(session);
  const shown = await withCandidates(session, name, flags, (found) => Promise.resolve(found.flatMap(({ object }) => actions.discover(object).map(({ name: action, disabled }) => {
    const key = keyOf(object);
    return { Group: key.group, Kind: key.kind, Name: key.name, Action: action, Disabled: disabled };
  }))));
  if (flags.output === 'json') return prettyJson(shown);
  if (flags.output === 'yaml') return writeYaml(shown);
  return formatTable(['GROUP', 'KIND', 'NAME', 'ACTION', 'DISABLED'], shown.map((row) => [row.Group, row.Kind, row.Name, row.Action, String(row.Disabled)]));
}

/** `app actions run`. */
export async function runAction(session: AppSession, name: string, action: string, flags: ActionFlags): Promise<string> {
  const actions = await openActions(session);
  const given = Object.fromEntries((flags.param ?? []).map((text) => splitPair(text, '--param')).map(({ name: parameter, value }) => [parameter, value]));
  return withCandidates(session, name, flags, async (found) => {
    if (found.length === 0) throw new Fault('USAGE', 'no matching resource found');
    if (found.length > 1 && flags.all !== true) throw new Fault('USAGE', 'multiple resources match inputs, use the --all flag to run the action on multiple resources');
    if (new Set(found.map(({ object }) => gvkOf(object).group)).size > 1) throw new Fault('USAGE', 'Ambiguous resource group. Use flag --group to specify resource group explicitly.');
    const done: string[] = [];
    for (const candidate of found) {
      await carryOut(candidate, actions.run(candidate.object, action, given));
      done.push(`action ${action} has run on ${keyText(keyOf(candidate.object))}\n`);
    }
    return done.join('');
  });
}

async function openActions(session: AppSession): Promise<Actions> {
  const { world } = session;
  return createActions({ catalogue: loadCatalogue(world.catalogue), overrides: readOverrides(await readSettings(session, 'argocd-cm')), now: world.now, elapsed: () => performance.now() });
}

/** A live object, and where it is. */
interface Candidate {
  readonly object: KubeObject;
  readonly cluster: Cluster;
  readonly kinds: Kinds;
}

/** The live objects of the application that the flags choose, and the Application itself. */
async function withCandidates<T>(session: AppSession, name: string, flags: ActionFlags, act: (found: readonly Candidate[]) => Promise<T>): Promise<T> {
  const application = await findApplication(session, applicationId(name, session));
  return withDestination(session, application, async (cluster) => {
    const kinds = await Kinds.of(cluster);
    const { live } = await readManaged(cluster, kinds, application);
    const own = { object: application, cluster: session.cluster, kinds: cluster === session.cluster ? kinds : await Kinds.of(session.cluster) };
    return act([...[...live.values()].map((object) => ({ object, cluster, kinds })), own].filter(({ object }) => isWanted(keyOf(object), flags)));
  });
}

function isWanted(key: Key, { group, kind, namespace, resourceName }: ActionFlags): boolean {
  return (group === undefined || group === key.group) && (kind === undefined || kind === key.kind) && (namespace === undefined || namespace === key.namespace) && (resourceName === undefined || resourceName === key.name);
}

async function carryOut({ object, cluster, kinds }: Candidate, impacts: readonly Impact[]): Promise<void> {
  for (const { operation, resource } of impacts) {
    const { group, kind } = gvkOf(resource);
    const ref = kinds.find(group, kind);
    if (ref === undefined) throw new Fault('KIND_UNKNOWN', `the cluster has no kind ${group === '' ? kind : `${group}/${kind}`}`);
    if (operation === 'create') {
      await cluster.create(ref, resource);
      continue;
    }
    const { namespace, name = '', resourceVersion } = object.metadata;
    const patch = createMergePatch(object, resource);
    if (Object.keys(patch).length === 0) continue;
    // The version makes it a change of the object that was looked at, and of no later one.
    const metadata = { ...(isObject(patch.metadata) ? patch.metadata : {}), resourceVersion };
    await cluster.patch(ref, { namespace, name }, { type: 'merge', body: { ...patch, metadata } }).catch(rephrase);
  }
}

function rephrase(error: unknown): never {
  if (error instanceof ClusterError && error.isConflict) throw new Fault('CLUSTER_REFUSED', 'somebody changed the object meanwhile: run the action again', { where: error.where, cause: error });
  throw error;
}
