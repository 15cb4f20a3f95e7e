import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../real/child.js';
import { kubeconfig, startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { cachedParts } from '../real/part-table.js';
import { SERVICE_NETWORK, startKubeProxy, startKubelet, writeKubeletClient, type KubeletClient } from './agents.js';
import { startContainerd, type Containerd } from './containerd.js';
import { clusterBasics, clusterDns, COREDNS_IMAGE, startResolver } from './dns.js';
import { busyboxImage, imageArchive, pauseImage, programImage, type ImageSpec } from './images.js';
import { openSandbox, type Sandbox } from './sandbox.js';

const NEEDED = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'kube-proxy',
  'coredns',
  'containerd',
  'runc',
  'cni-plugins',
  'iptables',
  'conntrack',
  'busybox',
] as const;

/** Why a real node cannot run here, as the name of a skipped suite; undefined where it can. Builds nothing. */
export function whyNoNode(): string | undefined {
  if (process.getuid?.() !== 0) return 'skipped: the real node (needs root)';
  const { missing } = cachedParts(NEEDED);
  if (missing.length > 0) return `skipped: the real node (not there: ${missing.join(', ')}; npm run parts)`;
  return undefined;
}

export interface NodeOptions {
  /** Further images of this machine, beside busybox:1.35. */
  readonly images?: readonly ImageSpec[];
  /** Archives of images, as `docker save` or an OCI tool writes them. */
  readonly archives?: readonly string[];
  /** Names that the node's resolver knows; all others do not exist. Given the address of the test's own servers. */
  readonly names?: (hostAddress: string) => Readonly<Record<string, string>>;
  readonly kubelet?: object;
  readonly apiserverArgs?: readonly string[];
  readonly audit?: string | boolean;
  /** Another containerd than Debian's. */
  readonly containerd?: string;
}

/** One real node with its control plane, in namespaces of its own. */
export interface RealNode {
  readonly name: string;
  readonly plane: ControlPlane;
  readonly sandbox: Sandbox;
  readonly containerd: Containerd;
  readonly kubelet: Agent;
  readonly kubeProxy: Agent;
  /** What kubectl prints; it throws with what it prints as an error. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  apply(objects: readonly object[]): Promise<void>;
  /** Polls what kubectl prints until it is as it should be. */
  until(args: readonly string[], isDone: (printed: string) => boolean, seconds?: number): Promise<string>;
  importImage(spec: ImageSpec): Promise<void>;
  stop(): Promise<void>;
}

/** A program of the node that can be stopped and started again. */
export interface Agent {
  child: Child;
  start(): void;
}

const NODE_NAME = 'node-1';
const READY_WITHIN = 120;
const PAUSE = 100;

export async function startRealNode(options: NodeOptions = {}): Promise<RealNode> {
  const missing = whyNoNode();
  if (missing !== undefined) throw new Error(missing);
  const sandbox = await openSandbox();
  const started: (() => Promise<void>)[] = [() => sandbox.stop()];
  try {
    const node = await launch(sandbox, options, started);
    await node.until(['get', 'node', NODE_NAME, '-o', CONDITION_READY], (printed) => printed === 'True', READY_WITHIN);
    return node;
  } catch (error) {
    for (const end of started) await end();
    throw error;
  }
}

const CONDITION_READY = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';

