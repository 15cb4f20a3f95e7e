import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from '../real/child.js';
import { DNS_ADDRESS } from './agents.js';
import type { Sandbox } from './sandbox.js';

export const COREDNS_IMAGE = 'local/coredns:1';

/**
 * What a machine has its names from, for the node itself and for what the cluster's DNS does not know. It knows the
 * names that are given; all others do not exist.
 */
export function startResolver(sandbox: Sandbox, coredns: string, names: Readonly<Record<string, string>>): Child {
  const dir = join(sandbox.dir, 'resolver');
  mkdirSync(dir);
  const hosts = Object.entries(names).map(([name, address]) => `    ${address} ${name}`);
  writeFileSync(
    join(dir, 'Corefile'),
    [
      '. {',
      `  bind ${sandbox.address}`,
      '  errors',
      '  hosts {',
      ...hosts,
      '    fallthrough',
      '  }',
      '  template ANY ANY . {',
      '    rcode NXDOMAIN',
      '  }',
      '}',
      '',
    ].join('\n'),
  );
  // Bound over /etc/resolv.conf of the sandbox: written, never replaced.
  writeFileSync(join(sandbox.dir, 'resolv.conf'), `nameserver ${sandbox.address}\n`);
  return sandbox.start(coredns, ['-conf', join(dir, 'Corefile')], join(sandbox.dir, 'resolver.log'));
}

/** Of the cluster's DNS. */
export const COREFILE = `.:53 {
  errors
  health
  ready
  kubernetes cluster.local in-addr.arpa ip6.arpa
  forward . /etc/resolv.conf
  cache 5
  reload 2s
}
`;

/** The DNS of the cluster, as kubeadm installs it: one pod of the host's network policy Default. */
export function clusterDns(): object[] {
  const namespace = 'kube-system';
  const account = { name: 'coredns', namespace };
  const labels = { 'k8s-app': 'kube-dns' };
  const rules = [
    { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ];
  const container = {
    name: 'coredns',
    image: COREDNS_IMAGE,
    args: ['-conf', '/etc/coredns/Corefile'],
    readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
    resources: { requests: { cpu: '20m', memory: '32Mi' }, limits: { memory: '170Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
  };
  const pod = {
    serviceAccountName: 'coredns',
    dnsPolicy: 'Default',
    priorityClassName: 'system-cluster-critical',
    tolerations: [{ operator: 'Exists' }],
    containers: [container],
    volumes: [{ name: 'config', configMap: { name: 'coredns' } }],
  };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'system:coredns' },
      rules,
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns', namespace },
      data: { Corefile: COREFILE },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'coredns', namespace, labels },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace, labels },
      spec: {
        clusterIP: DNS_ADDRESS,
        selector: labels,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
  ];
}

/** What kubeadm and most clusters bring beside: rights of kube-proxy and a class of volumes that is the default. */
export function clusterBasics(): object[] {
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'kube-proxy' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-proxier' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:kube-proxy' }],
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: {
        name: 'standard',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'kubernetes.io/host-path',
      volumeBindingMode: 'Immediate',
    },
  ];
}
