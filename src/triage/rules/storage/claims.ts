import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt, textsAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { keptByLater, waitsForConsumer } from './claims-and-waves.js';
import { matching } from './matching-volumes.js';

/** Registered by kind. */
export const CLAIM_RULES: RuleTable = {
  '/PersistentVolumeClaim': [claimRules],
};

const BINDING_EVENTS = new Set([
  'ProvisioningFailed',
  'FailedBinding',
  'WaitForFirstConsumer',
  'WaitForPodScheduled',
  'ExternalProvisioning',
  'Provisioning',
  'VolumeMismatch',
  'ClaimMisbound',
]);

function claimRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  if (phase === 'Lost')
    return [
      leaf('D09', node, 'attach', `the volume of ${nodeText(node)} is gone`, {
        field: 'spec.volumeName',
        evidence: [fact(node, 'status.phase', phase)],
        fix: change(node, graph, 'restore the volume, or make the claim again', { risk: 'data' }),
      }),
    ];
  const kept = keptByLater(node, graph);
  if (kept !== undefined) return [kept];
  if (phase !== 'Pending') return [];
  return [pending(node, graph)];
}

/** A claim that is not bound: no class, no driver, no volume that fits, or a pod that is to come first. */
function pending(node: Node, graph: Graph): Finding {
  const event = graph.events(node).find(({ reason }) => BINDING_EVENTS.has(reason));
  const evidence = [
    fact(node, 'status.phase', 'Pending'),
    ...(event === undefined ? [] : [fact(node, `event ${event.reason}`, event.message)]),
  ];
  const className = textAt(node.object, 'spec', 'storageClassName');
  const storageClass = storageClassOf(className, graph, event?.message ?? '');
  if (storageClass?.state === 'ghost')
    return delegate(
      'D03',
      node,
      'attach',
      `${nodeText(node)} asks for the storage class ${className}, which does not exist`,
      { evidence, target: storageClass },
    );
  if (event?.reason === 'ProvisioningFailed') return provisioning(node, graph, event.message, evidence);
  if (bindsLate(storageClass, event?.reason ?? '')) return waitsForConsumer(node, graph, evidence);
  const fitting = matching(node, graph, evidence);
  if (fitting !== undefined) return fitting;
  if (className === '' && !graph.store.ofKind('storage.k8s.io', 'StorageClass').some(isDefaultClass))
    return leaf('D04', node, 'attach', `${nodeText(node)} names no storage class and none is the default`, {
      evidence,
      field: 'spec.storageClassName',
      fix: change(node, graph, 'name a storage class, or mark one as the default', { risk: 'delete-recreate' }),
    });
  return delegate('D06', node, 'attach', `nothing makes a volume for ${nodeText(node)}`, {
    evidence,
    ...(storageClass === undefined ? {} : { target: storageClass }),
  });
}

function storageClassOf(name: string, graph: Graph, message: string): Node | undefined {
  if (name === '') return undefined;
  const key = { group: 'storage.k8s.io', kind: 'StorageClass', namespace: '', name };
  // The controller did not find it, so it is known to be absent even where classes were not collected.
  const isAbsent = /storageclass(?:\.storage\.k8s\.io)? "[^"]+" not found/.test(message);
  return isAbsent ? graph.store.missing(key) : graph.store.refer(key);
}

function bindsLate(storageClass: Node | undefined, reason: string): boolean {
  if (reason === 'ExternalProvisioning') return false;
  return textAt(storageClass?.object, 'volumeBindingMode') === 'WaitForFirstConsumer' || reason.startsWith('WaitFor');
}

function isDefaultClass({ object }: Node): boolean {
  return textAt(object, 'metadata', 'annotations', 'storageclass.kubernetes.io/is-default-class') === 'true';
}

function provisioning(node: Node, graph: Graph, message: string, evidence: Finding['evidence']): Finding {
  const isMode = /access ?mode|AccessMode|ReadWriteMany|multi-node/i.test(message);
  const otherField = /quota|exceed|capacity|size/i.test(message)
    ? 'spec.resources.requests.storage'
    : 'spec.storageClassName';
  const field = isMode ? 'spec.accessModes' : otherField;
  return leaf(
    isMode ? 'D05' : 'D06',
    node,
    'attach',
    isMode
      ? `the storage class ${textAt(node.object, 'spec', 'storageClassName')} has no volumes with ` +
          `${textsAt(node.object, 'spec', 'accessModes').join(', ')}, which ${nodeText(node)} asks for`
      : `no volume can be made for ${nodeText(node)}: ${message}`,
    {
      evidence,
      field,
      ...(isMode
        ? {}
        : {
            signature:
              `provisioning ${textAt(node.object, 'spec', 'storageClassName')} ` +
              message.replace(/"[^"]*"|[0-9a-f]{8}-[0-9a-f-]+|\d+/g, ''),
            commonTitle: `no volumes of class ${textAt(node.object, 'spec', 'storageClassName')} can be made`,
          }),
      fix: change(
        node,
        graph,
        isMode ? 'use a class that offers the mode, or another mode' : 'repair the storage that the message names',
        { risk: 'delete-recreate' },
      ),
    },
  );
}
