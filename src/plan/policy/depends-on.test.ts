import { describe, expect, it } from 'vitest';
import { parseApplication, type Application } from '../../model/argo/index.js';
import type { JsonObject } from '../../model/json/index.js';
import {
  DEPENDS_ON,
  checkDependencies,
  dependsOn,
  findDependencyCycle,
  type DependencyState,
  type FindApplication,
} from './depends-on.js';

const SPEC = {
  project: 'default',
  source: { repoURL: 'https://git.example/shop', path: 'x', targetRevision: '' },
  destination: { server: 'https://prod.example', namespace: 'shop' },
};
const READY: JsonObject = {
  sync: {
    status: 'Synced',
    comparedTo: {
      source: { repoURL: 'https://git.example/shop', path: 'x' },
      destination: { server: 'https://prod.example', namespace: 'shop' },
    },
  },
  health: { status: 'Healthy' },
};

function app(
  name: string,
  needs = '',
  status: JsonObject = READY,
  more: JsonObject = {},
  namespace = 'argocd',
): Application {
  const annotations = needs === '' ? {} : { [DEPENDS_ON]: needs };
  return parseApplication({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, annotations, ...(more.metadata as JsonObject | undefined) },
    spec: SPEC,
    status,
    ...(more.operation === undefined ? {} : { operation: more.operation }),
  });
}

const among = (...apps: Application[]): FindApplication => {
  const all = new Map(apps.map((each) => [`${each.namespace}/${each.name}`, each]));
  return ({ namespace, name }) => all.get(`${namespace}/${name}`);
};

const verdict = (needs: string, ...others: Application[]): DependencyState => {
  const me = app('me', needs);
  return checkDependencies(me, among(me, ...others));
};

describe('dependencies between applications', () => {
  it('are a list of names, in the namespace of the application unless it says otherwise', () => {
    expect(dependsOn(app('me', ' db , team-a/queue,db ,, a/b/c'))).toEqual({
      names: [
        { namespace: 'argocd', name: 'db' },
        { namespace: 'team-a', name: 'queue' },
      ],
      wrong: ['a/b/c'],
    });
  });

  it('are ready when there are none, or when all are Synced and Healthy', () => {
    expect(verdict('')).toEqual({ kind: 'ready' });
    expect(verdict('db,team-a/queue', app('db'), app('queue', '', READY, {}, 'team-a'))).toEqual({ kind: 'ready' });
  });

  it('are waited for, each with its reason', () => {
    const sync = READY.sync as JsonObject;
    expect(
      verdict(
        'gone, fresh, drifted, ill, busy, leaving, asked, team-a/elsewhere',
        app('fresh', '', {}),
        app('drifted', '', { ...READY, sync: { ...sync, status: 'OutOfSync' } }),
        app('ill', '', { ...READY, health: { status: 'Degraded' } }),
        app('busy', '', { ...READY, operationState: { phase: 'Running' } }),
        app('leaving', '', READY, { metadata: { deletionTimestamp: '2026-03-02T10:00:00Z' } }),
        app('asked', '', READY, { operation: { sync: {} } }),
      ),
    ).toMatchObject({
      kind: 'waits',
      message:
        'waiting for application gone (does not exist), application fresh (was not compared yet as it is ' +
        'specified now), application drifted (OutOfSync), application ill (Degraded), ' +
        ('application busy (is being synced), application leaving (is being deleted), application asked (is ' +
          'being synced), application team-a/elsewhere (does not exist)'),
    });
  });

  it('are not ready by a verdict from before their last change', () => {
    const other = {
      ...READY,
      sync: {
        status: 'Synced',
        comparedTo: { source: { repoURL: 'https://git.example/shop', path: 'old' }, destination: SPEC.destination },
      },
    };
    expect(verdict('db', app('db', '', other))).toMatchObject({
      kind: 'waits',
      message: 'waiting for application db (was not compared yet as it is specified now)',
    });
  });

  it('name a circle', () => {
    expect(verdict('a', app('a', 'b'), app('b', 'me'))).toEqual({
      kind: 'broken',
      condition: {
        type: 'SyncError',
        message: 'argosy.dev/depends-on goes in a circle: me -> a -> b -> me. Remove one of these dependencies',
      },
    });
    expect(verdict('me')).toMatchObject({
      kind: 'broken',
      condition: { message: 'argosy.dev/depends-on goes in a circle: me -> me. Remove one of these dependencies' },
    });
    expect(
      verdict('a', app('a', 'team-a/b'), app('b', 'c', READY, {}, 'team-a'), app('c', 'b', READY, {}, 'team-a')),
    ).toMatchObject({
      condition: {
        message:
          'argosy.dev/depends-on goes in a circle: team-a/b -> team-a/c -> team-a/b. Remove one of these dependencies',
      },
    });
  });

  it('say which word is no name', () => {
    expect(verdict('a/b/c')).toEqual({
      kind: 'broken',
      condition: {
        type: 'SyncError',
        message: 'argosy.dev/depends-on has "a/b/c", which is no [namespace/]name of an Application',
      },
    });
  });

  it('may share a dependency, and be many', () => {
    expect(verdict('a,b', app('a', 'c'), app('b', 'c'), app('c'))).toEqual({ kind: 'ready' });
    const chain = Array.from({ length: 2000 }, (_, index) => app(`n${index}`, `n${index + 1}`));
    const find = among(...chain, app('n2000', 'n0'));
    const [first] = chain;
    expect(first && findDependencyCycle(first, find)).toHaveLength(2002);
  });
});
