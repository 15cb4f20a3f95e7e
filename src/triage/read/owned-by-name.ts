import type { KubeObject } from '../../model/kubernetes/index.js';

/** Which kind creates which, and the suffix after the owner's name in the created object. */
const MAKERS: readonly { readonly made: string; readonly maker: string; readonly end: RegExp }[] = [
  { made: 'Pod', maker: 'ReplicaSet', end: /^-[a-z0-9]{1,5}$/ },
  { made: 'Pod', maker: 'StatefulSet', end: /^-\d+$/ },
  { made: 'Pod', maker: 'DaemonSet', end: /^-[a-z0-9]{1,5}$/ },
  { made: 'Pod', maker: 'Job', end: /^-[a-z0-9]{1,5}$/ },
  { made: 'ReplicaSet', maker: 'Deployment', end: /^-[a-z0-9]{1,10}$/ },
  { made: 'Job', maker: 'CronJob', end: /^-\d{4,10}$/ },
];

/**
 * Tables have no owner references; names show the owner if it is in the same text. Returns the objects with the owners
 * found.
 */
export function ownedByName(objects: readonly KubeObject[]): KubeObject[] {
  const byName = new Map(
    objects.map((object) => [
      `${object.kind}/${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`,
      object,
    ]),
  );
  return objects.map((object) => {
    const { name = '', namespace = '', ownerReferences } = object.metadata;
    if (ownerReferences !== undefined) return object;
    const [owner] = MAKERS.filter(({ made }) => made === object.kind).flatMap(({ maker, end }) => {
      const cut = name.lastIndexOf('-');
      return cut > 0 && end.test(name.slice(cut))
        ? (byName.get(`${maker}/${namespace}/${name.slice(0, cut)}`) ?? [])
        : [];
    });
    return owner === undefined
      ? object
      : {
          ...object,
          metadata: {
            ...object.metadata,
            ownerReferences: [
              {
                apiVersion: owner.apiVersion,
                kind: owner.kind,
                name: owner.metadata.name ?? '',
                uid: '',
                controller: true,
              },
            ],
          },
        };
  });
}

/** Characters of the names that controllers make: no vowels, and nothing that looks like another. */
const MADE = /^(.+)-([bcdfghjklmnpqrstvwxz2456789]{6,10})-([bcdfghjklmnpqrstvwxz2456789]{5})$/;

/**
 * Pods of a Deployment show it in their names. Where a text has no more of it than that, its ReplicaSet and itself are
 * known by name alone: the pods are then one workload.
 */
export function withImpliedOwners(objects: readonly KubeObject[]): KubeObject[] {
  const known = new Set(
    objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
  );
  const implied = new Map<string, KubeObject>();
  for (const { kind, metadata } of objects) {
    const [, name = '', hash = ''] = kind === 'Pod' ? (MADE.exec(metadata.name ?? '') ?? []) : [];
    if (name === '' || metadata.ownerReferences !== undefined || !/\d/.test(hash)) continue;
    for (const [maker, called] of [
      ['ReplicaSet', `${name}-${hash}`],
      ['Deployment', name],
    ] as const) {
      const id = `${maker}/${metadata.namespace ?? ''}/${called}`;
      if (known.has(id)) continue;
      implied.set(id, {
        apiVersion: 'apps/v1',
        kind: maker,
        metadata: { name: called, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) },
        unseen: ['metadata.labels', 'spec.template', 'status'],
      });
    }
  }
  return [...objects, ...implied.values()];
}
