import { objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { driverControllers, type Graph, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const VOLUME_RULES: RuleTable = {
  '/PersistentVolume': [volumeRules],
  'storage.k8s.io/StorageClass': [storageClassRules],
};

/** A StorageClass whose driver is down explains pending claims. */
function storageClassRules(node: Node, graph: Graph): readonly Finding[] {
  const isWaitedFor = graph.once(`claims waiting for ${node.key.name}`, () =>
    graph.store
      .ofKind('', 'PersistentVolumeClaim')
      .some(
        (claim) =>
          textAt(claim.object, 'status', 'phase') === 'Pending' &&
          textAt(claim.object, 'spec', 'storageClassName') === node.key.name &&
          graph.events(claim).some(({ reason }) => reason === 'ExternalProvisioning'),
      ),
  );
  if (!isWaitedFor) return [];
  const provisioner = textAt(node.object, 'provisioner');
  const controllers = driverControllers(graph, provisioner);
  const evidence = [fact(node, 'provisioner', provisioner)];
  if (controllers.length > 0)
    return [
      delegate('D06', node, 'attach', `driver ${provisioner} of StorageClass ${node.key.name} provisions no volumes`, {
        evidence,
        impact: 'infrastructure',
      }),
    ];
  return [
    leaf(
      'D06',
      node,
      'attach',
      `driver ${provisioner} of StorageClass ${node.key.name} is not installed or not running`,
      {
        evidence,
        impact: 'infrastructure',
        field: 'provisioner',
        fix: act('install the driver, or use another StorageClass', ['kubectl get csidrivers'], {
          verify: 'kubectl get pvc -A',
        }),
      },
    ),
  ];
}

function volumeRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  if (phase !== 'Failed') return [];
  return [
    leaf('D09', node, 'attach', `volume ${node.key.name} failed: ${textAt(node.object, 'status', 'message')}`, {
      field: 'status.phase',
      impact: objectsAt(node.object, 'spec', 'claimRef').length > 0 ? 'capacity' : 'note',
      evidence: [fact(node, 'status.phase', phase)],
      fix: change(node, graph, 'repair or delete the volume', { risk: 'data' }),
    }),
  ];
}
