import { clone, own, put, type JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { ensure, flag, items, maybe, sub, text, texts } from '../../resources/index.js';
import { matchesNodeRules, toleratesTaint } from '../../scheduler/index.js';
import { podFromTemplate } from '../common/pod-control.js';

export const HASH_LABEL = 'controller-revision-hash';
const GENERATION_LABEL = 'pod-template-generation';
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation';

/** Troubles of a node that do not keep its daemons away. */
const TOLERATED: readonly { readonly key: string; readonly effect: string }[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
];
const NETWORK_UNAVAILABLE = { key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' };

function withTolerations(spec: JsonObject): JsonObject[] {
  const wanted = flag(spec, 'hostNetwork') ? [...TOLERATED, NETWORK_UNAVAILABLE] : TOLERATED;
  const kept = items(spec, 'tolerations').filter(
    (toleration) => !wanted.some(({ key, effect }) => isPlain(toleration, key, effect)),
  );
  return [...kept, ...wanted.map(({ key, effect }) => ({ key, operator: 'Exists', effect }))];
}

function isPlain(toleration: JsonObject, key: string, effect: string): boolean {
  return (
    text(toleration, 'key') === key &&
    text(toleration, 'effect') === effect &&
    text(toleration, 'operator') === 'Exists' &&
    text(toleration, 'value') === ''
  );
}

/** The pod for one node: bound to it by a node affinity on its name, so that the scheduler places it. */
export function daemonPod(set: KubeObject, hash: string, node: string): KubeObject {
  const pod = podFromTemplate(sub(set, 'spec.template'), set);
  const spec = ensure(pod, 'spec');
  put(spec, 'tolerations', withTolerations(spec));
  const labels = (pod.metadata.labels ??= {});
  const generation = generationOf(set);
  if (generation !== '') put(labels, GENERATION_LABEL, generation);
  put(labels, HASH_LABEL, hash);
  pinTo(spec, node);
  return pod;
}

function generationOf(set: KubeObject): string {
  const value = own(set.metadata.annotations ?? {}, GENERATION_ANNOTATION);
  return typeof value === 'string' && /^\d+$/.test(value) ? value : '';
}

function pinTo(spec: JsonObject, node: string): void {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const affinity = ensure(ensure(spec, 'affinity'), 'nodeAffinity');
  const required = maybe(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = items(required, 'nodeSelectorTerms').map((term) => ({ ...term, matchFields: clone(matchFields) }));
  put(affinity, 'requiredDuringSchedulingIgnoredDuringExecution', {
    nodeSelectorTerms: terms.length > 0 ? terms : [{ matchFields }],
  });
}

/** The node a daemon pod is for: where it runs, or where its affinity sends it. */
export function targetNode(pod: KubeObject): string {
  const bound = text(maybe(pod, 'spec'), 'nodeName');
  if (bound !== '') return bound;
  const terms = items(
    maybe(pod, 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'),
    'nodeSelectorTerms',
  );
  const field = terms
    .flatMap((term) => items(term, 'matchFields'))
    .find((each) => text(each, 'key') === 'metadata.name');
  return texts(field, 'values')[0] ?? '';
}

/** Should a daemon run on the node, and may one that runs there stay? */
export function shouldRun(set: KubeObject, node: KubeObject): { readonly run: boolean; readonly stay: boolean } {
  const spec = sub(set, 'spec.template.spec');
  const pinned = text(spec, 'nodeName');
  const rules: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec };
  if ((pinned !== '' && pinned !== node.metadata.name) || !matchesNodeRules(rules, node))
    return { run: false, stay: false };
  const tolerations = withTolerations(spec);
  const repelling = items(maybe(node, 'spec'), 'taints').filter(
    (taint) => ['NoSchedule', 'NoExecute'].includes(text(taint, 'effect')) && !toleratesTaint(tolerations, taint),
  );
  return { run: repelling.length === 0, stay: !repelling.some((taint) => text(taint, 'effect') === 'NoExecute') };
}

export function isUpdated(set: KubeObject, pod: KubeObject, hash: string): boolean {
  const labels = pod.metadata.labels ?? {};
  const generation = generationOf(set);
  return own(labels, HASH_LABEL) === hash || (generation !== '' && own(labels, GENERATION_LABEL) === generation);
}
