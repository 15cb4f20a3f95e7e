import { valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { amountOf, textAt, textsAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

/** Static volumes: why the claim does not match each of them. */
export function matching(node: Node, graph: Graph, evidence: Finding['evidence']): Finding | undefined {
  const className = textAt(node.object, 'spec', 'storageClassName');
  const provisioner = textAt(
    graph.store.get({ group: 'storage.k8s.io', kind: 'StorageClass', namespace: '', name: className })?.object,
    'provisioner',
  );
  const volumes = graph.store.ofKind('', 'PersistentVolume');
  const named = textAt(node.object, 'spec', 'volumeName');
  const isStatic = provisioner === '' || provisioner === 'kubernetes.io/no-provisioner' || named !== '';
  if (!isStatic || volumes.length === 0) return undefined;
  const request = valueAt(node.object, 'spec', 'resources', 'requests', 'storage');
  const wanted = request === undefined ? undefined : amountOf(request);
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
    unseen: 'spec.resources.requests.storage',
  }[closest.why];
  return leaf(
    'D12',
    node,
    'attach',
    `no PersistentVolume matches ${nodeText(node)}: the closest, ${closest.volume.key.name}, ` +
      MISMATCH_TEXT[closest.why],
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
      ...(closest.why === 'unseen' ? { suspect: true } : {}),
      fix: change(node, graph, 'request what a volume offers, or add a volume', { risk: 'delete-recreate' }),
    },
  );
}

/** unseen: a text of kubectl has neither the size that a claim asks for nor its selector. */
type Mismatch = '' | 'class' | 'mode' | 'size' | 'selector' | 'taken' | 'name' | 'unseen';

/** From the farthest to the closest. */
const ORDER: readonly Mismatch[] = ['name', 'class', 'mode', 'size', 'selector', 'taken', 'unseen', ''];

const MISMATCH_TEXT: Readonly<Record<Mismatch, string>> = {
  '': '',
  class: 'has another StorageClass',
  mode: 'does not support the access mode',
  size: 'is too small',
  selector: 'lacks the selected labels',
  taken: 'is bound to another claim',
  name: 'is not the requested volume',
  unseen: 'is free and has its class and access mode, so its size or its labels do not fit',
};

function mismatchOf(
  claim: Node,
  volume: Node,
  {
    className,
    wanted,
    modes,
    named,
  }: {
    readonly className: string;
    readonly wanted: number | undefined;
    readonly modes: readonly string[];
    readonly named: string;
  },
): Mismatch {
  if (named !== '' && named !== volume.key.name) return 'name';
  if (textAt(volume.object, 'spec', 'storageClassName') !== className) return 'class';
  if (!modes.every((mode) => textsAt(volume.object, 'spec', 'accessModes').includes(mode))) return 'mode';
  if (amountOf(valueAt(volume.object, 'spec', 'capacity', 'storage')) < (wanted ?? 0)) return 'size';
  const labels = volume.object?.metadata.labels ?? {};
  const selector = valueAt(claim.object, 'spec', 'selector', 'matchLabels');
  if (
    typeof selector === 'object' &&
    selector !== null &&
    Object.entries(selector).some(([key, value]) => (Object.hasOwn(labels, key) ? labels[key] : undefined) !== value)
  )
    return 'selector';
  const owner = textAt(volume.object, 'spec', 'claimRef', 'name');
  if (
    owner !== '' &&
    (owner !== claim.key.name || textAt(volume.object, 'spec', 'claimRef', 'namespace') !== claim.key.namespace)
  )
    return 'taken';
  return wanted === undefined ? 'unseen' : '';
}
