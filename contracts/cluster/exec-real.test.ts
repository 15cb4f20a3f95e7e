import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCertificate } from '../../src/model/certificates/index.js';
import type { Cluster } from '../../src/cluster/index.js';
import type { ResourceRef } from '../../src/model/resources/index.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { startChild, type Child } from '../real/child.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { freePorts } from '../real/free-port.js';
import { builtTool } from '../real/tools.js';

const ref = (kind: string, plural: string, namespaced = true): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const [PODS, NODES, ACCOUNTS] = [
  ref('Pod', 'pods'),
  ref('Node', 'nodes', false),
  ref('ServiceAccount', 'serviceaccounts'),
];
const WITHIN = { timeout: 30_000, interval: 50 };
/** What kwok does where somebody starts a program in a pod: it starts it here. */
const RULES =
  'kind: ClusterExec\napiVersion: kwok.x-k8s.io/v1alpha1\nmetadata: {name: here}\nspec: {execs: [{local: {}}]}\n';

// It needs kwok, which takes minutes to build: only for who asks for real clusters.
if (['real', 'both'].includes(process.env['ARGOSY_CONTRACT'] ?? '')) {
  describe('a program in a container, through a real API server', () => {
    let plane: ControlPlane;
    let kubelet: Child;
    let cluster: Cluster;

    beforeAll(async () => {
      const kwok = await builtTool('kwok');
      if (kwok.kind === 'missing') throw new Error(kwok.reason);
      plane = await startRealControlPlane({ etcdFsync: false });
      cluster = await connectCluster(plane.kubeconfigPath);
      const [port = 0] = await freePorts(1);
      const { certificate, key } = issueCertificate({
        commonName: 'kubelet',
        organizations: [],
        hosts: ['127.0.0.1'],
        notBefore: new Date(Date.now() - 60_000),
        days: 1,
        use: 'server',
      });
      const files = {
        rules: join(plane.dir, 'exec.yaml'),
        certificate: join(plane.dir, 'kubelet.crt'),
        key: join(plane.dir, 'kubelet.key'),
      };
      for (const [file, text] of [
        [files.rules, RULES],
        [files.certificate, certificate],
        [files.key, key],
      ] as const)
        writeFileSync(file, text);
      kubelet = startChild(
        kwok.path,
        [
          '--kubeconfig',
          plane.kubeconfigPath,
          '--config',
          files.rules,
          '--manage-all-nodes=true',
          '--node-ip=127.0.0.1',
          `--node-port=${port}`,
          `--tls-cert-file=${files.certificate}`,
          `--tls-private-key-file=${files.key}`,
        ],
        join(plane.dir, 'kwok.log'),
      );
      await cluster.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } });
      await cluster.patch(
        NODES,
        { name: 'node-1' },
        {
          type: 'merge',
          body: {
            status: {
              addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
              daemonEndpoints: { kubeletEndpoint: { Port: port } },
            },
          },
        },
        { subresource: 'status' },
      );
      await cluster.create(ACCOUNTS, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { namespace: 'default', name: 'default' },
      });
      await cluster.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name: 'web' },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'here' }] },
      });
    });
    afterAll(async () => {
      await cluster.close();
      await kubelet.stop();
      await plane.stop();
    });

    it('has a terminal, and its end is told', async () => {
      let text = '';
      const open = () =>
        cluster.exec({ namespace: 'default', pod: 'web', container: 'main', command: ['sh'] }, (bytes) => {
          text += bytes.toString('utf8');
        });
      await expect
        .poll(
          () =>
            open().then(
              (session) => {
                session.close();
                return 'open';
              },
              (error: unknown) => String(error),
            ),
          WITHIN,
        )
        .toBe('open');
      const session = await open();
      session.resize(101, 31);
      session.write('echo "is $((40 + 2))"; stty size\n');
      await expect.poll(() => text, WITHIN).toMatch(/is 42[^]*31 101/);
      session.write('exit 7\n');
      // A kubelet tells the code apart; kwok has it in its words.
      expect((await session.ended).message).toContain('exit status 7');
    });

    it('is refused in the words of the server', async () => {
      await expect(
        cluster.exec({ namespace: 'default', pod: 'nobody', container: 'main', command: ['sh'] }, () => undefined),
      ).rejects.toThrow('pods "nobody" not found');
      await expect(
        cluster.exec({ namespace: 'default', pod: 'web', container: 'other', command: ['sh'] }, () => undefined),
      ).rejects.toThrow('container other is not valid for pod web');
    });
  });
} else {
  it.skip('a program in a container, through a real API server (skipped: ARGOSY_CONTRACT=real asks for it)', () => {
    /* the name says why */
  });
}
