import { keyText } from '../../model/kubernetes/index.js';
import { type Json, objectsAt } from '../../model/json/index.js';
import { type Graph, nodeText, type Node, type Phase, applicationSources } from '../graph/index.js';
import { MAX_TEXT_LENGTH, textAt } from '../json/index.js';
import { usualImpact, type Edit, type Evidence, type Finding, type Fix, type TriageCode } from '../findings/index.js';

interface FindingDetails extends Partial<Omit<Finding, 'rule' | 'node' | 'phase' | 'title' | 'evidence' | 'kind'>> {
  readonly evidence?: readonly Evidence[];
}

/** The search ends here. */
export function leaf(rule: TriageCode, node: Node, phase: Phase, title: string, more: FindingDetails = {}): Finding {
  return { level: 'fault', impact: usualImpact(rule), evidence: [], ...more, rule, node, phase, title, kind: 'leaf' };
}

/** A consequence: the cause is among what the object needs in this phase. */
export function delegate(
  rule: TriageCode,
  node: Node,
  phase: Phase,
  title: string,
  more: FindingDetails = {},
): Finding {
  return {
    level: 'fault',
    impact: usualImpact(rule),
    evidence: [],
    ...more,
    rule,
    node,
    phase,
    title,
    kind: 'delegating',
  };
}

export function fact(node: Node, path: string, value: Json | undefined): Evidence {
  return { of: nodeText(node), path, value: typeof value === 'string' ? value : JSON.stringify(value ?? null) };
}

/** Several texts joined without duplicates. */
export function joinDistinct(texts: readonly string[]): string {
  const longest = [...new Set(texts)].filter((text) => text !== '');
  return longest
    .filter((text) => !longest.some((other) => other !== text && other.includes(text)))
    .join(' | ')
    .slice(0, MAX_TEXT_LENGTH);
}

/** A word of a shell command. Names that no API server would accept are replaced: commands must be safe to paste. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(text) ? text : 'NAME';
}

/** How a person addresses an object with kubectl. */
export function kubectlName({ key }: Node): string {
  const kind = key.group === '' ? key.kind.toLowerCase() : `${key.kind.toLowerCase()}.${key.group}`;
  return `${key.namespace === '' ? '' : `-n ${shellWord(key.namespace)} `}${shellWord(kind)}/${shellWord(key.name)}`;
}

/** A change of an object: in git if an application deploys it, otherwise in the cluster. */
export function change(node: Node, graph: Graph, say: string, more: Partial<Fix> = {}): Fix {
  const holder = ['Pod', 'ReplicaSet', 'Job'].includes(node.key.kind) ? graph.top(node) : node;
  if (holder.key.kind === 'Node' || isStatic(holder)) return atTheNode(node, say, more);
  const [app] = graph.appsOf(holder);
  // An application without a parent is changed in the cluster; mistakes in its files are not.
  const isItself = holder === app && (more.edits ?? []).some(({ object }) => keyText(object) === holder.id);
  const isOfGit = isItself
    ? graph.deliverersOf(holder).length > 0 || graph.owner(holder) !== undefined
    : app !== undefined;
  const source = app === undefined ? undefined : applicationSources(app.object)[0]?.source;
  const place =
    source === undefined
      ? ''
      : ` (${textAt(source, 'repoURL')} ${textAt(source, 'path') || textAt(source, 'chart')}, application ` +
        `${app?.key.name ?? ''})`;
  return {
    where: isOfGit ? 'git' : 'cluster',
    say: `${say}${place}`,
    commands: isOfGit ? [] : [`kubectl edit ${kubectlName(holder)}`],
    risk: 'restart',
    reversible: true,
    verify: `kubectl get ${kubectlName(holder)}`,
    ...more,
  };
}

/** The kubelet of a node runs it from a file there; the API server only has a read-only mirror. */
function isStatic({ object }: Node): boolean {
  return (
    textAt(object, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== '' ||
    objectsAt(object, 'metadata', 'ownerReferences').some((owner) => textAt(owner, 'kind') === 'Node')
  );
}

function atTheNode(pod: Node, say: string, more: Partial<Fix>): Fix {
  const machine = textAt(pod.object, 'spec', 'nodeName');
  return {
    where: 'outside',
    say: `${say} (a static pod: its manifest is on node ${machine}, usually below /etc/kubernetes/manifests)`,
    commands: [],
    risk: 'restart',
    reversible: true,
    verify: `kubectl get ${kubectlName(pod)}`,
    ...more,
    edits: [],
  };
}

/** A command to run, or a step outside of the cluster. */
export function act(say: string, commands: readonly string[], more: Partial<Fix> = {}): Fix {
  return { where: 'cluster', say, commands, risk: 'none', reversible: true, verify: '', ...more };
}

/** The steps of a field as findings write it: `spec.a[0].b['c.d']`. */
export function fieldPath(field: string): (string | number)[] {
  return [...field.matchAll(/\['([^']*)'\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, index, plain]) =>
    index === undefined ? (quoted ?? plain ?? '') : Number(index),
  );
}

/** A field of an object gets another value. */
export function setting({ key }: Node, field: string, value: Json): Edit {
  return { object: key, path: fieldPath(field), change: { kind: 'set', value } };
}

/** A list of an object gets one more item. */
export function adding({ key }: Node, field: string, value: Json): Edit {
  return { object: key, path: fieldPath(field), change: { kind: 'add', value } };
}

export function removing({ key }: Node, path: readonly (string | number)[]): Edit {
  return { object: key, path, change: { kind: 'remove' } };
}

/** Where the pods of a workload are described; empty for what has no template. */
export function templateOf({ key }: Node): string {
  if (key.kind === 'CronJob') return 'spec.jobTemplate.spec.template';
  return ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'Rollout', 'ReplicationController'].includes(
    key.kind,
  )
    ? 'spec.template'
    : '';
}
