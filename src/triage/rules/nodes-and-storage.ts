import {
  type Graph,
  nodeText,
  type Node,
  consumers,
  driverControllers,
  conditionOf,
  isNodeReady,
  sinceOf,
} from '../graph/index.js';
import { amountOf, textAt, textsAt } from '../json/index.js';
import { numberAt, objectsAt, valueAt } from '../../model/json/index.js';
import type { Finding } from '../findings/index.js';
import { brokenAgent } from './network-agents.js';
import { act, change, delegate, fact, leaf, shellWord } from './make-finding.js';

const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable'] as const;

export function nodeRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  const ready = conditionOf(object, 'Ready');
  const onset = sinceOf(ready);
  if (ready !== undefined && !isNodeReady(node)) {
    const all = graph.store.ofKind('', 'Node');
    const down = all.filter((each) => !isNodeReady(each)).length;
    const agent = /network ?plugin|NetworkPluginNotReady|cni/i.test(textAt(ready, 'message'))
      ? brokenAgent(node.key.name, graph)
      : undefined;
    if (agent !== undefined)
      return [
        delegate(
          'C11',
          node,
          'run',
          `node ${node.key.name} is not ready because it has no network: ${nodeText(agent)} does not work`,
          {
            impact: 'infrastructure',
            target: agent,
            evidence: [
              fact(
                node,
                'status.conditions[Ready]',
                `${textAt(ready, 'status')} ${textAt(ready, 'reason')} ${textAt(ready, 'message')}`,
              ),
            ],
            ...(onset === undefined ? {} : { onset }),
          },
        ),
      ];
    return [
      leaf(
        'C11',
        node,
        'run',
        `node ${node.key.name} is not ready: ${textAt(ready, 'reason')} ${textAt(ready, 'message')}`,
        {
          impact: 'infrastructure',
          field: 'status.conditions[Ready]',
          evidence: [
            fact(node, 'status.conditions[Ready]', `${textAt(ready, 'status')} ${textAt(ready, 'reason')}`),
            { of: 'Nodes', path: 'status.conditions[Ready]', value: `${down} of ${all.length} not ready` },
          ],
          ...(onset === undefined ? {} : { onset }),
          fix: act(
            'repair the kubelet, the container runtime or the machine',
            [`kubectl describe node ${shellWord(node.key.name)}`],
            { where: 'outside', verify: `kubectl get node ${shellWord(node.key.name)}` },
          ),
        },
      ),
    ];
  }
  const pressures = PRESSURES.filter((type) => textAt(conditionOf(object, type), 'status') === 'True');
  if (pressures.length > 0)
    return pressures.map((type) =>
      leaf('C12', node, 'run', `node ${node.key.name} has ${type}: ${textAt(conditionOf(object, type), 'message')}`, {
        impact: type === 'NetworkUnavailable' ? 'infrastructure' : 'capacity',
        field: `status.conditions[${type}]`,
        evidence: [fact(node, `status.conditions[${type}]`, 'True')],
        fix: act('free what is short, or move pods away', [`kubectl describe node ${shellWord(node.key.name)}`], {
          verify: `kubectl get node ${shellWord(node.key.name)}`,
        }),
      }),
    );
  if (valueAt(object, 'spec', 'unschedulable') === true)
    return [
      leaf('C09', node, 'schedule', `node ${node.key.name} is cordoned`, {
        signature: 'cordoned',
        commonTitle: 'nodes are cordoned',
        impact: isMissed(node, graph) ? 'capacity' : 'note',
        field: 'spec.unschedulable',
        evidence: [fact(node, 'spec.unschedulable', true)],
        fix: act('let it take pods again', [`kubectl uncordon ${shellWord(node.key.name)}`], {
          actions: [{ kind: 'merge', object: node.key, patch: { spec: { unschedulable: null } } }],
          verify: `kubectl get node ${shellWord(node.key.name)}`,
        }),
      }),
    ];
  return [];
}

