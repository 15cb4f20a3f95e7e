import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { NAMESPACE, PLACEMENT, SERVICES } from './names.js';

/** Seconds after which a rollout is given up: ten minutes would only make every case longer. */
export const DEADLINE = 150;

/** The files of an application that is kept as plain manifests: one object in each. */
export type PlainApplication = Readonly<Record<string, KubeObject>>;

const labels = (name: string): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': 'ameide',
});
const meta = (name: string, annotations?: Record<string, string>): KubeObject['metadata'] => ({
  name,
  namespace: NAMESPACE,
  labels: labels(name),
  ...(annotations === undefined ? {} : { annotations }),
});
const wave = (number: number): Record<string, string> => ({ 'argocd.argoproj.io/sync-wave': String(number) });

interface Program {
  readonly port?: number;
  readonly container?: JsonObject;
  readonly pod?: JsonObject;
  readonly spec?: JsonObject;
  readonly template?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

function deployment(
  name: string,
  { port = 8080, container = {}, pod = {}, spec = {}, template, annotations }: Program = {},
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta(name, annotations),
    spec: {
      replicas: 1,
      progressDeadlineSeconds: DEADLINE,
      ...spec,
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      template: {
        metadata: { labels: labels(name), ...(template === undefined ? {} : { annotations: template }) },
        spec: {
          ...PLACEMENT,
          ...pod,
          containers: [
            {
              name: 'app',
              image: `registry.example.com/ameide/${name}:2.4.1`,
              ports: [{ name: 'http', containerPort: port }],
              readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
              resources: { requests: { cpu: '20m', memory: '48Mi' }, limits: { memory: '256Mi' } },
              ...container,
            },
          ],
        },
      },
    },
  };
}

const service = (
  name: string,
  port: number,
  selector: Record<string, string> = { 'app.kubernetes.io/name': name },
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: meta(name),
  spec: { selector, ports: [{ name: 'http', port, targetPort: 'http' }] },
});
const claim = (name: string, annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: meta(name, annotations),
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'managed-csi',
    resources: { requests: { storage: '4Gi' } },
  },
});
const config = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: meta(name),
  data,
});
const account = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta(name) });

/** A Deployment with what most have: configuration in variables and files, a Secret by key, an account, a Service. */
function ordinary(name: string): PlainApplication {
  const container = {
    envFrom: [{ configMapRef: { name } }],
    env: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'token' } } }],
    volumeMounts: [{ name: 'rules', mountPath: '/etc/rules' }],
    livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10 },
  };
  return {
    deployment: deployment(name, {
      container,
      pod: { serviceAccountName: name, volumes: [{ name: 'rules', configMap: { name: `${name}-rules` } }] },
    }),
    service: service(name, 80),
    account: account(name),
    config: config(name, { LOG_LEVEL: 'info', REGION: 'north' }),
    rules: config(`${name}-rules`, { 'rules.txt': 'allow all\n' }),
    secret: {
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: meta(`${name}-token`),
      spec: {
        refreshInterval: '2m',
        secretStoreRef: { name: 'ameide-vault', kind: 'SecretStore' },
        target: { name: `${name}-token`, creationPolicy: 'Owner' },
        data: [{ secretKey: 'token', remoteRef: { key: 'secrets-smoke', property: 'value' } }],
      },
    },
  };
}

const DATABASE: PlainApplication = {
  set: {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('purchases-db'),
    spec: {
      serviceName: 'purchases-db',
      replicas: 1,
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: { 'app.kubernetes.io/name': 'purchases-db' } },
      template: {
        metadata: { labels: labels('purchases-db') },
        spec: {
          ...PLACEMENT,
          containers: [
            {
              name: 'postgres',
              image: 'docker.io/library/postgres:17.6',
              ports: [{ name: 'http', containerPort: 5432 }],
              readinessProbe: { tcpSocket: { port: 'http' } },
              volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql' }],
              resources: { requests: { cpu: '50m', memory: '128Mi' } },
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'managed-csi',
            resources: { requests: { storage: '8Gi' } },
          },
        },
      ],
    },
  },
  service: service('purchases-db', 5432),
};

