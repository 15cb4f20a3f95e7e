import { type Cluster, ClusterError, systemClock } from '../../cluster/index.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  drop,
  formatPointer,
  getPointer,
  isObject,
  put,
  type Json,
  type JsonArray,
  type JsonObject,
} from '../../model/json/index.js';
import { describeKey, keyOf, keyText, type KubeObject, type Key } from '../../model/kubernetes/index.js';
import {
  editObject,
  type Action,
  type Edit,
  type Fix,
  type Repair,
  type Report,
  type ReportedCause,
} from '../../triage/index.js';
import type { Expect } from '../../control/index.js';
import type { CliHost } from '../host/index.js';

/** One write, as the server is asked: first to try, then to do. */
interface Write {
  readonly say: string;
  run(dryRun: boolean): Promise<unknown>;
}

/** What of a fix is done in the cluster: what git says is changed there. */
export function clusterRepair({ where, edits, adds, actions }: Fix): Repair {
  const isOfCluster = where === 'cluster';
  return {
    edits: isOfCluster ? (edits ?? []) : [],
    adds: isOfCluster ? (adds ?? []).map(({ object }) => object) : [],
    actions: actions ?? [],
  };
}

/** Repairs what can be repaired in the cluster, one by one: tried on the server first, done after a yes. */
export async function applyFixes(
  report: Pick<Report, 'causes'>,
  cluster: Cluster,
  host: Pick<CliHost, 'stdout' | 'confirm'>,
  expect?: Expect,
): Promise<void> {
  const { kinds } = await cluster.discover();
  const tell = (line: string): void => void host.stdout.write(`${line}\n`);
  for (const cause of report.causes) {
    const { fix } = cause;
    if (fix === undefined || cause.severity === 'P3' || cause.confidence !== 'sure') continue;
    const isOfGit = fix.where === 'git' && (fix.actions ?? []).length === 0;
    const writes = isOfGit
      ? []
      : await writesFor(cause, cluster, (key) =>
          kinds.find(({ group, kind, preferred }) => group === key.group && kind === key.kind && preferred),
        );
    tell(`${cause.name} [${cause.rule}] ${cause.title}`);
    const expected = writes.length === 0 ? undefined : expect?.(cause, clusterRepair(fix));
    if (expected?.vanishes === false) {
      tell(`  skipped, it would not fix the cause: ${expected.obstacles.join('; ')}`);
      continue;
    }
    if (writes.length === 0)
      tell(isOfGit ? `  fix it in git (--fix, --branch): ${fix.say}` : `  cannot be fixed from here: ${fix.say}`);
    for (const write of writes) await oneByOne(write, host, tell);
  }
}

async function oneByOne(
  { say, run }: Write,
  host: Pick<CliHost, 'confirm'>,
  tell: (line: string) => void,
): Promise<void> {
  try {
    await run(true);
    tell(`  ${say}: dry run succeeded`);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    tell(`  ${say}: dry run failed: ${error.message}`);
    return;
  }
  if (!(await host.confirm(`${say}?`))) {
    tell('  skipped: not confirmed; --yes applies without asking');
    return;
  }
  await run(false);
  tell('  done');
}

async function writesFor(
  { fix }: ReportedCause,
  cluster: Cluster,
  kindOf: (key: Key) => ResourceRef | undefined,
): Promise<Write[]> {
  const writes: Write[] = [];
  const { edits: asked, adds } = fix === undefined ? { edits: [], adds: [] } : clusterRepair(fix);
  for (const object of adds) writes.push(...addWrite(object, cluster, kindOf(keyOf(object))));
  // What is changed is what a sync then takes. What goes is needed no more by then.
  const isWhole = ({ path, change }: Edit): boolean => path.length === 0 && change.kind === 'remove';
  for (const edits of byObject(asked.filter((edit) => !isWhole(edit))))
    writes.push(...(await editWrite(edits, cluster, kindOf)));
  for (const { object } of asked.filter(isWhole))
    writes.push(...(await actionWrite({ kind: 'delete', object }, cluster, kindOf(object))));
  for (const action of fix?.actions ?? []) writes.push(...(await actionWrite(action, cluster, kindOf(action.object))));
  return writes;
}

/** What a fix adds beside what is there. */
function addWrite(object: KubeObject, cluster: Cluster, kind: ResourceRef | undefined): Write[] {
  if (kind === undefined) return [];
  return [
    {
      say: `create ${describeKey(keyOf(object))}`,
      run: (dryRun) => cluster.create(kind, object, { dryRun }),
    },
  ];
}

const idOf = ({ namespace, name }: Key): { namespace: string | undefined; name: string } => ({
  namespace: namespace === '' ? undefined : namespace,
  name,
});

async function actionWrite(action: Action, cluster: Cluster, kind: ResourceRef | undefined): Promise<Write[]> {
  if (kind === undefined) return [];
  const live = await cluster.get(kind, idOf(action.object));
  const { uid, resourceVersion } = live?.metadata ?? {};
  if (live === undefined || uid === undefined) return [];
  if (action.kind === 'delete')
    return [
      {
        say: `delete ${describeKey(action.object)}`,
        run: (dryRun) =>
          cluster.remove(kind, idOf(action.object), {
            uid,
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
            dryRun,
          }),
      },
    ];
  return [
    {
      say: `patch ${describeKey(action.object)} with ${JSON.stringify(action.patch)}`,
      run: (dryRun) =>
        cluster.patch(
          kind,
          idOf(action.object),
          { type: 'merge', body: { ...action.patch, metadata: { ...metadataOf(action), uid } } },
          { dryRun },
        ),
    },
  ];
}

function metadataOf(action: Action): object {
  const metadata = action.kind === 'merge' ? action.patch.metadata : undefined;
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}

