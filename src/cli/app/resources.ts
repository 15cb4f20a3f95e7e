import type { Cluster } from '../../cluster/index.js';
import type { Inspection } from '../../control/index.js';
import { gvkOf, keyOf, keyText, type Key, type KubeObject } from '../../model/kubernetes/index.js';
import { formatTable } from '../output/index.js';
import { applicationId, findApplication, type AppFlags, type AppSession } from '../session/index.js';
import {
  withDestination,
  assess,
  Kinds,
  openAssessor,
  readIfPermitted,
  readTree,
  treeLines,
  type TreeNode,
} from '../application/index.js';
import { age } from './get.js';
import { inspectApplication } from './inspect.js';

export interface ResourcesFlags extends AppFlags {
  readonly orphaned?: boolean;
  readonly output?: string;
}

const COLUMNS = ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'ORPHANED'];

/** `app resources`: what the application manages, and what nobody does. */
export async function resources(session: AppSession, name: string, flags: ResourcesFlags): Promise<string> {
  const application = await findApplication(session, applicationId(name, session));
  const inspection = await inspectApplication(session, application, {});
  if (flags.output?.startsWith('tree') === true)
    return withDestination(session, application, (cluster) => treeOf(session, cluster, inspection, flags));
  const rows = [
    ...(flags.orphaned === true ? [] : inspection.resources.map(({ key }) => row(key, 'No'))),
    ...(flags.orphaned === false ? [] : inspection.orphaned.map((key) => row(key, 'Yes'))),
  ];
  return formatTable(COLUMNS, rows);
}

function row({ group, kind, namespace, name }: Key, orphaned: string): string[] {
  return [group, kind, namespace, name, orphaned];
}

async function treeOf(
  session: AppSession,
  cluster: Cluster,
  inspection: Inspection,
  flags: ResourcesFlags,
): Promise<string> {
  const { host } = session;
  const isDetailed = flags.output === 'tree=detailed';
  const [kinds, assessor] = await Promise.all([Kinds.of(cluster), openAssessor(session)]);
  const managed = flags.orphaned === true ? [] : inspection.resources.flatMap(({ live }) => live ?? []);
  const missing =
    flags.orphaned === true ? [] : inspection.resources.filter(({ live }) => live === undefined).map(({ key }) => key);
  const orphans = flags.orphaned === false ? [] : await readOrphans(cluster, kinds, inspection.orphaned);
  const orphanKeys = new Set(orphans.map((object) => keyText(keyOf(object))));
  const nodes = await readTree(cluster, kinds, [...managed, ...orphans]);
  const lines = nodes.flatMap((node) =>
    treeLines([node]).map((line) => ({ ...line, isOrphan: orphanKeys.has(keyText(keyOf(node.object))) })),
  );
  const rows = await Promise.all(
    lines.map(async ({ node, prefix, isOrphan }) => {
      const { group, kind } = gvkOf(node.object);
      const shown = [
        `${prefix}${group}`,
        kind,
        node.object.metadata.namespace ?? '',
        node.object.metadata.name ?? '',
        isOrphan ? 'Yes' : 'No',
      ];
      return isDetailed ? [...shown, ...(await details(node))] : shown;
    }),
  );
  return formatTable(isDetailed ? [...COLUMNS, 'AGE', 'HEALTH', 'REASON'] : COLUMNS, [
    ...rows,
    ...missing.map((key) => [...row(key, 'No'), ...(isDetailed ? ['<unknown>', 'Missing', ''] : [])]),
  ]);

  async function details(node: TreeNode): Promise<string[]> {
    const health = await assess(cluster, kinds, assessor, node.object);
    return [age(node, host.now()), health?.status ?? '', health?.message ?? ''];
  }
}

async function readOrphans(cluster: Cluster, kinds: Kinds, keys: readonly Key[]): Promise<KubeObject[]> {
  const found = await Promise.all(
    keys.map(async ({ group, kind, namespace, name }) => {
      const resource = kinds.find(group, kind);
      return resource === undefined
        ? undefined
        : readIfPermitted(() => cluster.get(resource, { ...(resource.namespaced ? { namespace } : {}), name }));
    }),
  );
  return found.filter((object) => object !== undefined);
}
