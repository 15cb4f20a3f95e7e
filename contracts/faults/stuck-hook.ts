import { writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Files } from './repository.js';

/** Something that keeps a hook from its end, and how it must be named. */
export interface StuckReason {
  readonly name: string;
  /** What is in the namespace before. */
  readonly given: readonly KubeObject[];
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  /** What the pod has that keeps it; a repaired hook is without it. */
  readonly pod?: JsonObject;
  readonly container?: JsonObject;
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly says: (namespace: string) => RegExp;
}

/** The node with the taint. */
export const TAINTED = 'worker-1';
export const TAINT = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const;
const IMAGE = 'registry.example.com/tools/migrate';

/** With a request, which the quota asks for. */
const REPAIRED = { name: 'main', image: `${IMAGE}:1`, command: ['true'], resources: { requests: { cpu: '50m' } } };

export const STUCK_REASONS: readonly StuckReason[] = [
  {
    name: 'image',
    given: [],
    container: { image: `${IMAGE}:does-not-exist-7` },
    says: () => /: image registry\.example\.com\/tools\/migrate:does-not-exist-7 does not exist\./,
  },
  {
    name: 'taint',
    given: [],
    pod: { nodeSelector: { 'kubernetes.io/hostname': TAINTED } },
    says: (namespace) =>
      new RegExp(`: Pod ${namespace}/migrate-\\w+ lacks a toleration for taint dedicated=gpu of its nodes\\.`),
  },
  {
    name: 'quota',
    given: [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small' },
        spec: { hard: { 'requests.cpu': '1' } },
      },
    ],
    container: { resources: { requests: { cpu: '4' } } },
    says: (namespace) => new RegExp(`: pods of Job ${namespace}/migrate exceed ResourceQuota small\\.`),
  },
  {
    name: 'account',
    given: [],
    pod: { serviceAccountName: 'migrator' },
    says: (namespace) => new RegExp(`: ServiceAccount ${namespace}/migrator does not exist\\.`),
  },
  {
    name: 'secret',
    given: [],
    container: { envFrom: [{ secretRef: { name: 'login' } }] },
    says: (namespace) => new RegExp(`: Secret ${namespace}/login does not exist\\.`),
  },
  {
    name: 'claim',
    given: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
      },
    ],
    pod: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    says: () => /: StorageClass fast does not exist\./,
  },
  {
    name: 'crash',
    given: [],
    podAnnotations: { 'argosy.dev/simulate': '{"*": {"exitCode": 3, "after": "100ms"}}' },
    says: (namespace) => new RegExp(`: container main of Pod ${namespace}/migrate-\\w+ exits with code 3`),
  },
  {
    name: 'refused',
    given: [],
    namespaceLabels: { 'pod-security.kubernetes.io/enforce': 'baseline' },
    container: { securityContext: { privileged: true } },
    says: (namespace) =>
      new RegExp(`: pods of Job ${namespace}/migrate violate the PodSecurity level of namespace ${namespace}\\.`),
  },
];

/** Said of a hook in the moments before its pod has failed. */
export const WORKS = /: Pod \S+ (?:has been running since|is starting\.)/;

/** The hook as it waits, or as it works. */
export function hookText(reason: StuckReason | undefined): string {
  return writeJson({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
    spec: {
      backoffLimit: 50,
      template: {
        metadata: { annotations: { ...reason?.podAnnotations } },
        spec: {
          restartPolicy: 'OnFailure',
          ...reason?.pod,
          containers: [{ ...REPAIRED, ...reason?.container }],
        },
      },
    },
  });
}

/** The files of an application: an object, and the hook before it. */
export function stuckFiles(path: string, reason: StuckReason): Files {
  return {
    [`${path}/hook.json`]: hookText(reason),
    [`${path}/app.json`]: writeJson({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'app' },
      data: { of: path },
    }),
  };
}