/** A cordoned node is missed where a pod waits for just that. */
function isMissed(_node: Node, graph: Graph): boolean {
  return graph.once('pods that miss cordoned nodes', () =>
    graph.store
      .ofKind('', 'Pod')
      .some(({ object }) =>
        /were unschedulable|node\.kubernetes\.io\/unschedulable/.test(
          textAt(conditionOf(object, 'PodScheduled'), 'message'),
        ),
      ),
  );
}

export function claimRules(node: Node, graph: Graph): readonly Finding[] {
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
  const event = graph
    .events(node)
    .find(({ reason }) =>
      /^(ProvisioningFailed|FailedBinding|WaitForFirstConsumer|WaitForPodScheduled|ExternalProvisioning|Provisioning|VolumeMismatch|ClaimMisbound)$/.test(
        reason,
      ),
    );
  const evidence = [
    fact(node, 'status.phase', phase),
    ...(event === undefined ? [] : [fact(node, `event ${event.reason}`, event.message)]),
  ];
  const className = textAt(node.object, 'spec', 'storageClassName');
  const storageClass =
    className === ''
      ? undefined
      : graph.store.refer({ group: 'storage.k8s.io', kind: 'StorageClass', namespace: '', name: className });
  if (/storageclass(?:\.storage\.k8s\.io)? "[^"]+" not found/.test(event?.message ?? '') && storageClass !== undefined)
    graph.store.missing(storageClass.key);
  if (storageClass?.state === 'ghost')
    return [
      delegate(
        'D03',
        node,
        'attach',
        `${nodeText(node)} asks for the storage class ${className}, which does not exist`,
        { evidence, target: storageClass },
      ),
    ];
  const isLate =
    textAt(storageClass?.object, 'volumeBindingMode') === 'WaitForFirstConsumer' ||
    /^WaitFor/.test(event?.reason ?? '');
  if (event?.reason === 'ProvisioningFailed') return [provisioning(node, graph, event.message, evidence)];
  if (isLate && event?.reason !== 'ExternalProvisioning') return [waitsForConsumer(node, graph, evidence)];
  if (className === '' && !graph.store.ofKind('storage.k8s.io', 'StorageClass').some(isDefaultClass))
    return [
      matching(node, graph, evidence) ??
        leaf('D04', node, 'attach', `${nodeText(node)} names no storage class and none is the default`, {
          evidence,
          field: 'spec.storageClassName',
          fix: change(node, graph, 'name a storage class, or mark one as the default', { risk: 'delete-recreate' }),
        }),
    ];
  const statically = matching(node, graph, evidence);
  if (statically !== undefined) return [statically];
  return [
    delegate('D06', node, 'attach', `nothing makes a volume for ${nodeText(node)}`, {
      evidence,
      ...(storageClass === undefined ? {} : { target: storageClass }),
    }),
  ];
}

/** A sync waits until a claim is gone, and a pod that only a later wave would change keeps it. */
function keptByLater(node: Node, graph: Graph): Finding | undefined {
  if (node.object?.metadata.deletionTimestamp === undefined) return undefined;
  const app = graph
    .appsOf(node)
    .find(
      ({ object }) =>
        textAt(object, 'status', 'operationState', 'phase') === 'Running' &&
        textAt(object, 'status', 'operationState', 'message').includes(node.key.name),
    );
  const waves = new Map(
    objectsAt(app?.object, 'status', 'resources').map((resource) => [
      `${textAt(resource, 'kind')}/${textAt(resource, 'name')}`,
      numberAt(resource, 'syncWave') ?? 0,
    ]),
  );
  const waveOf = ({ key }: Node): number => waves.get(`${key.kind}/${key.name}`) ?? 0;
  const user = consumers(node, graph)
    .map((pod) => graph.top(pod))
    .find((each) => waves.has(`${each.key.kind}/${each.key.name}`) && waveOf(each) > waveOf(node));
  if (app === undefined || user === undefined) return undefined;
  const field = "metadata.annotations['argocd.argoproj.io/sync-wave']";
  return leaf(
    'A24',
    node,
    'reconcile',
    `${nodeText(node)} is to go and ${nodeText(user)} keeps it, which only a later wave of ${nodeText(app)} ` +
      'would change: both wait for each other',
    {
      blamed: user,
      field,
      evidence: [
        fact(node, 'metadata.deletionTimestamp', node.object.metadata.deletionTimestamp),
        fact(app, 'status.operationState.message', textAt(app.object, 'status', 'operationState', 'message')),
        fact(app, `status.resources[${user.key.kind}/${user.key.name}].syncWave`, waveOf(user)),
      ],
      fix: change(user, graph, 'put whoever uses the claim into its wave or an earlier one'),
    },
  );
}

