import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab, type Ran } from '../cli/app-lab.js';
import { isObject, objectsAt, textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CRDS,
  DEPLOYMENTS,
  NAMESPACES,
  ROLES,
  ROLE_BINDINGS,
  SECRETS,
  STATEFUL_SETS,
} from '../../src/model/resources/index.js';
import { readYaml } from '../../src/model/yaml/index.js';

const NOW = { now: Date.now };
let lab: AppLab;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'argosy-install-'));
  lab = await openAppLab({ controllers: true });
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...argv: string[]): Promise<Ran> => lab.run(argv, NOW);

/** Rows of doctor that are not ok; the pods of a simulated node serve nothing. */
async function complaints(): Promise<string[]> {
  const { out } = await run('doctor');
  return out
    .split('\n')
    .filter(
      (line) => / {2}(failed|warning|unknown) {2}/.test(line) && !/^(port|certificate of the server) /.test(line),
    );
}

async function rule(role: string, namespace: string): Promise<KubeObject | undefined> {
  return lab.cluster.get(ROLES, { namespace, name: role });
}

describe('an installation', () => {
  it('is printed as YAML without a cluster, definitions first', async () => {
    const { code, out } = await run('install', '-o', 'yaml', '--ha', '2');
    const kinds = readYaml(out, { dialect: 'kubernetes', file: 'printed' }).map(({ value }) => textAt(value, 'kind'));
    expect(code).toBe(0);
    expect(kinds.slice(0, 6)).toEqual([...Array.from({ length: 5 }, () => 'CustomResourceDefinition'), 'Namespace']);
    expect(kinds.filter((kind) => kind === 'PodDisruptionBudget')).toHaveLength(2);
  });

  it('is applied to a namespace that exists, and its pods satisfy the standard restricted', async () => {
    const enforced = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const body = { metadata: { labels: enforced } };
    await lab.cluster.patch(NAMESPACES, { name: 'argocd' }, { type: 'merge', body });
    const { code, out, err } = await run('install', '-o', 'apply', '--ha', '2');
    expect([code, err]).toEqual([0, expect.stringContaining('context')]);
    expect(out).toContain('CustomResourceDefinition applications.argoproj.io');
    expect(out).toContain('Argosy is available in namespace argocd.');
    const deployment = await lab.cluster.get(DEPLOYMENTS, { namespace: 'argocd', name: 'argosy-controller' });
    expect(deployment?.status).toMatchObject({ availableReplicas: 2 });
  });

  it('is the same when it is applied again', async () => {
    const { code, out } = await run('install', '-o', 'apply', '--ha', '2');
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => /created|configured|deleted/.test(line))).toEqual([]);
  });

  it('is sound for doctor, which repairs a role that somebody emptied', async () => {
    expect(await complaints()).toEqual([]);
    const role = await lab.cluster.get(CLUSTER_ROLES, { name: 'argosy-controller-argocd' });
    if (role === undefined) throw new Error('no role');
    await lab.cluster.update(CLUSTER_ROLES, { ...role, rules: [] });
    const sick = await run('doctor');
    expect(sick.code).toBe(1);
    expect(sick.out).toMatch(/rights of argosy-controller +failed +missing in the cluster: \* \*\.\*/);
    expect(sick.out).toMatch(/object .*argosy-controller-argocd +warning +changed by hand: rules/);
    const { out } = await run('doctor', '-o', 'yaml');
    for (const { value } of readYaml(out, { dialect: 'kubernetes', file: 'doctor' }))
      if (isObject(value) && value.kind === 'ClusterRole')
        await lab.cluster.apply(CLUSTER_ROLES, value as KubeObject, { force: true });
    expect(await complaints()).toEqual([]);
  });

  it('is upgraded with its values, and roles of the rights that it has no more go', async () => {
    const { code, out, err } = await run('upgrade', '--rights', 'narrow', '--deliver-to', 'shop,team', '--shards', '2');
    expect([code, err]).toEqual([0, expect.stringContaining('context')]);
    expect(out).toContain('upgrade of argocd from 1.2.3 to 1.2.3');
    expect(out).toMatch(/ClusterRole argosy-controller-argocd deleted/);
    expect(await lab.cluster.get(DEPLOYMENTS, { namespace: 'argocd', name: 'argosy-controller' })).toBeUndefined();
    const set = await lab.cluster.get(STATEFUL_SETS, { namespace: 'argocd', name: 'argosy-controller' });
    expect(set?.spec).toMatchObject({ replicas: 2 });
    // The values of the first installation still hold.
    const server = await lab.cluster.get(DEPLOYMENTS, { namespace: 'argocd', name: 'argosy-server' });
    expect(server?.spec).toMatchObject({ replicas: 2 });
    expect(await rule('argosy-controller-argocd-delivery', 'shop')).toBeDefined();
    expect(await complaints()).toEqual([]);
  });

  it('lacks a right that is taken away while it runs: doctor names it and prints the role', async () => {
    const role = await rule('argosy-controller', 'argocd');
    if (role === undefined) throw new Error('no role');
    const rules = objectsAt(role, 'rules').filter((each) => !JSON.stringify(each).includes('leases'));
    await lab.cluster.update(ROLES, { ...role, rules });
    const { code, out } = await run('doctor');
    expect(code).toBe(1);
    expect(out).toContain(
      'missing in namespace argocd: get leases.coordination.k8s.io, create leases.coordination.k8s.io',
    );
    expect(out).toContain('kind: RoleBinding');
    expect(out).toContain('argosy doctor -o yaml | kubectl apply --server-side --force-conflicts -f -');
    expect(
      (await run('install', '-o', 'apply', '--rights', 'narrow', '--deliver-to', 'shop,team', '--force-conflicts'))
        .code,
    ).toBe(0);
  });

  it('keeps a definition that somebody else installed', async () => {
    const { code, out, err } = await run('install', '-o', 'apply', '--rights', 'narrow', '--deliver-to', 'shop');
    expect([code, err]).toEqual([0, expect.stringContaining('context')]);
    expect(out).toMatch(/CustomResourceDefinition applications\.argoproj\.io (unchanged|kept)/);
    expect(
      await lab.cluster.get(ROLE_BINDINGS, { namespace: 'team', name: 'argosy-controller-argocd-delivery' }),
    ).toBeUndefined();
  });

  it('goes away, and what people have stays', async () => {
    await lab.create('web');
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'argocd-cm', namespace: 'argocd' } };
    await lab.cluster.create(CONFIG_MAPS, settings);
    const dry = await run('uninstall', '--dry-run');
    expect(dry.out).toContain('Deployment argocd/argosy-server would be deleted');
    expect((await run('uninstall', '--yes')).code).toBe(0);
    expect(await lab.cluster.get(DEPLOYMENTS, { namespace: 'argocd', name: 'argosy-server' })).toBeUndefined();
    expect(await lab.cluster.get(SECRETS, { namespace: 'argocd', name: 'cluster-in-cluster' })).toBeUndefined();
    expect(await lab.get('web')).toBeDefined();
    expect(await lab.cluster.get(CONFIG_MAPS, { namespace: 'argocd', name: 'argocd-cm' })).toBeDefined();
    expect(await lab.cluster.get(CRDS, { name: 'applications.argoproj.io' })).toBeDefined();
    const again = await run('uninstall', '--yes');
    expect([again.code, again.err]).toEqual([20, expect.stringContaining('there is no installation of Argosy')]);
    expect((await run('doctor')).out).toContain('argosy install -n argocd -o apply');
  });
});

