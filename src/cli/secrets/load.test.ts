import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../../../contracts/cli/app-lab.js';
import type { ResourceRef } from '../../model/resources/index.js';
import { CRDS, SECRETS } from '../../model/resources/index.js';

const GITEAS: ResourceRef = {
  group: 'pfe.rhpds.com',
  version: 'v1',
  kind: 'Gitea',
  plural: 'giteas',
  namespaced: true,
};
const preserved = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const folder = mkdtempSync(join(tmpdir(), 'argosy-load-'));
const file = join(folder, '.env');
let lab: AppLab;

beforeAll(async () => {
  writeFileSync(file, 'GITEA_USER=opentlc-mgr\nGITEA_PASSWORD=of-an-earlier-installation\n');
  lab = await openAppLab();
  await lab.cluster.create(CRDS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'giteas.pfe.rhpds.com' },
    spec: {
      group: GITEAS.group,
      scope: 'Namespaced',
      names: { kind: 'Gitea', plural: 'giteas', singular: 'gitea', listKind: 'GiteaList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: preserved } }],
    },
  });
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

const load = (...more: string[]): ReturnType<AppLab['run']> =>
  lab.run(['secrets', 'load', '--env-file', file, '-n', 'shop', '--gitea', 'shop/gitea', ...more]);
const password = async (): Promise<unknown> =>
  (await lab.cluster.get(SECRETS, { namespace: 'shop', name: 'gitea-credentials-source' }))?.data;

it('writes no password of the file while Gitea has none yet, unless the file alone is asked for', async () => {
  expect((await load()).out).toContain('Gitea shop/gitea was not found: GITEA_USER, GITEA_PASSWORD as the file has it');
  await lab.cluster.remove(
    SECRETS,
    { namespace: 'shop', name: 'gitea-credentials-source' },
    { uid: await uidOf('gitea-credentials-source') },
  );
  await lab.cluster.create(GITEAS, {
    apiVersion: 'pfe.rhpds.com/v1',
    kind: 'Gitea',
    metadata: { name: 'gitea', namespace: 'shop' },
    spec: { giteaAdminUser: 'opentlc-mgr' },
  });
  const early = await load();
  expect([early.code, early.err]).toEqual([20, expect.stringContaining('has no status.adminPassword yet')]);
  expect(await password()).toBeUndefined();
  expect((await load('--gitea', 'none')).code).toBe(0);
  expect(await password()).toMatchObject({ password: base64('of-an-earlier-installation') });
  const status = { adminPassword: 'made-now' };
  await lab.cluster.patch(GITEAS, { namespace: 'shop', name: 'gitea' }, { type: 'merge', body: { status } });
  expect((await load()).out).toContain('GITEA_PASSWORD of the file is not what Gitea shop/gitea has');
  expect(await password()).toMatchObject({ password: base64('made-now') });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function uidOf(name: string): Promise<string> {
  return (await lab.cluster.get(SECRETS, { namespace: 'shop', name }))?.metadata.uid ?? '';
}
