import { describe, expect, it } from 'vitest';
import { readSettings } from '../../model/settings/index.js';
import type { KubeObject, ObjectMeta } from '../../model/kubernetes/index.js';
import {
  INSTALLATION_ID,
  ownerOf,
  parseTrackingId,
  isSelfReferenced,
  track,
  TRACKING_ID,
  trackingId,
  trackingOf,
  type Tracking,
} from './tracking.js';

const tracking = (part: Partial<Tracking> = {}): Tracking => ({
  method: 'annotation',
  labelKey: 'app.kubernetes.io/instance',
  installationId: '',
  ...part,
});
const map = (metadata: ObjectMeta): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
};
const role: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'system:aggregate:reader' },
};

describe('tracking ids', () => {
  it.each([
    ['shop:/ConfigMap:prod/a', map({ name: 'a', namespace: 'prod' })],
    ['shop:/ConfigMap:here/a', map({ name: 'a' })],
    ['shop:rbac.authorization.k8s.io/ClusterRole:here/system:aggregate:reader', role],
  ])('%s is written and read back', (id, object) => {
    expect(trackingId('shop', object, 'here')).toBe(id);
    const { group, kind } = { group: id.split(':')[1]?.split('/')[0], kind: object.kind };
    expect(parseTrackingId(id)).toEqual({
      application: 'shop',
      key: { group, kind, namespace: object.metadata.namespace ?? 'here', name: object.metadata.name },
    });
  });

  it.each(['', 'shop', 'shop:ConfigMap', ':/ConfigMap:a/b', 'shop:/:a/b', 'shop:/ConfigMap:a', '/ConfigMap:a/b'])(
    '"%s" is none',
    (id) => {
      expect(parseTrackingId(id)).toBeUndefined();
      expect(ownerOf(map({ name: 'a', annotations: { [TRACKING_ID]: id } }), tracking())).toBeUndefined();
    },
  );
});

describe('tracking an object', () => {
  it('by annotation leaves its labels alone', () => {
    const object = map({
      name: 'a',
      namespace: 'prod',
      labels: { 'app.kubernetes.io/instance': 'theirs' },
      annotations: { note: 'x' },
    });
    expect(track(object, 'shop', 'prod', tracking()).metadata).toEqual({
      ...object.metadata,
      annotations: { note: 'x', [TRACKING_ID]: 'shop:/ConfigMap:prod/a' },
    });
  });

  it('by label writes the whole name and no annotation', () => {
    const name = 'a'.repeat(70);
    expect(
      track(map({ name: 'a' }), name, 'prod', tracking({ method: 'label', labelKey: 'example.com/app' })).metadata,
    ).toEqual({ name: 'a', labels: { 'example.com/app': name } });
  });

  it.each([
    ['a'.repeat(63), 'a'.repeat(63)],
    [`${'a'.repeat(63)}b`, 'a'.repeat(63)],
    [`${'a'.repeat(60)}-._bc`, 'a'.repeat(60)],
  ])('by both, %s is shortened to what a label may be', (name, label) => {
    const { labels, annotations } = track(
      map({ name: 'a' }),
      name,
      'prod',
      tracking({ method: 'annotation+label' }),
    ).metadata;
    expect(labels).toEqual({ 'app.kubernetes.io/instance': label });
    expect(annotations).toEqual({ [TRACKING_ID]: `${name}:/ConfigMap:prod/a` });
  });

  it.each(['annotation', 'label', 'annotation+label'] as const)(
    'by %s never marks a definition, which is therefore never pruned',
    (method) => {
      expect(track(crd, 'shop', 'prod', tracking({ method, installationId: 'one' }))).toBe(crd);
    },
  );

  it('writes the installation id, and drops a copied one', () => {
    const copied = map({
      name: 'a',
      annotations: { [INSTALLATION_ID]: 'theirs', [TRACKING_ID]: 'other:/ConfigMap:prod/a' },
    });
    expect(track(copied, 'shop', 'prod', tracking({ installationId: 'ours' })).metadata.annotations).toEqual({
      [INSTALLATION_ID]: 'ours',
      [TRACKING_ID]: 'shop:/ConfigMap:prod/a',
    });
    expect(track(copied, 'shop', 'prod', tracking()).metadata.annotations).toEqual({
      [TRACKING_ID]: 'shop:/ConfigMap:prod/a',
    });
  });

  it('does not change its argument', () => {
    const object = map({ name: 'a', labels: {}, annotations: {} });
    track(object, 'shop', 'prod', tracking({ method: 'annotation+label' }));
    expect(object).toEqual(map({ name: 'a', labels: {}, annotations: {} }));
  });
});