describe('bad input of an installation', () => {
  it.each([
    ['the namespace is no name', ['--namespace', 'Argo CD'], 'is not the name of a namespace (--namespace)'],
    ['there are too many replicas', ['--ha', '12'], 'ha must be a whole number from 1 to 9, not 12'],
    ['narrow rights have no namespace', ['--rights', 'narrow'], 'namespaces must name those that may be delivered to'],
    [
      'the image has a space',
      ['--image', 'my image'],
      'image must be an image, such as registry.example.com/argosy:1.2.3',
    ],
  ])('%s', async (_, flags, words) => {
    const { code, err } = await run('install', '-o', 'yaml', ...flags);
    expect([code, err]).toEqual([20, expect.stringContaining(words)]);
  });

  it.each([
    ['a value of the wrong type', 'ha: many', 'ha must be a whole number from 1 to 9, not "many"'],
    ['a value of the wrong type inside', 'tls: yes please', 'tls must be an object, not "yes please"'],
    ['a value that there is not', 'server: {replicas: 2}', 'server.replicas is not a value of an installation'],
    [
      'resources that are none',
      'server: {resources: {limits: {memory: much}}}',
      'server.resources.limits.memory must be a quantity',
    ],
    ['a list', '[]', 'values are names with values'],
    ['no YAML', 'a: [', 'values.yaml'],
  ])('%s', async (_, text, words) => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, text);
    const { code, err } = await run('install', '-o', 'yaml', '-f', file);
    expect([code, err]).toEqual([20, expect.stringContaining(words)]);
  });

  it('a kind that the cluster does not have is said before anything is written', async () => {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, 'route: {enabled: true}');
    const { code, err } = await run('install', '-o', 'apply', '-f', file, '--namespace', 'fresh');
    expect([code, err]).toEqual([
      20,
      expect.stringContaining('the cluster does not know Route of route.openshift.io/v1'),
    ]);
    expect(await lab.cluster.get(NAMESPACES, { name: 'fresh' })).toBeUndefined();
  });
});