function byObject(edits: readonly Edit[]): Edit[][] {
  const groups = new Map<string, Edit[]>();
  for (const edit of edits) groups.set(keyText(edit.object), [...(groups.get(keyText(edit.object)) ?? []), edit]);
  return [...groups.values()];
}

/** All edits of one object are one write: the first would change the version that the second was made for. */
async function editWrite(
  edits: readonly Edit[],
  cluster: Cluster,
  kindOf: (key: Key) => ResourceRef | undefined,
): Promise<Write[]> {
  const [first] = edits;
  const kind = first === undefined ? undefined : kindOf(first.object);
  const live = first === undefined || kind === undefined ? undefined : await cluster.get(kind, idOf(first.object));
  const body = live === undefined ? undefined : jsonPatch(live, edits);
  if (first === undefined || kind === undefined || live === undefined || body === undefined) return [];
  if (changesPodTemplateOfJob(edits)) return [replaceJob(live, edits, cluster, kind)];
  return [
    {
      say: `change ${edits.map(({ path }) => path.join('.')).join(' and ')} of ${describeKey(first.object)}`,
      run: (dryRun) => cluster.patch(kind, idOf(first.object), { type: 'json', body }, { dryRun }),
    },
  ];
}

/** The pod template of a Job cannot be changed. */
function changesPodTemplateOfJob(edits: readonly Edit[]): boolean {
  return edits.some(
    ({ object: { group, kind }, path }) =>
      group === 'batch' && kind === 'Job' && path[0] === 'spec' && path[1] === 'template',
  );
}

/** A Job is made again from what it says now, with the edits; its pods go with the old one. */
function replaceJob(live: KubeObject, edits: readonly Edit[], cluster: Cluster, kind: ResourceRef): Write {
  const { namespace, name = '', uid = '', resourceVersion } = live.metadata;
  const next = newJob(edits.reduce(editObject, live));
  return {
    say:
      `replace ${describeKey(keyOf(live))} with a new one, with other ` +
      edits.map(({ path }) => path.join('.')).join(' and '),
    async run(dryRun) {
      if (dryRun) {
        const another = { ...next, metadata: { ...next.metadata, name: `${name.slice(0, 50)}-replaced` } };
        await cluster.create(kind, another, { dryRun });
        return;
      }
      await cluster.remove(
        kind,
        { namespace, name },
        { uid, propagation: 'Foreground', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      );
      await untilGone(cluster, kind, { namespace, name, uid });
      await cluster.create(kind, next);
    },
  };
}

/** What whoever wrote the Job said; the rest comes from the server anew. */
function newJob({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { namespace, name, labels, annotations } = metadata;
  const plain: JsonObject = { ...(isObject(spec) ? spec : {}) };
  drop(plain, 'selector');
  const template = isObject(plain.template) ? plain.template : {};
  const meta = isObject(template.metadata) ? template.metadata : {};
  const own = Object.entries(isObject(meta.labels) ? meta.labels : {}).filter(([key]) => !MADE_LABEL.test(key));
  put(plain, 'template', { ...template, metadata: { ...meta, labels: Object.fromEntries(own) } });
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ name: name ?? '', ...(namespace === undefined ? {} : { namespace }) },
      ...(annotations === undefined ? {} : { annotations }),
      ...(labels === undefined
        ? {}
        : { labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !MADE_LABEL.test(key))) }),
    },
    spec: plain,
  };
}

/** Labels that the Job controller gives. */
const MADE_LABEL = /^(batch\.kubernetes\.io\/)?(controller-uid|job-name)$/;
const GONE = { polls: 60, pause: 500 };

async function untilGone(
  cluster: Cluster,
  kind: ResourceRef,
  { uid, ...id }: { readonly namespace: string | undefined; readonly name: string; readonly uid: string },
): Promise<void> {
  for (let poll = 0; poll < GONE.polls; poll++) {
    if ((await cluster.get(kind, id))?.metadata.uid !== uid) return;
    await new Promise((resolve) => systemClock.after(GONE.pause, () => resolve(undefined)));
  }
  throw new Fault('CLUSTER_REFUSED', 'the Job is still being deleted: run this again when it is gone', {
    where: `${id.namespace ?? ''}/${id.name}`,
  });
}

/** Edits of one object as a patch that fails where the object is not the one that was looked at. */
export function jsonPatch(live: KubeObject, edits: readonly Edit[]): JsonArray | undefined {
  let now = live;
  const operations = edits.flatMap((edit) => {
    const made = operationFor(now, edit);
    now = editObject(now, edit);
    return made === undefined ? [] : [made];
  });
  return operations.length === 0
    ? undefined
    : [{ op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion ?? '' }, ...operations];
}

function operationFor(live: KubeObject, { path, change }: Edit): Json | undefined {
  const parts = path.map(String);
  if (parts[0] === '**') return undefined;
  const found = getPointer(live, parts);
  if (change.kind === 'remove') return found === undefined ? undefined : { op: 'remove', path: formatPointer(parts) };
  if (change.kind === 'add' && Array.isArray(found))
    return { op: 'add', path: formatPointer([...parts, '-']), value: change.value };
  // Objects on the way that are not there come with it.
  const missing = parts.findIndex((_, index) => getPointer(live, parts.slice(0, index + 1)) === undefined);
  const at = missing < 0 ? parts.length : missing + 1;
  const value = parts
    .slice(at)
    .reduceRight<Json>((inner, name) => ({ [name]: inner }), change.kind === 'add' ? [change.value] : change.value);
  return { op: 'add', path: formatPointer(parts.slice(0, at)), value };
}

export function rejectFiles(files: readonly string[] | undefined): void {
  if (files !== undefined && files.length > 0)
    throw new Fault('USAGE', '--apply needs a cluster, not files', { where: '--apply' });
}
