import { expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { acceptNames } from './accept-names.js';
import { CRD_STRATEGY } from './crd-strategy.js';

const NOW = '2026-01-01T00:00:00Z';

function crd(plural: string, names: JsonObject = {}, spec: JsonObject = {}): KubeObject {
  const created: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.sea.example.com`, generation: 1 },
    spec: {
      group: 'sea.example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Boat', ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      ...spec,
    },
  };
  CRD_STRATEGY.defaults?.(created);
  CRD_STRATEGY.prepareCreate?.(created);
  return created;
}

it('names that are left out follow from the kind', () => {
  expect(crd('boats')['spec']).toMatchObject({
    names: { singular: 'boat', listKind: 'BoatList' },
    conversion: { strategy: 'None' },
  });
});

it('a new CRD has the status that the real server gives it', () => {
  expect(crd('boats')['status']).toEqual({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: ['v1'],
  });
});

it('free names are accepted and the CRD is established', () => {
  expect(acceptNames(crd('boats', { shortNames: ['bo'] }), [], NOW)).toEqual({
    conditions: [
      {
        type: 'NamesAccepted',
        status: 'True',
        lastTransitionTime: NOW,
        reason: 'NoConflicts',
        message: 'no conflicts found',
      },
      {
        type: 'Established',
        status: 'True',
        lastTransitionTime: NOW,
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ],
    acceptedNames: { plural: 'boats', singular: 'boat', shortNames: ['bo'], kind: 'Boat', listKind: 'BoatList' },
    storedVersions: ['v1'],
  });
});

it('a kind that another CRD of the group has is rejected', () => {
  const first = crd('boats');
  first['status'] = acceptNames(first, [], NOW);
  const status = acceptNames(crd('ships'), [first], NOW);
  expect(status.conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'False', reason: 'ListKindConflict', message: '"BoatList" is already in use' },
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ]);
  expect(status.acceptedNames).toMatchObject({ plural: 'ships', kind: '' });
});

it('a status that is settled stays as it is', () => {
  const settled = crd('boats');
  settled['status'] = acceptNames(settled, [], NOW);
  expect(acceptNames(settled, [], '2027-01-01T00:00:00Z')).toEqual(settled['status']);
});

it('a conversion webhook is rejected with a reason', () => {
  const webhook = crd(
    'boats',
    {},
    {
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x.example.com' } },
      },
    },
  );
  expect(CRD_STRATEGY.validate?.(webhook)).toMatchObject([
    {
      field: 'spec.conversion.strategy',
      type: 'FieldValueInvalid',
      detail: expect.stringContaining('Argosy cannot call conversion webhooks yet') as string,
    },
  ]);
});

it('kind, scope, group and plural of an established CRD do not change', () => {
  const old = crd('boats');
  old['status'] = acceptNames(old, [], NOW);
  const next = crd('boats', { kind: 'Ship' }, { scope: 'Cluster' });
  next['status'] = old['status'] ?? null;
  expect(CRD_STRATEGY.validateUpdate?.(next, old).map(({ field, detail }) => `${field}: ${detail}`)).toEqual([
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Ship": field is immutable',
  ]);
});

it('a version that was stored must stay until its objects are migrated', () => {
  const old = crd('boats');
  const next = crd(
    'boats',
    {},
    { versions: [{ name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] },
  );
  CRD_STRATEGY.prepareUpdate?.(next, old);
  expect(next['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
  expect(CRD_STRATEGY.validateUpdate?.(next, old)).toMatchObject([{ field: 'status.storedVersions[0]' }]);
});

it('deleting keeps the CRD until its objects are gone', () => {
  const current = crd('boats');
  const next = structuredClone(current);
  CRD_STRATEGY.beginDelete?.(next, current, NOW);
  expect(next.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
  expect(next['status']).toMatchObject({
    conditions: [{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' }],
  });
});
