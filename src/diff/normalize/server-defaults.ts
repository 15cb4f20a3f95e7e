import { isArray, isObject, type Json } from '../../model/json/index.js';
import { splitApiVersion } from '../../model/kubernetes/index.js';

/** API groups that the API server itself serves from Go types; other groups are custom resources. */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'extensions',
  'policy',
  ...[
    'admissionregistration',
    'apiextensions',
    'apiregistration',
    'authentication',
    'authorization',
    'certificates',
    'coordination',
    'discovery',
    'events',
    'flowcontrol.apiserver',
    'internal.apiserver',
    'networking',
    'node',
    'rbac.authorization',
    'resource',
    'scheduling',
    'storage',
    'storagemigration',
  ].map((name) => `${name}.k8s.io`),
]);

export function isBuiltIn(apiVersion: string): boolean {
  return BUILT_IN_GROUPS.has(splitApiVersion(apiVersion).group);
}

/** Maps with keys that people choose: a key there means nothing to the API server, whatever it is called. */
const FREE_MAPS: ReadonlySet<string> = new Set([
  'data',
  'stringData',
  'binaryData',
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'selector',
  'parameters',
  'volumeAttributes',
  'options',
]);

/** Numbers and flags of Go types whose zero is never stored, so that stating it and leaving it out are the same. */
const UNSTORED_ZEROS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['hostNetwork', false],
  ['hostPID', false],
  ['hostIPC', false],
  ['readOnly', false],
  ['stdin', false],
  ['stdinOnce', false],
  ['tty', false],
  ['publishNotReadyAddresses', false],
  ['paused', false],
  ['preserveUnknownFields', false],
  ['minReadySeconds', 0],
  ['initialDelaySeconds', 0],
  ['priority', 0],
]);
/** Texts of the same sort, each with the field it stands in. */
const UNSTORED_TEXTS: ReadonlySet<string> = new Set(['env.value', 'volumeMounts.subPath']);
const MAPS: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'matchLabels',
  'nodeSelector',
  'data',
  'binaryData',
  'limits',
  'requests',
]);

/** Whether a target value says no more than its absence, where live has none. */
export function isSameAsAbsent(parent: string, name: string, value: Json, builtIn: boolean): boolean {
  if (value === null) return true;
  if (FREE_MAPS.has(parent)) return false;
  const isEmptyMap = isObject(value) && Object.keys(value).length === 0;
  if (isEmptyMap && parent === 'metadata') return true;
  if (!builtIn) return false;
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return isEmptyMap && MAPS.has(name);
  return value === '' ? UNSTORED_TEXTS.has(`${parent}.${name}`) : UNSTORED_ZEROS.get(name) === value;
}

/**
 * What the API server fills in where a manifest leaves a field out; names that mean several things stand with their
 * parent.
 */
const DEFAULTS: ReadonlyMap<string, readonly Json[]> = new Map<string, readonly Json[]>([
  ['replicas', [1]],
  ['protocol', ['TCP']],
  ['terminationGracePeriodSeconds', [30]],
  ['restartPolicy', ['Always']],
  ['dnsPolicy', ['ClusterFirst']],
  ['schedulerName', ['default-scheduler']],
  ['terminationMessagePath', ['/dev/termination-log']],
  ['terminationMessagePolicy', ['File']],
  ['revisionHistoryLimit', [10]],
  ['progressDeadlineSeconds', [600]],
  ['sessionAffinity', ['None']],
  ['internalTrafficPolicy', ['Cluster']],
  ['podManagementPolicy', ['OrderedReady']],
  ['defaultMode', [420]],
  ['volumeMode', ['Filesystem']],
  ['successThreshold', [1]],
  ['failureThreshold', [3]],
  ['periodSeconds', [10]],
  ['scheme', ['HTTP']],
  ['backoffLimit', [6]],
  ['parallelism', [1]],
  ['completionMode', ['NonIndexed']],
  ['concurrencyPolicy', ['Allow']],
  ['suspend', [false]],
  ['matchPolicy', ['Equivalent']],
  ['reinvocationPolicy', ['Never']],
  ['podReplacementPolicy', ['TerminatingOrFailed']],
  ['preemptionPolicy', ['PreemptLowerPriority']],
  ['scope', ['*']],
  ['strategy.type', ['RollingUpdate']],
  ['updateStrategy.type', ['RollingUpdate']],
  ['fieldRef.apiVersion', ['v1']],
  ['roleRef.apiGroup', ['rbac.authorization.k8s.io']],
  ['subjects.apiGroup', ['rbac.authorization.k8s.io']],
]);

/** Whether a live value of a built-in kind is what the server fills in, so that removing it would bring it back. */
export function isDefault(parent: string, name: string, value: Json, builtIn: boolean): boolean {
  if (!builtIn || FREE_MAPS.has(parent)) return false;
  return (DEFAULTS.get(name) ?? DEFAULTS.get(`${parent}.${name}`))?.some((usual) => usual === value) === true;
}