describe('the owner of an object', () => {
  const marked = map({
    name: 'a',
    namespace: 'prod',
    labels: { 'app.kubernetes.io/instance': 'by-label' },
    annotations: { [TRACKING_ID]: 'by-id:/ConfigMap:prod/a' },
  });

  it('is read from annotation or label, as the settings say', () => {
    expect(ownerOf(marked, tracking())).toBe('by-id');
    expect(ownerOf(marked, tracking({ method: 'annotation+label' }))).toBe('by-id');
    expect(ownerOf(marked, tracking({ method: 'label' }))).toBe('by-label');
    expect(ownerOf(marked, tracking({ method: 'label', labelKey: 'example.com/app' }))).toBeUndefined();
  });

  it('is undefined without annotation, or with an empty label', () => {
    expect(ownerOf(map({ name: 'a' }), tracking())).toBeUndefined();
    expect(ownerOf(map({ name: 'a', labels: { 'app.kubernetes.io/instance': 'chart' } }), tracking())).toBeUndefined();
    expect(
      ownerOf(map({ name: 'a', labels: { 'app.kubernetes.io/instance': '' } }), tracking({ method: 'label' })),
    ).toBeUndefined();
  });

  it('is undefined for an object of another installation', () => {
    const theirs = map({
      name: 'a',
      annotations: { [TRACKING_ID]: 'shop:/ConfigMap:prod/a', [INSTALLATION_ID]: 'theirs' },
    });
    expect(ownerOf(theirs, tracking())).toBeUndefined();
    expect(ownerOf(theirs, tracking({ installationId: 'ours' }))).toBeUndefined();
    expect(ownerOf(theirs, tracking({ installationId: 'theirs' }))).toBe('shop');
    expect(ownerOf(marked, tracking({ installationId: 'ours' }))).toBeUndefined();
  });
});

describe('a copied tracking id', () => {
  const place = { name: 'a', namespace: 'prod' };
  const carrying = (id: string, metadata: ObjectMeta = place): KubeObject =>
    map({ ...metadata, annotations: { [TRACKING_ID]: id } });

  it('differs by name, namespace, kind or group', () => {
    for (const id of [
      'shop:/ConfigMap:prod/b',
      'shop:/ConfigMap:test/a',
      'shop:/Secret:prod/a',
      'shop:apps/ConfigMap:prod/a',
    ])
      expect(isSelfReferenced(carrying(id), tracking())).toBe(false);
    expect(isSelfReferenced(carrying('shop:/ConfigMap:prod/a'), tracking())).toBe(true);
  });

  it('is the own one for cluster-scoped objects, whatever the destination is', () => {
    expect(
      isSelfReferenced(
        {
          ...role,
          metadata: {
            ...role.metadata,
            annotations: {
              [TRACKING_ID]: 'shop:rbac.authorization.k8s.io/ClusterRole:anywhere/system:aggregate:reader',
            },
          },
        },
        tracking(),
      ),
    ).toBe(true);
  });

  it('does not count with label tracking, or if it is invalid', () => {
    expect(isSelfReferenced(carrying('shop:/ConfigMap:prod/b'), tracking({ method: 'label' }))).toBe(true);
    expect(isSelfReferenced(carrying('nonsense'), tracking())).toBe(true);
    expect(isSelfReferenced(map(place), tracking())).toBe(true);
  });
});

it('the tracking method comes from the settings', () => {
  const cm = new Map([
    ['application.resourceTrackingMethod', 'annotation+label'],
    ['application.instanceLabelKey', 'example.com/app'],
    ['installationID', 'north'],
  ]);
  expect(trackingOf(readSettings({ cm, rbac: new Map(), cmdParams: new Map(), environment: {} }))).toEqual({
    method: 'annotation+label',
    labelKey: 'example.com/app',
    installationId: 'north',
  });
});