function isDefaultClass({ object }: Node): boolean {
  return textAt(object, 'metadata', 'annotations', 'storageclass.kubernetes.io/is-default-class') === 'true';
}

function provisioning(node: Node, graph: Graph, message: string, evidence: Finding['evidence']): Finding {
  const isMode = /access ?mode|AccessMode|ReadWriteMany|multi-node/i.test(message);
  const field = isMode
    ? 'spec.accessModes'
    : /quota|exceed|capacity|size/i.test(message)
      ? 'spec.resources.requests.storage'
      : 'spec.storageClassName';
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
              `${message.replace(/"[^"]*"|[0-9a-f]{8}-[0-9a-f-]+|\d+/g, '')}`,
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

/** It waits for a pod: it is never a cause by itself. */
function waitsForConsumer(node: Node, graph: Graph, evidence: Finding['evidence']): Finding {
  const pods = consumers(node, graph);
  if (pods.length > 0)
    return delegate('D01', node, 'schedule', `${nodeText(node)} waits until its pod has a node`, {
      evidence,
      level: 'waiting',
    });
  const waiting = graph
    .appsOf(node)
    .find(
      (app) =>
        textAt(app.object, 'status', 'operationState', 'phase') === 'Running' &&
        textAt(app.object, 'status', 'operationState', 'message').includes(node.key.name),
    );
  if (waiting !== undefined)
    return delegate(
      'A24',
      node,
      'schedule',
      `${nodeText(node)} waits for a pod, and the pod waits until the claim is healthy: it is in a later wave`,
      {
        evidence,
        target: waiting,
        level: 'waiting',
        field: "metadata.annotations['argocd.argoproj.io/sync-wave']",
        fix: change(node, graph, 'put the claim into the wave of its first consumer'),
      },
    );
  return leaf('D02', node, 'schedule', `${nodeText(node)} waits for a first consumer and nothing uses it`, {
    evidence,
    level: 'waiting',
    impact: 'note',
  });
}

/** Volumes that were made by hand: what keeps the claim from each of them. */
function matching(node: Node, graph: Graph, evidence: Finding['evidence']): Finding | undefined {
  const className = textAt(node.object, 'spec', 'storageClassName');
  const provisioner = textAt(
    graph.store.get({ group: 'storage.k8s.io', kind: 'StorageClass', namespace: '', name: className })?.object,
    'provisioner',
  );
  const volumes = graph.store.ofKind('', 'PersistentVolume');
  const named = textAt(node.object, 'spec', 'volumeName');
  const isStatic = provisioner === '' || provisioner === 'kubernetes.io/no-provisioner' || named !== '';
  if (!isStatic || volumes.length === 0) return undefined;
  const wanted = amountOf(valueAt(node.object, 'spec', 'resources', 'requests', 'storage'));
  const modes = textsAt(node.object, 'spec', 'accessModes');
  const why = volumes.map((volume) => ({ volume, why: mismatchOf(node, volume, { className, wanted, modes, named }) }));
  const closest = [...why].sort(
    (a, b) => ORDER.indexOf(b.why) - ORDER.indexOf(a.why) || (a.volume.id < b.volume.id ? -1 : 1),
  )[0];
  if (closest === undefined || closest.why === '') return undefined;
  const field = {
    class: 'spec.storageClassName',
    mode: 'spec.accessModes',
    size: 'spec.resources.requests.storage',
    selector: 'spec.selector',
    taken: 'spec.volumeName',
    name: 'spec.volumeName',
  }[closest.why];
  return leaf(
    'D12',
    node,
    'attach',
    `no volume fits ${nodeText(node)}: the closest, ${closest.volume.key.name}, ${MISMATCH_TEXT[closest.why]}`,
    {
      evidence: [
        ...evidence,
        fact(closest.volume, 'spec', {
          storageClassName: valueAt(closest.volume.object, 'spec', 'storageClassName') ?? null,
          accessModes: textsAt(closest.volume.object, 'spec', 'accessModes'),
          capacity: valueAt(closest.volume.object, 'spec', 'capacity', 'storage') ?? null,
          claimRef: textAt(closest.volume.object, 'spec', 'claimRef', 'name'),
        }),
      ],
      field,
      fix: change(node, graph, 'ask for what a volume offers, or add a volume', { risk: 'delete-recreate' }),
    },
  );
}

type Mismatch = '' | 'class' | 'mode' | 'size' | 'selector' | 'taken' | 'name';
/** From the farthest to the closest. */
const ORDER: readonly Mismatch[] = ['name', 'class', 'mode', 'size', 'selector', 'taken', ''];
const MISMATCH_TEXT: Readonly<Record<Mismatch, string>> = {
  '': '',
  class: 'is of another storage class',
  mode: 'does not offer the access mode',
  size: 'is too small',
  selector: 'does not have the labels asked for',
  taken: 'belongs to another claim',
  name: 'is not the one asked for',
};

function mismatchOf(
  claim: Node,
  volume: Node,
  { className, wanted, modes, named }: { className: string; wanted: number; modes: readonly string[]; named: string },
): Mismatch {
  if (named !== '' && named !== volume.key.name) return 'name';
  if (textAt(volume.object, 'spec', 'storageClassName') !== className) return 'class';
  if (!modes.every((mode) => textsAt(volume.object, 'spec', 'accessModes').includes(mode))) return 'mode';
  if (amountOf(valueAt(volume.object, 'spec', 'capacity', 'storage')) < wanted) return 'size';
  const labels = volume.object?.metadata.labels ?? {};
  const selector = valueAt(claim.object, 'spec', 'selector', 'matchLabels');
  if (
    typeof selector === 'object' &&
    selector !== null &&
    Object.entries(selector).some(([key, value]) => (Object.hasOwn(labels, key) ? labels[key] : undefined) !== value)
  )
    return 'selector';
  const owner = textAt(volume.object, 'spec', 'claimRef', 'name');
  return owner !== '' &&
    (owner !== claim.key.name || textAt(volume.object, 'spec', 'claimRef', 'namespace') !== claim.key.namespace)
    ? 'taken'
    : '';
}

/** A class whose driver does not work explains claims that nobody serves. */
export function storageClassRules(node: Node, graph: Graph): readonly Finding[] {
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
      delegate('D06', node, 'attach', `the driver ${provisioner} of storage class ${node.key.name} makes no volumes`, {
        evidence,
        impact: 'infrastructure',
      }),
    ];
  return [
    leaf('D06', node, 'attach', `no driver answers for ${provisioner}, which storage class ${node.key.name} names`, {
      evidence,
      impact: 'infrastructure',
      field: 'provisioner',
      fix: act('install the driver, or use another class', ['kubectl get csidrivers'], {
        verify: 'kubectl get pvc -A',
      }),
    }),
  ];
}

export function volumeRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  if (phase !== 'Failed') return [];
  return [
    leaf('D09', node, 'attach', `volume ${node.key.name} has failed: ${textAt(node.object, 'status', 'message')}`, {
      field: 'status.phase',
      impact: objectsAt(node.object, 'spec', 'claimRef').length > 0 ? 'capacity' : 'note',
      evidence: [fact(node, 'status.phase', phase)],
      fix: change(node, graph, 'repair or delete the volume', { risk: 'data' }),
    }),
  ];
}
