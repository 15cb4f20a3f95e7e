import { installationObjects, type Installation } from '../../install/index.js';
import { type Cluster, ClusterError, systemClock } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { describeKey, keyOf, nameOf, type KubeObject } from '../../model/kubernetes/index.js';
import { NAMESPACES, type ResourceRef } from '../../model/resources/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type CliHost, openChangedCluster } from '../host/index.js';
import { openProgress } from '../output/index.js';
import { applyDefinitions } from './definitions.js';
import { installationOf, namespaceOf, type InstallFlags } from './flags.js';
import { deleteObject, findInstalled, readRecord } from './installed.js';
import { workloadProblem, workloadsOf } from './workload-state.js';

const POLL = 1000;

/** What one installation needs of the outside. */
interface Work {
  readonly cluster: Cluster;
  readonly host: CliHost;
  readonly flags: InstallFlags;
  readonly tell: (line: string) => void;
}

export async function install(flags: InstallFlags, host: CliHost): Promise<void> {
  const installation = installationOf(flags, host);
  const { readCrds } = await import('../../control/index.js');
  const definitions = await readCrds(host.crds);
  const objects = [...definitions, ...installationObjects(installation)];
  if (flags.output === 'yaml') {
    host.stdout.write(objects.map((object) => writeYaml(object)).join('---\n'));
    return;
  }
  await withCluster(flags, host, (work) => apply(installation, definitions, work));
}

export async function upgrade(flags: InstallFlags, host: CliHost): Promise<void> {
  const { readCrds } = await import('../../control/index.js');
  const definitions = await readCrds(host.crds);
  await withCluster(flags, host, async (work) => {
    const namespace = namespaceOf(flags, host);
    const record = await readRecord(work.cluster, namespace);
    if (record === undefined)
      throw new Fault('NAME_UNKNOWN', `there is no installation of Argosy in namespace ${namespace}`, {
        where: work.cluster.server,
        hint: 'install it with argosy install, or name its namespace with --namespace',
      });
    const installation = installationOf(flags, host, record.values);
    work.tell(`upgrade of ${namespace} from ${record.version} to ${installation.version}`);
    await apply(installation, definitions, work);
  });
}

async function withCluster(flags: InstallFlags, host: CliHost, act: (work: Work) => Promise<void>): Promise<void> {
  const cluster = await openChangedCluster(flags, host);
  const tell = (line: string): void => void host.stdout.write(`${line}\n`);
  try {
    host.stderr.write(`context ${cluster.context} (${cluster.server})\n`);
    await act({ cluster, host, flags, tell });
  } finally {
    await cluster.close();
  }
}

async function apply(installation: Installation, definitions: readonly KubeObject[], work: Work): Promise<void> {
  const { cluster, flags, tell } = work;
  const isDryRun = flags.dryRun === true;
  await applyDefinitions(cluster, definitions, { isDryRun, tell });
  const { kinds } = await cluster.discover();
  const kindOf = (object: KubeObject): ResourceRef => {
    const kind = kinds.find((each) => apiVersion(each) === object.apiVersion && each.kind === object.kind);
    if (kind !== undefined) return kind;
    throw new Fault('KIND_UNKNOWN', `the cluster does not know ${object.kind} of ${object.apiVersion}`, {
      where: describeKey(keyOf(object)),
      hint: 'install its operator first, or switch it off in the values',
    });
  };
  const objects = installationObjects(installation);
  // Before anything is written: an operator that is missing must not leave half of an installation.
  const addressed = objects.map((object) => ({ object, kind: kindOf(object) }));
  const isNew = (await cluster.get(NAMESPACES, { name: installation.namespace })) === undefined;
  for (const { object, kind } of addressed) {
    // A server that only pretends to make the namespace takes nothing in it.
    if (isDryRun && isNew && kind.kind !== 'Namespace' && object.metadata.namespace === installation.namespace)
      continue;
    tell(`${describeKey(keyOf(object))} ${await applyOne(object, kind, work)}`);
  }
  await prune(objects, installation.namespace, work);
  if (isDryRun) return;
  await waitUntilAvailable(objects, work);
  tell(nextSteps(installation).join('\n'));
}

async function applyOne(object: KubeObject, kind: ResourceRef, { cluster, flags }: Work): Promise<string> {
  const { name = '', namespace } = object.metadata;
  const before = await cluster.get(kind, { namespace, name });
  try {
    const after = await cluster.apply(kind, object, {
      dryRun: flags.dryRun === true,
      force: flags.forceConflicts === true,
      fieldValidation: 'Strict',
    });
    if (before === undefined) return 'created';
    return before.metadata.resourceVersion === after.metadata.resourceVersion ? 'unchanged' : 'configured';
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw new Fault('CLUSTER_REFUSED', error.message, {
      where: describeKey(keyOf(object)),
      hint: hintFor(error),
      cause: error,
    });
  }
}

function hintFor(error: ClusterError): string {
  if (error.status === 403) return 'install with a user who may do this, such as one with the role cluster-admin';
  if (error.isConflict) return 'another manager set these fields: --force-conflicts takes them over';
  return 'correct the values; what was applied so far stays and the next install goes on';
}

/** What an earlier installation had and this one has not, such as the roles of other rights. */
async function prune(objects: readonly KubeObject[], namespace: string, { cluster, flags, tell }: Work): Promise<void> {
  const wanted = new Set(objects.map((object) => describeKey(keyOf(object))));
  for (const { kind, object } of await findInstalled(cluster, namespace)) {
    const name = describeKey(keyOf(object));
    if (wanted.has(name) || object.kind === 'Namespace') continue;
    await deleteObject(cluster, kind, object, flags.dryRun === true);
    tell(`${name} deleted`);
  }
}

/** A Fault says which pod cannot start, and why. */
async function waitUntilAvailable(objects: readonly KubeObject[], { cluster, host, flags }: Work): Promise<void> {
  const progress = openProgress(host);
  const until = systemClock.steady() + flags.timeout * 1000;
  try {
    for (;;) {
      const waiting = await workloadsOf(objects, cluster);
      if (waiting.every(({ isAvailable }) => isAvailable)) return;
      progress.update(waiting.map(({ text }) => text).join(', '));
      if (systemClock.steady() >= until) {
        const late = waiting.filter(({ isAvailable }) => !isAvailable);
        const reasons = await Promise.all(
          late.map(async ({ object, text }) => (await workloadProblem(cluster, object)) ?? text),
        );
        throw new Fault('WAIT_TIMED_OUT', `not available within ${flags.timeout} s: ${reasons.join('; ')}`, {
          where: late.map(({ object }) => `${object.kind} ${nameOf(object)}`).join(', '),
          hint: 'argosy doctor says what is wrong; argosy install again goes on where it stopped',
        });
      }
      await new Promise<void>((resolve) => void systemClock.after(POLL, resolve));
    }
  } finally {
    progress.end();
  }
}

function nextSteps({ namespace, values }: Installation): string[] {
  const port = values.tls.source === 'none' ? 80 : 443;
  return [
    '',
    `Argosy is available in namespace ${namespace}.`,
    `  kubectl -n ${namespace} port-forward service/argosy-server 8443:${port}`,
    ...(values.admin ? [`  argosy admin initial-password -n ${namespace}`] : []),
    `  argosy doctor -n ${namespace}`,
  ];
}

function apiVersion({ group, version }: ResourceRef): string {
  return group === '' ? version : `${group}/${version}`;
}