async function launch(sandbox: Sandbox, options: NodeOptions, started: (() => Promise<void>)[]): Promise<RealNode> {
  const { paths } = cachedParts(NEEDED);
  const tokens = { node: randomBytes(16).toString('hex'), proxy: randomBytes(16).toString('hex') };
  const client = writeKubeletClient(sandbox.dir);
  const [plane, containerd] = await Promise.all([
    startPlane(sandbox, options, tokens, client),
    startRuntime(sandbox, paths, options),
  ]);
  started.push(() => plane.stop());
  const account = (name: keyof typeof tokens): string => {
    const path = join(sandbox.dir, `${name}.kubeconfig`);
    writeFileSync(path, kubeconfig(plane.url, plane.caPem, tokens[name]), { mode: 0o600 });
    return path;
  };
  const common = { nodeName: NODE_NAME };
  const kubelet = agent(() =>
    startKubelet(sandbox, {
      ...common,
      program: paths.kubelet,
      kubeconfigPath: account('node'),
      runtime: containerd.endpoint,
      client,
      ...(options.kubelet === undefined ? {} : { settings: options.kubelet }),
    }),
  );
  const kubeProxy = agent(() =>
    startKubeProxy(sandbox, { ...common, program: paths['kube-proxy'], kubeconfigPath: account('proxy') }),
  );
  const kubectl = kubectlOf(paths.kubectl, plane.kubeconfigPath);
  const apply: RealNode['apply'] = async (objects) => {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list));
  };
  await apply([...clusterBasics(), ...clusterDns()]);
  return {
    name: NODE_NAME,
    plane,
    sandbox,
    containerd,
    kubelet,
    kubeProxy,
    kubectl,
    apply,
    until: untilOf(kubectl),
    importImage: async (spec) => containerd.importImage(await imageArchive(spec)),
    async stop() {
      await sandbox.stop();
      await plane.stop();
    },
  };
}

function startPlane(
  sandbox: Sandbox,
  options: NodeOptions,
  tokens: { readonly node: string; readonly proxy: string },
  client: KubeletClient,
): Promise<ControlPlane> {
  return startRealControlPlane({
    etcdFsync: false,
    controllerManager: true,
    scheduler: true,
    place: sandbox,
    serviceNetwork: SERVICE_NETWORK,
    tokens: [
      `${tokens.node},system:node:${NODE_NAME},node,system:nodes`,
      `${tokens.proxy},system:kube-proxy,kube-proxy,""`,
    ],
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    apiserverArgs: [
      // Added to RBAC.
      '--authorization-mode=Node',
      '--enable-admission-plugins=NodeRestriction',
      '--allow-privileged=true',
      `--kubelet-client-certificate=${client.certificate}`,
      `--kubelet-client-key=${client.key}`,
      '--kubelet-preferred-address-types=InternalIP',
      ...(options.apiserverArgs ?? []),
    ],
  });
}

async function startRuntime(
  sandbox: Sandbox,
  paths: Readonly<Record<(typeof NEEDED)[number], string>>,
  options: NodeOptions,
): Promise<Containerd> {
  startResolver(sandbox, paths.coredns, options.names?.(sandbox.hostAddress) ?? {});
  const specs = [
    pauseImage(paths.busybox),
    await busyboxImage(paths.busybox),
    programImage(COREDNS_IMAGE, paths.coredns),
    ...(options.images ?? []),
  ];
  const archives = [...(await Promise.all(specs.map(imageArchive))), ...(options.archives ?? [])];
  const program = options.containerd ?? paths.containerd;
  const containerd = await startContainerd(program, dirname(paths['cni-plugins']), sandbox);
  await Promise.all(archives.map((archive) => containerd.importImage(archive)));
  return containerd;
}

function agent(begin: () => Child): Agent {
  const made: Agent = {
    child: begin(),
    start() {
      made.child = begin();
    },
  };
  return made;
}

function kubectlOf(program: string, kubeconfigPath: string): RealNode['kubectl'] {
  return (args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile(
        program,
        ['--kubeconfig', kubeconfigPath, ...args],
        { maxBuffer: 256 << 20 },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout);
          else reject(new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`));
        },
      );
      child.stdin?.end(input ?? '');
    });
}

function untilOf(kubectl: RealNode['kubectl']): RealNode['until'] {
  return async (args, isDone, seconds = 60) => {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
      const printed = await kubectl(args).catch((error: unknown) => String(error));
      if (isDone(printed)) return printed;
      if (Date.now() > deadline) throw new Error(`after ${seconds} s kubectl ${args.join(' ')} prints:\n${printed}`);
      await delay(PAUSE);
    }
  };
}
