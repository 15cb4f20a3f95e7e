import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, type Ran } from '../../cli/app-lab.js';
import { GitRepository } from '../../harness/git-repository.js';
import { gitHandler } from '../../../src/source/testing/git-server.js';
import { startRealNode, whyNoNode, type RealNode } from '../real-node.js';

const ROOT = join(import.meta.dirname, '../../..');
const IMAGE = join(ROOT, 'build/image/argosy.oci.tar');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** A program that answers, as git has it. */
const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: web
          image: busybox:1.35
          command: [httpd, -f, -p, "8080", -h, /bin]
          readinessProbe: {httpGet: {path: /sh, port: 8080}, periodSeconds: 1}
`;

/** Why Argosy cannot be installed on a real node here, as the name of a skip. */
export function whyNoInstallation(): string | undefined {
  const absent = whyNoNode();
  if (absent !== undefined) return absent;
  return existsSync(IMAGE) ? undefined : 'skipped: the image is not made (npm run image)';
}

/** An empty real node that has the image, and a repository that its pods reach. */
export interface InstallLab {
  readonly node: RealNode;
  /** An Application of the repository, for kubectl, whose name is also that of its objects. */
  application(name: string): object;
  argosy(...argv: string[]): Promise<Ran>;
  stop(): Promise<void>;
}

export async function openInstallLab(): Promise<InstallLab> {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-node-install-'));
  const repository = await GitRepository.open(folder, [], (text) => text);
  await repository.write('web/web.yaml', WEB);
  await repository.write('web/kustomization.yaml', 'resources: [web.yaml]\n');
  await repository.commit();
  const node = await startRealNode({ archives: [IMAGE] });
  const server = createServer(gitHandler(repository.dir));
  await new Promise<void>((resolve) => {
    server.listen(0, node.sandbox.hostAddress, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    node,
    application: (name) => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: {
        project: 'default',
        source: {
          repoURL: `http://${node.sandbox.hostAddress}:${port}/.git`,
          path: 'web',
          targetRevision: 'master',
          kustomize: { nameSuffix: name === 'web' ? '' : `-${name}` },
        },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        syncPolicy: { automated: {}, syncOptions: name === 'web' ? ['CreateNamespace=true'] : [] },
      },
    }),
    argosy: (...argv) => runCommand([...argv, '--kubeconfig', node.plane.kubeconfigPath], { now: Date.now, version }),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await node.stop();
      await repository.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the application is delivered by pods of the node. */
export async function untilDelivered({ node, application }: InstallLab, name = 'web'): Promise<void> {
  await node.apply([application(name)]);
  const status = 'jsonpath={.status.sync.status} {.status.health.status}';
  await node.until(
    ['get', 'application', name, '-n', 'argocd', '-o', status],
    (printed) => printed === 'Synced Healthy',
  );
}
