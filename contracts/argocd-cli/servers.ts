import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { CONFIG_MAPS, NAMESPACES, SECRETS } from '../../src/model/resources/index.js';
import { ApiLab } from '../api/api-lab.js';
import { argoCdModule } from '../argocd/module.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { scratchFolder, startChild, type Child } from '../real/child.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { freePorts } from '../real/free-port.js';
import type { PlayedServer } from './play.js';

const NAMESPACE = 'argocd';
const READY_WITHIN = 60_000;
/** Who may sign in and have tokens beside admin. */
const ACCOUNTS = { 'accounts.robot': 'apiKey, login' };

/** Argosy as a person starts it. */
export async function startArgosy(): Promise<PlayedServer> {
  const lab = await ApiLab.open();
  const cluster = await connectCluster(lab.kubeconfig);
  try {
    await writeSettings(cluster);
  } finally {
    await cluster.close();
  }
  for (let tries = 0; tries < 100; tries++) {
    if ((await lab.request('/api/v1/account/robot')).status === 200) break;
    await delay(50);
  }
  return {
    address: new URL(lab.url).host,
    password: lab.password,
    kubeconfigPath: lab.kubeconfig,
    stop: () => lab.close(),
  };
}

async function writeSettings(cluster: Cluster): Promise<void> {
  const id = { namespace: NAMESPACE, name: 'argocd-cm' };
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const known = await cluster.get(CONFIG_MAPS, id);
  if (known === undefined)
    await cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...id, labels },
      data: ACCOUNTS,
    });
  else await cluster.patch(CONFIG_MAPS, id, { type: 'merge', body: { metadata: { labels }, data: ACCOUNTS } });
}

interface Programs {
  readonly argocd: string;
  readonly redis: string;
  readonly helm: string;
  readonly kustomize: string;
}

/** Argo CD itself on a real control plane: its server, controllers and repository server beside a Redis in memory. */
export async function startArgoCd(programs: Programs): Promise<PlayedServer> {
  const plane = await startRealControlPlane({ etcdFsync: false, controllerManager: true });
  const folder = scratchFolder('argosy-argo-cd-');
  const children: Child[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
    await plane.stop();
  };
  try {
    const cluster = await connectCluster(plane.kubeconfigPath);
    const ports = await freePorts(9);
    const [redis = 0, repo = 0, server = 0, ...further] = ports;
    try {
      await prepare(cluster);
      const start = (name: string, ...args: string[]): void => {
        children.push(
          startChild(
            '/usr/bin/env',
            [
              ...environment(folder, programs, plane.kubeconfigPath),
              `ARGOCD_BINARY_NAME=${name}`,
              programs.argocd,
              ...args,
            ],
            join(folder, `${name}.log`),
          ),
        );
      };
      children.push(startChild(programs.redis, [`127.0.0.1:${redis}`], join(folder, 'redis.log')));
      const common = ['--redis', `127.0.0.1:${redis}`, '--loglevel', 'warn'];
      const plain = ['--repo-server', `127.0.0.1:${repo}`, '--repo-server-plaintext', '--namespace', NAMESPACE];
      start(
        'argocd-repo-server',
        ...common,
        '--port',
        String(repo),
        '--metrics-port',
        String(further[0]),
        '--disable-tls',
        '--client-ca-path=',
      );
      start(
        'argocd-server',
        ...common,
        ...plain,
        '--port',
        String(server),
        '--metrics-port',
        String(further[1]),
        '--insecure',
      );
      start('argocd-application-controller', ...common, ...plain, '--metrics-port', String(further[2]));
      start(
        'argocd-applicationset-controller',
        ...['--argocd-repo-server', `127.0.0.1:${repo}`, '--repo-server-plaintext', '--namespace', NAMESPACE],
        ...['--metrics-addr', `127.0.0.1:${further[3]}`, '--probe-addr', `127.0.0.1:${further[4]}`],
        ...['--webhook-addr', `127.0.0.1:${further[5]}`, '--loglevel', 'warn'],
      );
      await listening([redis, repo, server], children);
      const password = await initialPassword(cluster, children);
      return { address: `localhost:${server}`, password, kubeconfigPath: plane.kubeconfigPath, stop };
    } finally {
      await cluster.close();
    }
  } catch (error) {
    await stop();
    throw error;
  }
}

