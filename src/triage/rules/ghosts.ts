import { keyText } from '../../model/kubernetes/index.js';
import { type Graph, nodeText, type Node, makersOf } from '../graph/index.js';
import { entryOf, textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { Finding, TriageCode } from '../findings/index.js';
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
  const creator = rejectedBy(node, graph);
  if (creator !== undefined)
    return [
      delegate(
        rule,
        node,
        'create',
        `${nodeText(node)} does not exist: the sync of ${nodeText(creator)} failed to create it`,
        {
          ...details,
          target: creator,
        },
      ),
    ];
  const near = intendedName(node, graph);
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
          {
            verify:
              `kubectl get ${node.key.namespace === '' ? '' : `-n ${shellWord(node.key.namespace)} `}` +
              `${shellWord(node.key.kind.toLowerCase())} ${shellWord(node.key.name)}`,
          },
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

/** The application whose last sync failed to create an object: its error is the reason. */
function rejectedBy(node: Node, graph: Graph): Node | undefined {
  return graph
    .once(
      'objects that a sync failed to make',
      () =>
        new Map(
          graph.applications.flatMap((app) =>
            (/^(Failed|Error|Running)$/.test(textAt(app.object, 'status', 'operationState', 'phase'))
              ? objectsAt(app.object, 'status', 'operationState', 'syncResult', 'resources')
              : []
            )
              .filter((result) => textAt(result, 'status') === 'SyncFailed')
              .map(
                (result) =>
                  [
                    keyText({
                      group: textAt(result, 'group'),
                      kind: textAt(result, 'kind'),
                      namespace: textAt(result, 'namespace'),
                      name: textAt(result, 'name'),
                    }),
                    app,
                  ] as const,
              ),
          ),
        ),
    )
    .get(node.id);
}
