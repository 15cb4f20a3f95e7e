import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { planApplications, type SetPlan, type SetPlanInput } from './plan-applications.js';

const SET: KubeObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'set', namespace: 'argocd', uid: 'set-uid' },
  spec: {},
};
const OWNER = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  name: 'set',
  uid: 'set-uid',
  controller: true,
  blockOwnerDeletion: true,
};
const SPEC: JsonObject = { project: 'default', source: { repoURL: 'https://git.example.com/a.git', path: 'a' } };

const application = (name: string, metadata: KubeObject['metadata'] = {}, spec: JsonObject = SPEC): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', ...metadata },
  spec,
});
const owned = (name: string, metadata: KubeObject['metadata'] = {}, spec: JsonObject = SPEC): KubeObject =>
  application(name, { uid: `${name}-uid`, ownerReferences: [OWNER], ...metadata }, spec);

function plan(
  generated: readonly KubeObject[],
  live: readonly KubeObject[],
  more: Partial<SetPlanInput> = {},
): SetPlan {
  return planApplications({
    set: SET,
    generated,
    live,
    policy: { mayUpdate: true, mayDelete: true, preservesResources: false },
    preserved: { annotations: [], labels: [] },
    findViolation: () => undefined,
    hasCluster: () => true,
    ...more,
  });
}

describe('the plan of a set', () => {
  it('creates what is missing, owned by the set', () => {
    expect(plan([application('a')], []).create).toEqual([application('a', { ownerReferences: [OWNER] })]);
  });

  it('changes nothing where only the way to write it differs', () => {
    const generated = application(
      'a',
      {},
      {
        ...SPEC,
        project: '',
        syncPolicy: {},
        source: { ...(SPEC.source as JsonObject), helm: { parameters: [] }, kustomize: {} },
      },
    );
    expect(plan([generated], [owned('a', { annotations: {}, labels: {} })])).toEqual({
      create: [],
      update: [],
      remove: [],
      rejected: [],
    });
  });

  it('adopts an Application that belongs to nobody, and refuses one of somebody else', () => {
    const other = { ...OWNER, uid: 'other', name: 'other' };
    const { update, rejected } = plan(
      [application('free'), application('taken')],
      [application('free', { uid: '1' }), application('taken', { uid: '2', ownerReferences: [other] })],
    );
    expect(update.map(({ patch }) => patch)).toEqual([{ metadata: { ownerReferences: [OWNER] } }]);
    expect(rejected).toEqual([{ name: 'taken', message: 'Application taken belongs to ApplicationSet other' }]);
  });

  it('takes nothing over that belongs to another project', () => {
    const { update, rejected } = plan(
      [application('a')],
      [application('a', { uid: '1' }, { ...SPEC, project: 'bank' })],
    );
    expect(update).toEqual([]);
    expect(rejected).toEqual([{ name: 'a', message: 'Application a exists already and belongs to another project' }]);
  });

  it('keeps finalizers of deletion hooks and annotations of controllers, and takes others back', () => {
    const live = owned('a', {
      finalizers: ['post-delete-finalizer.argocd.argoproj.io/cleanup', 'stranger'],
      annotations: { 'argocd.argoproj.io/refresh': 'hard', 'notified.notifications.argoproj.io': '{}', note: 'x' },
    });
    expect(
      plan([application('a', { finalizers: ['resources-finalizer.argocd.argoproj.io'] })], [live]).update.map(
        ({ patch }) => patch,
      ),
    ).toEqual([
      {
        metadata: {
          annotations: { note: null },
          finalizers: ['resources-finalizer.argocd.argoproj.io', 'post-delete-finalizer.argocd.argoproj.io/cleanup'],
        },
      },
    ]);
  });

  it('leaves alone what is being deleted', () => {
    const going = owned('a', { deletionTimestamp: '2026-01-01T00:00:00Z', labels: { x: 'y' } });
    expect(plan([application('a')], [going])).toEqual({ create: [], update: [], remove: [], rejected: [] });
    expect(plan([], [going]).remove).toEqual([]);
  });

  it('removes only its own, without what they delivered where that is preserved or cannot be reached', () => {
    const live = [owned('a'), owned('far'), application('plain', { uid: '3' })];
    expect(plan([], live, { hasCluster: ({ metadata }) => metadata.name !== 'far' }).remove).toEqual([
      { live: live[0], keepsObjects: false },
      { live: live[1], keepsObjects: true },
    ]);
    expect(
      plan([], live, { policy: { mayUpdate: true, mayDelete: true, preservesResources: true } }).remove.every(
        ({ keepsObjects }) => keepsObjects,
      ),
    ).toBe(true);
    expect(plan([], live, { policy: { mayUpdate: true, mayDelete: false, preservesResources: false } }).remove).toEqual(
      [],
    );
  });

  it('neither changes nor removes what is refused', () => {
    const changed = application('a', { labels: { new: 'yes' } });
    expect(plan([changed], [owned('a')], { findViolation: () => 'not in this project' })).toEqual({
      create: [],
      update: [],
      remove: [],
      rejected: [{ name: 'a', message: 'not in this project' }],
    });
    expect(plan([changed, changed], [owned('a')])).toEqual({
      create: [],
      update: [],
      remove: [],
      rejected: [{ name: 'a', message: 'ApplicationSet set contains applications with duplicate name: a' }],
    });
  });
});
