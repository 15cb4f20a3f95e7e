import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceRef } from '../../src/model/resources/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { connectCluster, CRDS } from '../harness/in-process-controller.js';

// A controller that may not read Applications ends and says so: whoever started it can see that it does nothing.
const absent = embeddedMissing();
const MAIN = join(import.meta.dirname, '../../dist/main.js');
const LONG = 60_000;
const RBAC = 'rbac.authorization.k8s.io';
const role = (kind: string, plural: string): ResourceRef => ({
  group: RBAC,
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

describe.skipIf(absent !== undefined)(absent ?? 'a controller that may not read applications', () => {
  let server: Awaited<ReturnType<typeof startEmbeddedServer>>;
  beforeAll(async () => {
    server = await startEmbeddedServer('none');
  }, LONG);
  afterAll(() => server.stop());

  it(
    'ends with what the server said',
    async () => {
      const cluster = await connectCluster(server.kubeconfigPath);
      await installCrds(cluster, await readCrds(CRDS));
      const head = { apiVersion: `${RBAC}/v1`, metadata: { name: 'settings', namespace: 'default' } };
      await cluster.create(role('Role', 'roles'), {
        ...head,
        kind: 'Role',
        rules: [{ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list', 'watch'] }],
      });
      await cluster.create(role('RoleBinding', 'rolebindings'), {
        ...head,
        kind: 'RoleBinding',
        subjects: [{ kind: 'User', name: 'nobody', apiGroup: RBAC }],
        roleRef: { apiGroup: RBAC, kind: 'Role', name: 'settings' },
      });
      await cluster.close();
      const kubeconfig = join(dirname(server.kubeconfigPath), 'nobody.kubeconfig');
      writeFileSync(
        kubeconfig,
        readFileSync(server.kubeconfigPath, 'utf8').replace(
          /^( *)user:\n( +)/m,
          '$1user:\n$2as: nobody\n$2as-groups: ["system:authenticated"]\n$2',
        ),
      );
      const { code, err } = await run([
        'controller',
        '--kubeconfig',
        kubeconfig,
        '--data',
        join(dirname(kubeconfig), 'data'),
        '--namespace',
        'default',
        '--metrics-port',
        '0',
        '--read-only',
      ]);
      expect(err).toMatch(/^argosy: applications cannot be read: applications.argoproj.io is forbidden: /);
      expect(err.split('forbidden: ')[1]).toMatch(/^User "nobody" cannot list resource/);
      expect(code).toBe(20);
    },
    LONG,
  );
});

function run(args: readonly string[]): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], (_error, _out, err) => {
      resolve({ code: child.exitCode ?? -1, err });
    });
  });
}
