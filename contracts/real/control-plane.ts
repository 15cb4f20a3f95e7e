import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { clearFolder, scratchFolder, startChild, type Child } from './child.js';
import { readEtcdState, restoreEtcdState } from './etcd-state.js';
import { freePorts } from './free-port.js';
import { startKubeControllerManager, startKubeScheduler } from './managers.js';
import { builtPart } from './parts.js';

interface ControlPlaneOptions {
  /** Off only where durability and write speed are not what is looked at. */
  readonly etcdFsync?: boolean;
  readonly controllerManager?: boolean;
  readonly scheduler?: boolean;
  /** Writes an audit log to `audit.log` in the directory: by a policy, or of metadata. */
  readonly audit?: string | boolean;
  readonly apiserverArgs?: readonly string[];
  readonly serviceNetwork?: string;
  /** Further accounts, as lines of a token file. */
  readonly tokens?: readonly string[];
  /** Where its programs run; without it, beside the test. */
  readonly place?: Place;
}

/** A network with an address of its own, and how a program is started in it. */
export interface Place {
  readonly address: string;
  start(program: string, args: readonly string[], logPath: string): Child;
}

const HERE: Place = { address: '127.0.0.1', start: startChild };

export interface ControlPlane {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
  readonly kubeconfigPath: string;
  readonly dir: string;
  readonly pids: { readonly etcd: number; readonly apiserver: number };
  /** From the latest spawn of kube-apiserver to the first good `/readyz`. */
  readonly readyMs: number;
  /** Ends and starts kube-apiserver; etcd stays. */
  restart(): Promise<void>;
  /** Remembers what the cluster holds now, and gives the way back to it. Nobody may write meanwhile. */
  remember(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const READY_WITHIN = 60_000;
/** It would begin a new file at 100, and whoever reads it would miss the rest. */
const AUDIT_MEGABYTES = 100_000;
const METADATA_POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n';

/** etcd and kube-apiserver of our own, on free ports of 127.0.0.1, in a directory that `stop` removes. */
export async function startRealControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = { etcd: await builtPart('etcd'), apiserver: await builtPart('kube-apiserver') };
  const dir = scratchFolder('argosy-real-');
  const [client = 0, peer = 0, secure = 0] = await freePorts(3);
  const adminToken = randomBytes(16).toString('hex');
  writeSecrets(dir, [`${adminToken},admin,admin,system:masters`, ...(options.tokens ?? [])]);
  writeFileSync(join(dir, 'audit-policy.yaml'), typeof options.audit === 'string' ? options.audit : METADATA_POLICY);
  const place = options.place ?? HERE;
  const etcd = place.start(programs.etcd, etcdArgs(dir, { client, peer }, options.etcdFsync ?? true), log(dir, 'etcd'));
  const url = `https://${place.address}:${secure}`;
  const launch = (): Child =>
    place.start(programs.apiserver, apiserverArgs(dir, client, secure, options), log(dir, 'kube-apiserver'));
  const started = performance.now();
  const up: Running = { etcd, apiserver: launch(), others: [], readyMs: 0 };
  try {
    const caPem = await ready(url, dir, up);
    up.readyMs = performance.now() - started;
    const kubeconfigPath = join(dir, 'kubeconfig');
    writeFileSync(kubeconfigPath, kubeconfig(url, caPem, adminToken), { mode: 0o600 });
    await startOthers(dir, kubeconfigPath, options, up);
    return plane({ url, caPem, adminToken, kubeconfigPath, dir }, up, launch, `http://127.0.0.1:${client}`);
  } catch (error) {
    await end(up, dir);
    throw error;
  }
}

interface Running {
  readonly etcd: Child;
  apiserver: Child;
  readonly others: Child[];
  readyMs: number;
}

type Facts = Pick<ControlPlane, 'url' | 'caPem' | 'adminToken' | 'kubeconfigPath' | 'dir'>;

function plane(facts: Facts, up: Running, launch: () => Child, etcdUrl: string): ControlPlane {
  return {
    ...facts,
    get pids() {
      return { etcd: up.etcd.pid, apiserver: up.apiserver.pid };
    },
    get readyMs() {
      return up.readyMs;
    },
    async restart() {
      await up.apiserver.stop();
      const started = performance.now();
      up.apiserver = launch();
      await ready(facts.url, facts.dir, up);
      up.readyMs = performance.now() - started;
    },
    async remember() {
      const state = await readEtcdState(etcdUrl);
      return () => restoreEtcdState(etcdUrl, state);
    },
    stop: () => end(up, facts.dir),
  };
}

async function startOthers(
  dir: string,
  kubeconfigPath: string,
  options: ControlPlaneOptions,
  up: Running,
): Promise<void> {
  const common = { kubeconfigPath, dir, place: options.place ?? HERE };
  if (options.controllerManager === true) {
    const keys = { serviceAccountKey: join(dir, 'service-account.key'), rootCa: join(dir, 'certs/apiserver.crt') };
    up.others.push(await startKubeControllerManager({ ...common, ...keys }));
  }
  if (options.scheduler === true) up.others.push(await startKubeScheduler(common));
}

async function end(up: Running, dir: string): Promise<void> {
  await Promise.all(up.others.map((child) => child.stop()));
  // Nothing that it holds outlives the directory, so there is nothing to drain.
  await up.apiserver.stop('SIGKILL');
  await up.etcd.stop('SIGKILL');
  clearFolder(dir);
}

function writeSecrets(dir: string, tokens: readonly string[]): void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(join(dir, 'service-account.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(dir, 'service-account.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(dir, 'tokens.csv'), `${tokens.join('\n')}\n`, { mode: 0o600 });
}

function log(dir: string, name: string): string {
  return join(dir, `${name}.log`);
}

function etcdArgs(dir: string, ports: { client: number; peer: number }, fsync: boolean): readonly string[] {
  const clientUrl = `http://127.0.0.1:${ports.client}`;
  const peerUrl = `http://127.0.0.1:${ports.peer}`;
  return [
    '--name=real',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=real=${peerUrl}`,
    ...(fsync ? [] : ['--unsafe-no-fsync']),
  ];
}

function apiserverArgs(
  dir: string,
  etcdPort: number,
  securePort: number,
  options: ControlPlaneOptions,
): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--bind-address=${options.place === undefined ? '127.0.0.1' : '0.0.0.0'}`,
    `--secure-port=${securePort}`,
    `--advertise-address=${(options.place ?? HERE).address}`,
    ...(options.place === undefined ? ['--endpoint-reconciler-type=none'] : []),
    `--cert-dir=${join(dir, 'certs')}`,
    `--service-cluster-ip-range=${options.serviceNetwork ?? '10.0.0.0/16'}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(dir, 'tokens.csv')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-signing-key-file=${join(dir, 'service-account.key')}`,
    `--service-account-key-file=${join(dir, 'service-account.pub')}`,
    '--shutdown-delay-duration=0s',
    ...(options.audit !== undefined && options.audit !== false
      ? [
          `--audit-policy-file=${join(dir, 'audit-policy.yaml')}`,
          `--audit-log-path=${join(dir, 'audit.log')}`,
          `--audit-log-maxsize=${AUDIT_MEGABYTES}`,
        ]
      : []),
    ...(options.apiserverArgs ?? []),
  ];
}

/** Waits for `/readyz`; a program that ends meanwhile is the error. Gives the certificate to trust. */
async function ready(url: string, dir: string, up: Running): Promise<string> {
  const certificate = join(dir, 'certs/apiserver.crt');
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const deadline = Date.now() + READY_WITHIN;
  try {
    for (;;) {
      up.etcd.assertAlive();
      up.apiserver.assertAlive();
      if (existsSync(certificate) && (await answersReady(url, agent))) return readFileSync(certificate, 'utf8');
      if (Date.now() > deadline)
        throw new Error(`kube-apiserver is not ready after ${READY_WITHIN / 1000} s; see ${up.apiserver.logPath}`);
      await delay(5);
    }
  } finally {
    await agent.destroy();
  }
}

async function answersReady(url: string, agent: Agent): Promise<boolean> {
  try {
    const { statusCode, body } = await request(`${url}/readyz`, { dispatcher: agent });
    await body.dump();
    return statusCode === 200;
  } catch {
    // Not listening yet; the caller has the deadline and watches the program.
    return false;
  }
}

/** For an account of that token. */
export function kubeconfig(url: string, caPem: string, token: string): string {
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'real', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
      ],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
      'current-context': 'real',
    },
    null,
    2,
  );
}
