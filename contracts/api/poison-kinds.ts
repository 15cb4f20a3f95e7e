import type { JsonObject } from '../../src/model/json/index.js';

export interface Kind {
  readonly path: string;
  /** The document of OpenAPI v3 that has its schema. */
  readonly document: string;
  readonly object: JsonObject;
}

const DESTINATION = { server: 'https://kubernetes.default.svc', namespace: 'default' };
const SOURCE = { repoURL: 'https://127.0.0.1:1/shop.git', path: 'web', targetRevision: 'main' };
const ARGO = { document: 'apis/argoproj.io/v1alpha1' };

/** What a tenant may write: a sound object of each kind, in a namespace of its own. */
export const KINDS: readonly Kind[] = [
  {
    path: '/api/v1/namespaces/default/pods',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      spec: {
        nodeName: 'node-1',
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'web',
            image: 'nginx:1.27',
            command: ['sleep', '$(PORT)'],
            env: [{ name: 'PORT', value: '80' }],
            ports: [{ containerPort: 80 }],
            volumeMounts: [{ name: 'data', mountPath: '/data', subPath: 'a' }],
            readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
            livenessProbe: { exec: { command: ['true'] } },
            terminationMessagePath: '/dev/termination-log',
            resources: { limits: { memory: '64Mi' } },
          },
        ],
      },
    },
  },
  {
    path: '/api/v1/namespaces/default/services',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
  },
  {
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    document: 'api/v1',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      spec: {
        project: 'default',
        source: SOURCE,
        destination: DESTINATION,
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'], retry: {} },
        ignoreDifferences: [{ kind: 'Deployment', jsonPointers: ['/spec/replicas'], jqPathExpressions: ['.spec'] }],
      },
      operation: { sync: { revision: 'main' } },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      spec: {
        goTemplate: true,
        generators: [{ list: { elements: [{ name: 'a' }] } }, { clusters: { selector: { matchLabels: { a: 'b' } } } }],
        template: {
          metadata: { name: 'set-{{ .name }}' },
          spec: { project: 'none', source: SOURCE, destination: DESTINATION },
        },
      },
    },
  },
  {
    ...ARGO,
    path: '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        roles: [{ name: 'r', policies: ['p, proj:x:r, applications, get, x/*, allow'], groups: ['g'] }],
        syncWindows: [{ kind: 'allow', schedule: '10 1 * * *', duration: '1h', applications: ['*'] }],
      },
    },
  },
  {
    path: '/apis/mlops.mlops.dev/v1alpha1/namespaces/default/notebookvalidationjobs',
    document: 'apis/mlops.mlops.dev/v1alpha1',
    object: {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      spec: {
        notebook: { git: { url: 'https://127.0.0.1:1/n.git', ref: 'main' }, path: 'a.ipynb' },
        podConfig: { containerImage: 'jupyter:1' },
      },
    },
  },
];
