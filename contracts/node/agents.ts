import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate } from '../../src/model/certificates/index.js';
import type { Child } from '../real/child.js';
import type { Sandbox } from './sandbox.js';

/** Where Services and the cluster's DNS are. */
export const SERVICE_NETWORK = '10.96.0.0/16';
export const DNS_ADDRESS = '10.96.0.10';

/** With what kube-apiserver shows kubelet who it is: for logs, exec and port-forward. */
export interface KubeletClient {
  readonly certificate: string;
  readonly key: string;
}

export function writeKubeletClient(dir: string): KubeletClient {
  const pair = issueCertificate({
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
    // Signed by itself, it is the authority that kubelet trusts as well.
    use: 'client',
    notBefore: new Date('2000-01-01T00:00:00Z'),
    days: 36_500,
  });
  const files = { certificate: join(dir, 'kubelet-client.crt'), key: join(dir, 'kubelet-client.key') };
  writeFileSync(files.certificate, pair.certificate);
  writeFileSync(files.key, pair.key, { mode: 0o600 });
  return files;
}

interface KubeletOptions {
  readonly program: string;
  readonly nodeName: string;
  readonly kubeconfigPath: string;
  readonly runtime: string;
  readonly client: KubeletClient;
  /** Fields of KubeletConfiguration that a test wants otherwise. */
  readonly settings?: object;
}

export function startKubelet(sandbox: Sandbox, options: KubeletOptions): Child {
  const dir = join(sandbox.dir, 'kubelet');
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'config.json');
  writeFileSync(config, JSON.stringify(kubeletConfiguration(sandbox, dir, options)));
  return sandbox.start(
    options.program,
    [
      `--config=${config}`,
      `--kubeconfig=${options.kubeconfigPath}`,
      `--root-dir=${join(dir, 'root')}`,
      `--cert-dir=${join(dir, 'certificates')}`,
      `--hostname-override=${options.nodeName}`,
      `--node-ip=${sandbox.address}`,
    ],
    join(sandbox.dir, 'kubelet.log'),
  );
}

function kubeletConfiguration(sandbox: Sandbox, dir: string, { runtime, client, settings }: KubeletOptions): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: sandbox.cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    containerRuntimeEndpoint: runtime,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: client.certificate },
    },
    authorization: { mode: 'Webhook' },
    clusterDNS: [DNS_ADDRESS],
    clusterDomain: 'cluster.local',
    resolvConf: join(sandbox.dir, 'resolv.conf'),
    podLogsDir: join(dir, 'pod-logs'),
    // The disk of the machine is not the node's own: it is not evicted for what others store there.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
    imageGCHighThresholdPercent: 100,
    volumePluginDir: join(dir, 'volume-plugins'),
    shutdownGracePeriod: '0s',
    ...settings,
  };
}

export function startKubeProxy(
  sandbox: Sandbox,
  options: { readonly program: string; readonly nodeName: string; readonly kubeconfigPath: string },
): Child {
  const config = join(sandbox.dir, 'kube-proxy.json');
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'iptables',
      clientConnection: { kubeconfig: options.kubeconfigPath },
      clusterCIDR: '10.88.0.0/16',
      hostnameOverride: options.nodeName,
      // Of the whole machine: left as they are.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    }),
  );
  return sandbox.start(options.program, [`--config=${config}`], join(sandbox.dir, 'kube-proxy.log'));
}
