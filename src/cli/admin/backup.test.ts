import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab, type Ran } from '../../../contracts/cli/app-lab.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { APPLICATIONS, APP_PROJECTS, CONFIG_MAPS, SECRETS, type ResourceRef } from '../../model/resources/index.js';

const TYPE = 'argocd.argoproj.io/secret-type';
let folder: string;
let file: string;
let old: AppLab;
let fresh: AppLab;

const run = (lab: AppLab, ...argv: string[]): Promise<Ran> => lab.run(['admin', ...argv]);

function inArgocd(kind: ResourceRef, name: string, rest: object, labels: Record<string, string> = {}): KubeObject {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, metadata: { name, namespace: 'argocd', labels }, ...rest };
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'argosy-backup-'));
  file = join(folder, 'backup.yaml');
  [old, fresh] = await Promise.all([openAppLab(), openAppLab()]);
  const repository = { data: { url: encode('https://git.example.com/shop.git'), password: encode('hunter2') } };
  await old.cluster.create(
    CONFIG_MAPS,
    inArgocd(CONFIG_MAPS, 'argocd-cm', { data: { url: 'https://argosy.example.com' } }),
  );
  await old.cluster.create(CONFIG_MAPS, inArgocd(CONFIG_MAPS, 'other', { data: { a: 'b' } }));
  await old.cluster.create(SECRETS, inArgocd(SECRETS, 'repo-shop', repository, { [TYPE]: 'repository' }));
  await old.cluster.create(SECRETS, inArgocd(SECRETS, 'unrelated', { data: { a: encode('b') } }));
  await old.cluster.create(APP_PROJECTS, inArgocd(APP_PROJECTS, 'shop', { spec: { sourceRepos: ['*'] } }));
  await old.create('web', {
    finalizers: ['resources-finalizer.argocd.argoproj.io'],
    labels: { team: 'shop' },
    status: { history: [{ id: 3, revision: 'abc', deployedAt: '2026-01-01T00:00:00Z' }] },
  });
  await old.create('team-app', { namespace: 'team' });
});
afterAll(async () => {
  await Promise.all([old.close(), fresh.close()]);
  rmSync(folder, { recursive: true, force: true });
});

describe('admin export and import', () => {
  it('writes what a control plane is made of into a file that only its owner reads', async () => {
    const { code, out } = await run(old, 'export', '--out', file, '--application-namespaces', 'team');
    expect([code, out]).toEqual([0, `5 objects of namespace argocd exported to ${file}; it has every credential\n`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/unrelated|uid|resourceVersion|managedFields|name: other/);
    expect((await run(old, 'export', '--application-namespaces', 'team')).out).toBe(text);
  });

  it('restores it in an empty control plane, the history of an Application too', async () => {
    const dry = await run(fresh, 'import', file, '--dry-run');
    expect(dry.out.split('\n')[0]).toBe('ConfigMap argocd/argocd-cm created (dry run)');
    expect(await fresh.get('web')).toBeUndefined();
    expect((await run(fresh, 'import', file)).code).toBe(0);
    expect(await fresh.get('web')).toMatchObject({
      metadata: { labels: { team: 'shop' }, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
      status: { history: [{ id: 3 }] },
    });
    expect(await fresh.get('team-app', 'team')).toBeDefined();
    const secret = await fresh.cluster.get(SECRETS, { namespace: 'argocd', name: 'repo-shop' });
    expect(secret?.data).toMatchObject({ password: encode('hunter2') });
    expect((await run(fresh, 'export', '--application-namespaces', 'team')).out).toBe(readFileSync(file, 'utf8'));
    const again = (await run(fresh, 'import', file)).out.trim().split('\n');
    expect(again.every((line) => line.endsWith(' unchanged'))).toBe(true);
  });

  it('changes what differs and deletes the rest only where that is asked for', async () => {
    await fresh.write('web', { spec: { ...((await fresh.get('web'))?.['spec'] as object), project: 'other' } });
    await fresh.create('extra');
    await fresh.cluster.create(SECRETS, inArgocd(SECRETS, 'unrelated', { data: { a: encode('b') } }));
    expect((await run(fresh, 'import', file)).out).toContain('Application argocd/web updated');
    expect((await fresh.get('web'))?.['spec']).toMatchObject({ project: 'default' });
    expect(await fresh.get('extra')).toBeDefined();
    expect((await run(fresh, 'import', file, '--prune')).out).toContain('Application argocd/extra pruned');
    expect(await fresh.get('extra')).toBeUndefined();
    expect(await fresh.cluster.get(SECRETS, { namespace: 'argocd', name: 'unrelated' })).toBeDefined();
  });

  it.each([
    [
      'another object',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n',
      'Pod web is nothing that admin export writes',
    ],
    [
      'another ConfigMap',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kube-root-ca.crt}\n',
      'is nothing that admin export',
    ],
    [
      'an object without a name',
      'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {}\n',
      'Application  has no name',
    ],
    ['no objects', '- a\n', 'not a Kubernetes object'],
  ])('a file with %s is refused before anything is written', async (_, text, words) => {
    const bad = join(folder, 'bad.yaml');
    const good = 'apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: first}\nspec: {}\n---\n';
    writeFileSync(bad, good + text);
    const { code, err } = await run(fresh, 'import', bad);
    expect([code, err]).toEqual([20, expect.stringContaining(words)]);
    expect(await fresh.cluster.get(APP_PROJECTS, { namespace: 'argocd', name: 'first' })).toBeUndefined();
    expect(await fresh.cluster.list(APPLICATIONS, { namespace: 'first' })).toMatchObject({ items: [] });
  });

  it('a file that is not there, and a folder that is not, are named', async () => {
    expect((await run(fresh, 'import', join(folder, 'none.yaml'))).err).toContain('none.yaml');
    expect((await run(fresh, 'export', '--out', join(folder, 'none/backup.yaml'))).err).toContain('cannot be written');
  });
});
