import { keyText } from '../../model/kubernetes/index.js';
import { type Graph, nodeText, type Node, makersOf, listedKey } from '../graph/index.js';
import { entryOf, textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { Finding, TriageCode } from '../findings/index.js';
import { absentByQuota } from './quotas.js';
import { nearestName } from './nearest-name.js';
import { act, delegate, leaf, shellWord } from './make-finding.js';

const RULES: Readonly<Record<string, TriageCode>> = {
  Secret: 'B01',
  ConfigMap: 'B04',
  StorageClass: 'D03',
  PersistentVolumeClaim: 'D10',
  ServiceAccount: 'C15',
  PriorityClass: 'C15',
  SecretStore: 'B09',
  ClusterSecretStore: 'B09',
  Service: 'B08',
  Issuer: 'G10',
  ClusterIssuer: 'G10',
};

/**
 * A referenced object does not exist: the object that should create it is blamed, otherwise its absence is the cause.
 */
export function ghostRule(node: Node, graph: Graph): readonly Finding[] {
  const rule = entryOf(RULES, node.key.kind) ?? 'X01';
  const details = { impact: 'capacity', evidence: [{ of: nodeText(node), path: '', value: 'absent' }] } as const;
  if (node.key.kind === 'Secret' && makersOf(node, graph).length > 0)
    return [delegate(rule, node, 'create', `${nodeText(node)} does not exist yet`, details)];
  const creator = undeliveredBy(node, graph);
  if (creator?.isFailed === true)
    return [
      delegate(
        rule,
        node,
        'create',
        `${nodeText(node)} does not exist: the sync of ${nodeText(creator.app)} failed to create it`,
        { ...details, target: creator.app },
      ),
    ];
  if (creator !== undefined) return [toSync(rule, node, creator.app, details)];
  if (isInAbsentNamespace(node, graph)) return [inAbsentNamespace(rule, node, details)];
  const near = intendedName(node, graph);
  const refused = near === undefined ? absentByQuota(node, graph) : undefined;
  if (refused !== undefined) return [refused];
  return [
    leaf(
      rule,
      node,
      'create',
      `${nodeText(node)} does not exist${near === undefined ? '' : `; did you mean ${near}?`}`,
      {
        ...details,
        field: 'metadata.name',
        ...(near === undefined ? {} : { isWrongName: true, rightName: near }),
        fix: act(
          near === undefined
            ? `create ${nodeText(node)}, or fix the reference`
            : `refer to ${near}, or create ${nodeText(node)}`,
          [],
          { verify: showing(node) },
        ),
      },
    ),
  ];
}

/**
 * The name that was probably intended. If a workload has the name of the missing Service, the name is right and the
 * Service was deleted.
 */
export function intendedName({ key }: Node, graph: Graph): string | undefined {
  const isGone =
    key.kind === 'Service' &&
    ['Deployment', 'StatefulSet', 'DaemonSet'].some(
      (kind) =>
        graph.store.get({ group: 'apps', kind, namespace: key.namespace, name: key.name })?.object !== undefined,
    );
  return isGone
    ? undefined
    : nearestName(
        key.name,
        graph.store.inNamespace(key.group, key.kind, key.namespace).map((other) => other.key.name),
      );
}

interface Undelivered {
  readonly app: Node;
  /** Its last sync failed: its error is the reason. */
  readonly isFailed: boolean;
}

/** The application that has an object in git and has not created it. */
function undeliveredBy(node: Node, graph: Graph): Undelivered | undefined {
  return graph
    .once('objects that no sync has created', () => new Map(graph.applications.flatMap((app) => undeliveredRows(app))))
    .get(node.id);
}

function undeliveredRows(app: Node): (readonly [string, Undelivered])[] {
  const phase = textAt(app.object, 'status', 'operationState', 'phase');
  const rejected = objectsAt(app.object, 'status', 'operationState', 'syncResult', 'resources').filter(
    (result) => textAt(result, 'status') === 'SyncFailed',
  );
  const isFailed = /^(Failed|Error)$/.test(phase) || (phase === 'Running' && rejected.length > 0);
  const missing = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'health', 'status') === 'Missing',
  );
  return [...(phase === 'Running' && !isFailed ? [] : missing), ...(isFailed ? rejected : [])].map(
    (row) => [keyText(listedKey(row)), { app, isFailed }] as const,
  );
}

/** It is in git already: nobody has to write it. */
function toSync(rule: TriageCode, node: Node, app: Node, details: Partial<Finding>): Finding {
  return leaf(rule, node, 'create', `${nodeText(node)} does not exist: it is in git and was not synced`, {
    ...details,
    field: 'metadata.name',
    fix: act('sync the application', [`argosy app sync ${shellWord(app.key.name)}`], { verify: showing(node) }),
  });
}

/** What has an object exists, whatever a list of namespaces left out. */
export function isInAbsentNamespace({ key }: Node, graph: Graph): boolean {
  const used = graph.once(
    'namespaces that have objects',
    () => new Set(graph.store.all().map((node) => node.key.namespace)),
  );
  return (
    key.namespace !== '' &&
    !used.has(key.namespace) &&
    graph.store.refer({ group: '', kind: 'Namespace', namespace: '', name: key.namespace }).state === 'ghost'
  );
}

/** Nothing can be created in a namespace that does not exist: whoever names it means another one. */
function inAbsentNamespace(rule: TriageCode, node: Node, details: Partial<Finding>): Finding {
  const { namespace } = node.key;
  return leaf(rule, node, 'create', `${nodeText(node)} does not exist: namespace ${namespace} does not exist`, {
    ...details,
    field: 'metadata.namespace',
    fix: act(`name a namespace that exists instead of ${namespace}`, [], { verify: showing(node) }),
  });
}

function showing({ key }: Node): string {
  return (
    `kubectl get ${key.namespace === '' ? '' : `-n ${shellWord(key.namespace)} `}` +
    `${shellWord(key.kind.toLowerCase())} ${shellWord(key.name)}`
  );
}
