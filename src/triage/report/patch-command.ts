import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import { keyText } from '../../model/kubernetes/index.js';
import type { Edit, Fix } from '../findings/index.js';
import type { Graph } from '../graph/index.js';
import { kubectlName } from '../rules/index.js';

/** Longer than this nobody checks what a line does before it runs. */
const MAX_COMMAND = 380;

/** Fields that the API server lets nobody change: no patch and no editor helps, the object has to be replaced. */
const IMMUTABLE: Readonly<Record<string, RegExp>> = {
  'batch/Job': /^spec\.(?:template|selector|completionMode)\b/,
  '/Pod': /^spec\.(?!activeDeadlineSeconds$|tolerations$|(?:initContainers|containers)\.\d+\.image$)/,
  '/PersistentVolumeClaim': /^spec\.(?!resources\.requests\b|volumeAttributesClassName$)/,
  'apps/Deployment': /^spec\.selector\b/,
  'apps/DaemonSet': /^spec\.selector\b/,
  'apps/ReplicaSet': /^spec\.selector\b/,
  'apps/StatefulSet': /^spec\.(?:selector|serviceName|volumeClaimTemplates|podManagementPolicy)\b/,
  'rbac.authorization.k8s.io/RoleBinding': /^roleRef\b/,
  'rbac.authorization.k8s.io/ClusterRoleBinding': /^roleRef\b/,
  'storage.k8s.io/StorageClass': /^(?:provisioner|parameters|reclaimPolicy|volumeBindingMode)\b/,
};

function isImmutable({ object: { group, kind }, path }: Edit): boolean {
  return IMMUTABLE[`${group}/${kind}`]?.test(path.join('.')) === true;
}

/**
 * The commands that change exactly what is wrong, in place of `kubectl edit`; those of the fix where its edits are not
 * known, or are too many to read. None where the object has to be replaced, which `triage --apply` does.
 */
export function patchCommands({ where, commands, edits = [] }: Fix, graph: Graph): readonly string[] {
  if (where !== 'cluster' || edits.length === 0 || !commands.every((each) => each.startsWith('kubectl edit ')))
    return commands;
  if (edits.some(isImmutable)) return [];
  const objects = new Map(edits.map(({ object }) => [keyText(object), object]));
  const patches = [...objects].map(([id, key]) => {
    const node = graph.store.get(key);
    const operations =
      node?.object === undefined
        ? []
        : edits.filter(({ object }) => keyText(object) === id).map((edit) => operationOf(edit, node.object));
    return node === undefined || operations.length === 0 || operations.includes(undefined)
      ? undefined
      : `kubectl patch ${kubectlName(node)} --type=json -p ${quoted(JSON.stringify(operations))}`;
  });
  const known = patches.filter((each) => each !== undefined);
  return known.length === patches.length && known.every((each) => each.length <= MAX_COMMAND) ? known : commands;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** An operation of a JSON patch, with absent parents; undefined where the place is not exactly known. */
function operationOf({ path, change }: Edit, object: Json | undefined): Json | undefined {
  if (path[0] === '**' || path.length === 0 || object === undefined) return undefined;
  let here: Json | undefined = object;
  let known = 0;
  for (const step of path) {
    const next = childOf(here, step);
    if (next === undefined) break;
    here = next;
    known++;
  }
  const pointer = (steps: Edit['path']): string =>
    steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  if (known === path.length) {
    if (change.kind === 'remove') return { op: 'remove', path: pointer(path) };
    return change.kind === 'add' && isArray(here)
      ? { op: 'add', path: `${pointer(path)}/-`, value: change.value }
      : { op: 'replace', path: pointer(path), value: change.kind === 'add' ? [change.value] : change.value };
  }
  if (change.kind === 'remove' || path.slice(known).some((step) => typeof step === 'number')) return undefined;
  const value = path
    .slice(known + 1)
    .reduceRight<Json>(
      (inner, step) => ({ [String(step)]: inner }),
      change.kind === 'add' ? [change.value] : change.value,
    );
  return { op: 'add', path: pointer(path.slice(0, known + 1)), value };
}

function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (isArray(value)) return value[Number(step)];
  return isObject(value) ? own(value, String(step)) : undefined;
}