/** The variable whose address a program dials: at its start, or as long as it is to be ready. */
const dials = (variable: string): Record<string, string> => ({ 'world.argosy.dev/dials': variable });
const dialsToBeReady = (variable: string): Record<string, string> => ({
  ...dials(variable),
  'world.argosy.dev/dials-for': 'readiness',
});

/** Ends when its database does not answer at its start. */
const PURCHASES: PlainApplication = {
  deployment: deployment('purchases', {
    template: dials('DATABASE_URL'),
    container: { env: [{ name: 'DATABASE_URL', value: `postgres://purchases-db.${NAMESPACE}.svc:5432/purchases` }] },
  }),
  service: service('purchases', 80),
};

/** A front whose program dials its back end. */
const STOREFRONT: PlainApplication = {
  deployment: deployment('storefront', {
    template: dials('PURCHASES_ADDRESS'),
    container: {
      env: [
        { name: 'PURCHASES_ADDRESS', valueFrom: { configMapKeyRef: { name: 'storefront', key: 'purchases-address' } } },
      ],
    },
    spec: { replicas: 2 },
  }),
  config: config('storefront', { 'purchases-address': 'purchases:80' }),
  service: service('storefront', 80),
  ingress: {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: meta('storefront'),
    spec: {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['shop.ameide.example.com'], secretName: 'gateway-tls' }],
      rules: [
        {
          host: 'shop.ameide.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'storefront', port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  },
};

const LEDGER: PlainApplication = { deployment: deployment('ledger', { port: 9000 }), service: service('ledger', 9000) };

/** Is ready only while the ledger answers. */
const INVOICES: PlainApplication = {
  deployment: deployment('invoices', {
    template: dialsToBeReady('LEDGER_ADDRESS'),
    container: { env: [{ name: 'LEDGER_ADDRESS', value: `http://ledger.${NAMESPACE}.svc.cluster.local:9000` }] },
  }),
  service: service('invoices', 80),
};

/** Claim and pod come in one wave; a migration runs before them. */
const ARCHIVE: PlainApplication = {
  claim: claim('archive-files', wave(1)),
  deployment: deployment('archive', {
    annotations: wave(1),
    spec: { strategy: { type: 'Recreate' } },
    container: { volumeMounts: [{ name: 'files', mountPath: '/files' }] },
    pod: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'archive-files' } }] },
  }),
  migration: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...meta('archive-migrate'),
      annotations: {
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
      },
    },
    spec: {
      backoffLimit: 1,
      template: {
        metadata: { labels: labels('archive-migrate') },
        spec: {
          ...PLACEMENT,
          restartPolicy: 'Never',
          containers: [{ name: 'migrate', image: 'registry.example.com/ameide/archive-migrate:2.4.1', args: ['up'] }],
        },
      },
    },
  },
};

const SEALED: PlainApplication = {
  sealed: {
    apiVersion: 'bitnami.com/v1alpha1',
    kind: 'SealedSecret',
    metadata: meta('licences-key'),
    spec: { encryptedData: { key: 'c2VhbGVk' } },
  },
  deployment: deployment('licences', {
    container: { env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'licences-key', key: 'key' } } }] },
  }),
};

const REGISTRY = 'image-registry.openshift-image-registry.svc:5000';

