import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { realParts } from '../real/parts.js';
import { describeCall } from './api-call.js';
import { isCreation } from './audit-log.js';
import { HookPlayer, MANAGED_BY, OUTCOME } from './hook-player.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { CONFIG_MAPS, JOBS } from '../../src/model/resources/index.js';

const parts = await realParts();

it.each([
  ['GET', '/api/v1/configmaps?limit=500', 'list configmaps'],
  ['GET', '/api/v1/namespaces/a/configmaps?watch=true', 'watch a configmaps'],
  ['GET', '/api/v1/namespaces/a', 'get namespaces a'],
  ['PUT', '/api/v1/namespaces/a/status', 'update namespaces a status'],
  [
    'PATCH',
    '/apis/apps/v1/namespaces/a/deployments/web?fieldManager=argosy&dryRun=All',
    'patch a apps deployments web dry',
  ],
  ['DELETE', '/apis/batch/v1/namespaces/a/jobs/b', 'delete a batch jobs b'],
  ['GET', '/apis', 'discovery'],
])('the proxy reads %s %s as the server does', (method, path, expected) => {
  const { verb, namespace, group, resource, name, subresource, isDryRun } = describeCall(method, path);
  expect(
    [verb, namespace, group, resource, name, subresource, isDryRun ? 'dry' : '']
      .filter((word) => word !== '')
      .join(' '),
  ).toBe(expected);
});

// The instruments of the trials, tried with a plain client in place of the controller.
describe('the instruments', () => {
  if (parts.kind === 'missing') {
    it.skip(`skipped: kube-apiserver (${parts.reason})`, () => {
      /* the name says why */
    });
    return;
  }
  let lab: Lab;
  let seat: ControllerIdentity;
  let client: Cluster;
  beforeAll(async () => {
    lab = await Lab.open();
    seat = await lab.createIdentity();
    const config = await loadKubeconfig({ path: seat.kubeconfig, environment: {}, defaultPath: '' });
    client = connect(
      config,
      { clock: systemClock, random: Math.random, report: () => undefined },
      { version: 'test', environment: {} },
    );
    lab.onClose(() => client.close());
  }, 20 * 60_000);
  afterAll(() => lab.close());

  const made = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { a: 'b' },
  });

  it('the audit log names who made what, and how often', async () => {
    const mark = lab.audit.read().length;
    await client.apply(CONFIG_MAPS, made('counted'));
    await client.apply(CONFIG_MAPS, made('counted'));
    await client.apply(CONFIG_MAPS, made('tried'), { dryRun: true });
    const creations = (await lab.settle(mark)).filter(isCreation).filter(({ user }) => user === seat.user);
    expect(creations.map(({ verb, namespace, name }) => `${verb} ${namespace}/${name}`)).toEqual([
      'patch default/counted',
    ]);
  });

  it('a reply can be lost after the server did what it was asked', async () => {
    seat.proxy.decide = ({ verb }) => (verb === 'patch' ? { kind: 'reset', when: 'after' } : { kind: 'none' });
    await expect(client.apply(CONFIG_MAPS, made('lost-reply'), { limits: { tries: 1 } })).rejects.toThrow();
    seat.proxy.decide = () => ({ kind: 'none' });
    expect(await lab.cluster.get(CONFIG_MAPS, { namespace: 'default', name: 'lost-reply' })).toBeDefined();
  });

  it.each([
    ['a reset', { kind: 'reset', when: 'before' }],
    ['half an answer', { kind: 'truncate' }],
    ['wrong JSON', { kind: 'replace', change: () => Buffer.from('{"kind":') }],
    ['503', { kind: 'answer', status: 503, body: '{"kind":"Status","apiVersion":"v1","status":"Failure","code":503}' }],
    ['silence', { kind: 'hang', ms: 100 }],
    ['one byte a second', { kind: 'drip', ms: 100 }],
  ] as const)('%s is what the client gets', async (_, damage) => {
    seat.proxy.decide = () => damage;
    await expect(
      client.get(CONFIG_MAPS, { namespace: 'default', name: 'counted' }, { limits: { tries: 1, timeout: 2000 } }),
    ).rejects.toThrow();
    seat.proxy.decide = () => ({ kind: 'none' });
    expect((await client.get(CONFIG_MAPS, { namespace: 'default', name: 'counted' }))?.metadata.name).toBe('counted');
  });

  it('Jobs end as their annotation says', async () => {
    await HookPlayer.start(lab);
    const job = (name: string, outcome: string): KubeObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace: 'default', annotations: { [OUTCOME]: outcome } },
      spec: {
        managedBy: MANAGED_BY,
        backoffLimit: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } },
      },
    });
    await lab.cluster.create(JOBS, job('good', 'succeed'));
    await lab.cluster.create(JOBS, job('bad', 'fail'));
    const conditions = async (name: string): Promise<string> =>
      JSON.stringify((await lab.cluster.get(JOBS, { namespace: 'default', name }))?.status ?? {});
    await lab.until(
      'both ended',
      async () => (await conditions('good')).includes('"Complete"') && (await conditions('bad')).includes('"Failed"'),
    );
  });

  it('a repository can be committed to, lose a branch, and vanish', () => {
    const repository = lab.repository();
    const first = repository.commit({ 'a.yaml': 'a: 1\n' });
    const second = repository.commit({ 'a.yaml': 'a: 2\n', 'b.yaml': 'b: 1\n' });
    expect(second).not.toBe(first);
    repository.commit({ 'c.yaml': '' }, 'side');
    repository.setBranch('side', undefined);
    expect(repository.has('side')).toBe(false);
    const back = repository.takeAway();
    expect(() => repository.head()).toThrow();
    back();
    expect(repository.head()).toBe(second);
  });
});
