import { keyOf, keyText } from '../../src/model/kubernetes/index.js';
import type { Snapshot } from '../../src/triage/index.js';
import type { WorldCase } from './world-case.js';

/** A snapshot of somebody who sees less, and knows it where a server would say so. */
export interface Ablation {
  readonly name: string;
  see(snapshot: Snapshot, world: WorldCase): Snapshot;
}

export const ABLATIONS: readonly Ablation[] = [
  { name: 'without Events', see: (snapshot) => ({ ...snapshot, events: [] }) },
  { name: 'without logs', see: (snapshot) => ({ ...snapshot, logs: [] }) },
  { name: 'one namespace only', see: oneNamespace },
  {
    name: '30 % of objects missing',
    see: (snapshot, { seed }) => ({
      ...snapshot,
      objects: snapshot.objects.filter((object) => numberOf(`${seed} ${keyText(keyOf(object))}`) % 10 >= 3),
    }),
  },
];

/** A person of one team: every list of the whole cluster and of other namespaces is forbidden. */
function oneNamespace(snapshot: Snapshot, { faults }: WorldCase): Snapshot {
  const mine = faults.flatMap(({ namespaces }) => namespaces)[0] ?? 'default';
  const kinds = new Map(
    snapshot.objects.map((object) => [
      `${keyOf(object).group}/${object.kind}`,
      { group: keyOf(object).group, kind: object.kind },
    ]),
  );
  return {
    ...snapshot,
    objects: snapshot.objects.filter(({ metadata }) => metadata.namespace === mine),
    events: snapshot.events.filter(({ about }) => about.namespace === mine),
    logs: snapshot.logs.filter(({ namespace }) => namespace === mine),
    listings: [...kinds.values()].flatMap(({ group, kind }) => [
      { group, kind, namespace: '', listing: 'forbidden' as const, because: 'forbidden' },
      { group, kind, namespace: mine, listing: 'complete' as const, because: '' },
    ]),
  };
}

/** The same number for the same text, evenly spread (FNV-1a). */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
