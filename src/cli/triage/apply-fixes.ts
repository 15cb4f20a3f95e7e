import type { Cluster, ResourceRef } from '../../cluster/index.js';
import { ClusterError } from '../../cluster/index.js';
import { Fault, formatPointer, getPointer, type Json, type JsonArray, type KubeObject, type Key } from '../../model/index.js';
import type { Action, Edit, Report, ReportedCause } from '../../triage/index.js';
import type { CliWorld } from '../cli-world.js';

/** One write, as the server is asked: first to try, then to do. */
interface Write {
  readonly say: string;
  run(dryRun: boolean): Promise<unknown>;
}

/** Repairs what can be repaired in the cluster, one by one: tried on the server first, done after a yes. */
export async function applyFixes(report: Pick<Report, 'causes'>, cluster: Cluster, world: Pick<CliWorld, 'stdout' | 'confirm'>): Promise<void> {
  const { kinds } = await cluster.discover();
  const tell = (line: string): void => void world.stdout.write(`${line}\n`);
  for (const cause of report.causes) {
    const { fix } = cause;
    if (fix === undefined || cause.severity === 'P3' || cause.confidence === 'suspect') continue;
    const isOfGit = fix.where === 'git' && (fix.actions ?? []).length === 0;
    const writes = isOfGit ? [] : await writesFor(cause, cluster, (key) => kinds.find(({ group, kind, preferred }) => group === key.group && kind === key.kind && preferred));
    tell(`${cause.name} [${cause.rule}] ${cause.title}`);
    if (writes.length === 0) tell(`  ${isOfGit ? `git says it: change it there (--fix, --branch): ${fix.say}` : `nothing that can be done from here: ${fix.say}`}`);
    for (const write of writes) await oneByOne(write, world, tell);
  }
}

async function oneByOne({ say, run }: Write, world: Pick<CliWorld, 'confirm'>, tell: (line: string) => void): Promise<void> {
  try {
    await run(true);
    tell(`  ${say}: the server would do it`);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    tell(`  ${say}: the server refuses it: ${error.message}`);
    return;
  }
  if (!await world.confirm(`${say}?`)) {
    tell('  left as it is');
    return;
  }
  await run(false);
  tell('  done');
}

async function writesFor({ fix }: ReportedCause, cluster: Cluster, kindOf: (key: Key) => ResourceRef | undefined): Promise<Write[]> {
  const writes: Write[] = [];
  for (const action of fix?.actions ?? []) writes.push(...await actionWrite(action, cluster, kindOf(action.object)));
  if (fix?.where === 'cluster') for (const edit of fix.edits ?? []) writes.push(...await editWrite(edit, cluster, kindOf(edit.object)));
  return writes;
}

const nameOf = ({ kind, namespace, name }: Key): string => `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
const idOf = ({ namespace, name }: Key): { namespace: string | undefined; name: string } => ({ namespace: namespace === '' ? undefined : namespace, name });

async function actionWrite(action: Action, cluster: Cluster, kind: ResourceRef | undefined): Promise<Write[]> {
  if (kind === undefined) return [];
  const live = await cluster.get(kind, idOf(action.object));
  const { uid, resourceVersion } = live?.metadata ?? {};
  if (live === undefined || uid === undefined) return [];
  if (action.kind === 'delete') return [{ say: `delete ${nameOf(action.object)}`, run: (dryRun) => cluster.remove(kind, idOf(action.object), { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }), dryRun }) }];
  return [{ say: `patch ${nameOf(action.object)} with ${JSON.stringify(action.patch)}`, run: (dryRun) => cluster.patch(kind, idOf(action.object), { type: 'merge', body: { ...action.patch, metadata: { ...metadataOf(action), uid } } }, { dryRun }) }];
}

function metadataOf(action: Action): object {
  const metadata = action.kind === 'merge' ? action.patch.metadata : undefined;
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}

async function editWrite(edit: Edit, cluster: Cluster, kind: ResourceRef | undefined): Promise<Write[]> {
  const live = kind === undefined ? undefined : await cluster.get(kind, idOf(edit.object));
  const body = live === undefined ? undefined : jsonPatch(live, edit);
  if (kind === undefined || body === undefined) return [];
  return [{ say: `change ${edit.path.join('.')} of ${nameOf(edit.object)}`, run: (dryRun) => cluster.patch(kind, idOf(edit.object), { type: 'json', body }, { dryRun }) }];
}

/** The edit of one object as a patch that fails where the object is not the one that was looked at. */
export function jsonPatch(live: KubeObject, { path, change }: Edit): JsonArray | undefined {
  const parts = path.map(String);
  if (parts[0] === '**') return undefined;
  const found = getPointer(live, parts);
  const test: Json = { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion ?? '' };
  if (change.kind === 'remove') return found === undefined ? undefined : [test, { op: 'remove', path: formatPointer(parts) }];
  if (getPointer(live, parts.slice(0, -1)) === undefined) return undefined;
  if (change.kind === 'set') return [test, { op: 'add', path: formatPointer(parts), value: change.value }];
  return Array.isArray(found) ? [test, { op: 'add', path: formatPointer([...parts, '-']), value: change.value }] : [test, { op: 'add', path: formatPointer(parts), value: [change.value] }];
}

export function refuseFiles(files: readonly string[] | undefined): void {
  if (files !== undefined && files.length > 0) throw new Fault('USAGE', '--apply needs a cluster: files cannot be repaired', { where: '--apply' });
}
