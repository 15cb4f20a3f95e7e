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
      leaf('D09', node, 'attach', `the volume of ${nodeText(node)} is lost`, {
        field: 'spec.volumeName',
        evidence: [fact(node, 'status.phase', phase)],
        fix: change(node, graph, 'restore the volume, or recreate the claim', { risk: 'data' }),
      }),
    ];
  const kept = keptByLater(node, graph);
  if (kept !== undefined) return [kept];
  if (phase !== 'Pending') return [];
  return [pending(node, graph)];
}

/** A claim that is not bound: no class, no driver, no matching volume, or no first consumer. */
function pending(node: Node, graph: Graph): Finding {
  const event = graph.events(node).find(({ reason }) => BINDING_EVENTS.has(reason));
  const evidence = [
    fact(node, 'status.phase', 'Pending'),
    ...(event === undefined ? [] : [fact(node, `event ${event.reason}`, event.message)]),
  ];
  const className = textAt(node.object, 'spec', 'storageClassName');
  const storageClass = storageClassOf(className, graph, event?.message ?? '');
  if (storageClass?.state === 'ghost')
    return delegate('D03', node, 'attach', `${nodeText(node)} uses StorageClass ${className}, which does not exist`, {
      evidence,
      target: storageClass,
    });
  if (event?.reason === 'ProvisioningFailed') return provisioning(node, graph, event.message, evidence);
  if (bindsLate(storageClass, event?.reason ?? '')) return waitsForConsumer(node, graph, evidence);
  const fitting = matching(node, graph, evidence);
  if (fitting !== undefined) return fitting;
  if (className === '' && !graph.store.ofKind('storage.k8s.io', 'StorageClass').some(isDefaultClass))
    return leaf('D04', node, 'attach', `${nodeText(node)} has no StorageClass, and there is no default`, {
      evidence,
      field: 'spec.storageClassName',
      fix: change(node, graph, 'set a StorageClass, or mark one as the default', { risk: 'delete-recreate' }),
    });
  return delegate('D06', node, 'attach', `nothing provisions a volume for ${nodeText(node)}`, {
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
      ? `StorageClass ${textAt(node.object, 'spec', 'storageClassName')} does not support ` +
          `${textsAt(node.object, 'spec', 'accessModes').join(', ')}, which ${nodeText(node)} requests`
      : `no volume can be provisioned for ${nodeText(node)}: ${message}`,
    {
      evidence,
      field,
      ...(isMode
        ? {}
        : {
            signature:
              `provisioning ${textAt(node.object, 'spec', 'storageClassName')} ` +
              message.replace(/"[^"]*"|[0-9a-f]{8}-[0-9a-f-]+|\d+/g, ''),
            commonTitle: `StorageClass ${textAt(node.object, 'spec', 'storageClassName')} cannot provision volumes`,
          }),
      fix: change(
        node,
        graph,
        isMode
          ? 'use a StorageClass that supports the mode, or another mode'
          : 'resolve the storage error in the message',
        { risk: 'delete-recreate' },
      ),
    },
  );
}