/** An image that is built in the cluster, and a pod of it. */
const WORKBENCH: PlainApplication = {
  stream: {
    apiVersion: 'image.openshift.io/v1',
    kind: 'ImageStream',
    metadata: { ...meta('workbench'), annotations: wave(-4) },
  },
  build: {
    apiVersion: 'build.openshift.io/v1',
    kind: 'BuildConfig',
    metadata: { ...meta('workbench'), annotations: wave(-4) },
    spec: {
      runPolicy: 'Serial',
      source: {
        type: 'Git',
        git: { uri: 'https://git.example.com/ameide/workbench.git', ref: 'main' },
        sourceSecret: { name: 'workbench-git' },
      },
      strategy: { type: 'Docker', dockerStrategy: {} },
      output: { to: { kind: 'ImageStreamTag', name: 'workbench:latest' } },
      triggers: [{ type: 'ConfigChange' }],
      nodeSelector: null,
    },
  },
  deployment: deployment('workbench', {
    annotations: wave(2),
    container: { image: `${REGISTRY}/${NAMESPACE}/workbench:latest` },
  }),
  waiting: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...meta('workbench-wait'),
      annotations: {
        'argocd.argoproj.io/hook': 'Sync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        ...wave(0),
      },
    },
    spec: {
      backoffLimit: 1,
      template: {
        metadata: {
          labels: labels('workbench-wait'),
          annotations: {
            'argosy.dev/simulate':
              '{"wait": {"after": "5m", "waitsFor": {"group": "image.openshift.io", "resource": ' +
              '"imagestreamtags", "name": "workbench:latest", "every": "10s"}}}',
          },
        },
        spec: {
          ...PLACEMENT,
          serviceAccountName: 'workbench-wait',
          restartPolicy: 'Never',
          containers: [
            {
              name: 'wait',
              image: 'quay.io/openshift/origin-cli:4.19',
              command: ['/bin/bash', '-c'],
              args: ['until oc get imagestreamtag workbench:latest; do sleep 10; done'],
            },
          ],
        },
      },
    },
  },
  account: { ...account('workbench-wait'), metadata: { ...meta('workbench-wait'), annotations: wave(-5) } },
  role: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { ...meta('workbench-wait'), annotations: wave(-5) },
    rules: [
      {
        apiGroups: ['image.openshift.io'],
        resources: ['imagestreams', 'imagestreamtags'],
        verbs: ['get', 'list', 'watch'],
      },
    ],
  },
  binding: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { ...meta('workbench-wait'), annotations: wave(-5) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'workbench-wait' },
    subjects: [{ kind: 'ServiceAccount', name: 'workbench-wait', namespace: NAMESPACE }],
  },
};

/** What the runner of the notebook says in its pod: all went well. */
const TRAINED = JSON.stringify({
  validator: {
    log: [
      { event: 'start', kernel: 'nbclient python3', cells: 1, codeCells: 1 },
      { event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 1 },
      { event: 'end', status: 'succeeded' },
    ].map((event) => `@argosy $(ARGOSY_NONCE) ${JSON.stringify(event)}`),
  },
});

/** A model that a notebook trains, and what serves it after that. */
const FORECASTS: PlainApplication = {
  claim: claim('forecasts-models', { ...wave(1), 'world.argosy.dev/models': 'forecasts' }),
  training: {
    apiVersion: 'mlops.mlops.dev/v1alpha1',
    kind: 'NotebookValidationJob',
    metadata: { ...meta('forecasts-training'), annotations: { ...wave(1), 'argosy.dev/simulate': TRAINED } },
    spec: {
      notebook: {
        git: { url: 'https://git.example.com/ameide/notebooks.git', ref: 'main' },
        path: 'notebooks/forecasts.ipynb',
      },
      podConfig: {
        containerImage: 'quay.io/jupyter/scipy-notebook:2025-10-01',
        ...PLACEMENT,
        volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }],
        volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'forecasts-models' } }],
      },
    },
  },
  serving: {
    apiVersion: 'serving.kserve.io/v1beta1',
    kind: 'InferenceService',
    metadata: {
      ...meta('forecasts'),
      annotations: { ...wave(2), 'serving.kserve.io/deploymentMode': 'RawDeployment' },
    },
    spec: {
      predictor: {
        ...PLACEMENT,
        model: {
          modelFormat: { name: 'sklearn' },
          storageUri: 'pvc://forecasts-models/forecasts',
          resources: { requests: { cpu: '50m', memory: '128Mi' } },
        },
      },
    },
  },
};

/** Every application that is kept as plain manifests, by name. */
export const PLAIN: Readonly<Record<string, PlainApplication>> = {
  ...Object.fromEntries(SERVICES.map((name) => [name, ordinary(name)])),
  'purchases-db': DATABASE,
  purchases: PURCHASES,
  storefront: STOREFRONT,
  ledger: LEDGER,
  invoices: INVOICES,
  archive: ARCHIVE,
  licences: SEALED,
  workbench: WORKBENCH,
  forecasts: FORECASTS,
};

export const plainFile = (application: string, part: string): string =>
  `sources/plain/apps/${application}/${part}.yaml`;
