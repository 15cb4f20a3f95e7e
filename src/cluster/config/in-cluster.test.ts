import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inClusterConfig } from './in-cluster.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-pod-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ENVIRONMENT = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

it("is the pod's service account, once its files are there", async () => {
  await expect(inClusterConfig(ENVIRONMENT, folder)).rejects.toThrow(/service account cannot be read/);
  writeFileSync(join(folder, 'token'), 't');
  writeFileSync(join(folder, 'namespace'), 'argocd\n');
  expect(await inClusterConfig(ENVIRONMENT, folder)).toEqual({
    context: 'in-cluster',
    server: 'https://[fd00::1]:443',
    namespace: 'argocd',
    authority: { kind: 'file', path: join(folder, 'ca.crt') },
    skipTlsVerify: false,
    user: { tokenFile: join(folder, 'token') },
  });
});

it('is rejected outside of a pod', async () => {
  await expect(inClusterConfig({}, folder)).rejects.toThrow(/does not run in a cluster/);
});