function environment(folder: string, { helm, kustomize }: Programs, kubeconfig: string): string[] {
  const paths = Object.fromEntries(
    ['tls', 'ssh', 'gpg', 'gnupg', 'plugin', 'tmp', 'bin', 'home'].map((name) => {
      mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
      return [name, join(folder, name)];
    }),
  );
  for (const script of ['gpg-wrapper.sh', 'git-verify-wrapper.sh']) {
    const copy = join(paths['bin'] ?? '', script);
    if (existsSync(copy)) continue;
    writeFileSync(copy, readFileSync(join(argoCdModule() ?? '', 'hack', script)), { mode: 0o755 });
  }
  for (const [name, program] of Object.entries({ helm, kustomize })) {
    try {
      symlinkSync(program, join(folder, 'bin', name));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  return Object.entries({
    PATH: `${paths['bin'] ?? ''}:${process.env['PATH'] ?? ''}`,
    HOME: paths['home'] ?? '',
    TMPDIR: paths['tmp'] ?? '',
    KUBECONFIG: kubeconfig,
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_TLS_DATA_PATH: paths['tls'] ?? '',
    ARGOCD_SSH_DATA_PATH: paths['ssh'] ?? '',
    ARGOCD_GPG_DATA_PATH: paths['gpg'] ?? '',
    ARGOCD_GNUPGHOME: paths['gnupg'] ?? '',
    ARGOCD_PLUGINSOCKFILEPATH: paths['plugin'] ?? '',
    ARGOCD_EXEC_TIMEOUT: '90s',
  }).map(([name, value]) => `${name}=${value}`);
}

/** What the manifests of an installation make. */
async function prepare(cluster: Cluster): Promise<void> {
  const module = argoCdModule();
  if (module === undefined) throw new Error('there is no Go, and so no module of Argo CD');
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await installCrds(cluster, await readCrds(onlyCrds(join(module, 'manifests/crds'))));
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  for (const name of ['rbac-cm', 'cmd-params-cm', 'tls-certs-cm', 'ssh-known-hosts-cm', 'gpg-keys-cm'])
    await cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `argocd-${name}`, namespace: NAMESPACE, labels },
    });
  await writeSettings(cluster);
  await cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'argocd-secret', namespace: NAMESPACE, labels },
    type: 'Opaque',
  });
}

/** Without the kustomization beside them. */
function onlyCrds(folder: string): string {
  const copy = scratchFolder('argosy-argo-cd-crds-');
  for (const file of readdirSync(folder)) if (file.endsWith('-crd.yaml')) cpSync(join(folder, file), join(copy, file));
  return copy;
}

async function initialPassword(cluster: Cluster, children: readonly Child[]): Promise<string> {
  for (const end = performance.now() + READY_WITHIN; performance.now() < end; ) {
    for (const child of children) child.assertAlive();
    const secret = await cluster.get(SECRETS, { namespace: NAMESPACE, name: 'argocd-initial-admin-secret' });
    const { password } = (secret?.data ?? {}) as { password?: string };
    if (password !== undefined) return Buffer.from(password, 'base64').toString();
    await delay(200);
  }
  throw new Error(
    `there is no password: ${readFileSync(join(dirname(children[0]?.logPath ?? ''), 'argocd-server.log'), 'utf8')}`,
  );
}

async function listening(ports: readonly number[], children: readonly Child[]): Promise<void> {
  for (const port of ports)
    for (const end = performance.now() + READY_WITHIN; !(await accepts(port)); ) {
      for (const child of children) child.assertAlive();
      if (performance.now() > end) throw new Error(`nobody listens on ${port}`);
      await delay(100);
    }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1');
    const give = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => give(true));
    socket.once('error', () => give(false));
  });
}
