import type { Injection, Injector } from './injection/injector.js';
import { NAMESPACE, PLACEMENT, SERVICES } from './injection/names.js';
import { app, deploymentRef } from './injection/object-refs.js';
import { plainFile } from './injection/plain-applications.js';
import type { Scene } from './injection/scene.js';

const HARMLESS: Injection = { roots: [], signs: [], applications: [] };

const decoy = (name: string, because: string, act: (scene: Scene) => void): Injector => ({
  name,
  because,
  inject(scene) {
    act(scene);
    return HARMLESS;
  },
});

/** An Event about an object as it was a while ago; nothing is wrong with it any more. */
function oldWarning(scene: Scene, name: string, kind: string, reason: string, message: string): void {
  const time = '2025-12-05T10:40:00Z';
  scene.apply({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.18a7e1c0ffee${reason.length}`, namespace: NAMESPACE },
    involvedObject: {
      apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
      kind,
      namespace: NAMESPACE,
      name,
      uid: '00000000-0000-4000-8000-000000000001',
    },
    type: 'Warning',
    reason,
    message,
    count: 7,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: 'kubelet' },
  });
}

/** Harmless oddities, as every cluster has them. None of them is a cause of anything. */
export const DECOYS: readonly Injector[] = [
  decoy('warning-of-a-pod-that-is-gone', 'an old Event is about a pod that is gone', (scene) => {
    oldWarning(
      scene,
      `${scene.pick(SERVICES, 'decoy')}-6c7d9f5b4-x2x9k`,
      'Pod',
      'BackOff',
      'Back-off restarting failed container app in pod',
    );
  }),
  decoy('warning-about-scheduling-that-is-over', 'an old Event tells that a pod did not fit, and it fits', (scene) => {
    oldWarning(
      scene,
      `${scene.pick(SERVICES, 'decoy')}-7f8b6c9d5-q4tzp`,
      'Pod',
      'FailedScheduling',
      '0/3 nodes are available: 3 node(s) had untolerated taint(s).',
    );
  }),
  decoy('warning-about-an-image-that-is-there', 'an old Event is about an image that is there now', (scene) => {
    oldWarning(
      scene,
      `${scene.pick(SERVICES, 'decoy')}-5d9c7b8f6-mm2vd`,
      'Pod',
      'Failed',
      'Failed to pull image: toomanyrequests',
    );
  }),
  decoy('program-that-is-switched-off', 'a Deployment has no replicas on purpose', (scene) => {
    scene.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'load-generator', namespace: NAMESPACE },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'load-generator' } },
        template: {
          metadata: { labels: { app: 'load-generator' } },
          spec: { containers: [{ name: 'load', image: 'registry.example.com/load:1' }] },
        },
      },
    });
    scene.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'load-generator', namespace: NAMESPACE },
      spec: { selector: { app: 'load-generator' }, ports: [{ port: 80 }] },
    });
  }),
  decoy('schedule-that-is-suspended', 'a CronJob is suspended on purpose', (scene) => {
    scene.apply({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'monthly-report', namespace: NAMESPACE },
      spec: {
        schedule: '0 3 1 * *',
        suspend: true,
        jobTemplate: {
          spec: {
            template: {
              spec: {
                restartPolicy: 'Never',
                containers: [{ name: 'report', image: 'registry.example.com/report:1' }],
              },
            },
          },
        },
      },
    });
  }),
  decoy('claim-that-nobody-uses', 'a claim waits for a pod that nobody wants', (scene) => {
    scene.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'scratch', namespace: NAMESPACE },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'managed-csi',
        resources: { requests: { storage: '1Gi' } },
      },
    });
  }),
  decoy('optional-secret-that-is-not-there', 'a container would read a Secret if it were there', (scene) => {
    const name = scene.service();
    scene.container(name, 'deployment', {
      envFrom: [{ configMapRef: { name } }, { secretRef: { name: `${name}-extra`, optional: true } }],
    });
  }),
  decoy('pod-that-was-restarted-once', 'a container ended once, and is well', (scene) => {
    scene.program(scene.service(), { '*': { exitCode: 1, after: '5s', times: 1 } });
  }),
  decoy('job-that-failed-before-it-went-well', 'the first pod of a Job failed, the second went well', (scene) => {
    scene.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'import-prices', namespace: NAMESPACE },
      spec: {
        backoffLimit: 3,
        template: {
          metadata: { annotations: { 'argosy.dev/simulate': '{"*": {"exitCode": 1, "times": 1}}' } },
          spec: {
            ...PLACEMENT,
            restartPolicy: 'OnFailure',
            containers: [{ name: 'import', image: 'registry.example.com/import:1' }],
          },
        },
      },
    });
  }),
  decoy('application-that-is-frozen', 'an application is not looked at, on purpose', (scene) => {
    scene.application(app(scene.service()), {
      metadata: { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
    });
  }),
  decoy('labels-that-mean-nothing', 'an object has labels and annotations of somebody', (scene) => {
    scene.patch(deploymentRef(scene.pick(SERVICES, 'decoy')), {
      metadata: { labels: { 'cost-center': '4711' }, annotations: { note: 'broken? ask the team' } },
    });
  }),
  decoy('namespace-with-nothing-in-it', 'a namespace of an attempt', (scene) => {
    scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'playground' } });
  }),
  decoy('manager-that-logs-noise', 'a controller writes errors about its cache that mean nothing', (scene) => {
    scene.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'argocd-application-controller-0',
        namespace: 'argocd',
        labels: { 'app.kubernetes.io/component': 'application-controller' },
        annotations: {
          'argosy.dev/simulate': JSON.stringify({
            '*': {
              log: Array.from(
                { length: 12 },
                (_, index) =>
                  'level=error msg="DiffFromCache error: error getting managed resources for app ' +
                  `${app(SERVICES[index % SERVICES.length] ?? '')}: cache: key is missing"`,
              ),
            },
          }),
        },
      },
      spec: { ...PLACEMENT, containers: [{ name: 'application-controller', image: 'quay.io/argoproj/argocd:v3.1.9' }] },
    });
  }),
  decoy('old-file-in-git', 'a folder of git that no application reads has a broken manifest', (scene) => {
    scene.file(
      plainFile('attic', 'deployment'),
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: attic}\nspec: {replicas: -1}\n',
    );
  }),
  decoy('released-volume', 'a volume that its claim has left', (scene) => {
    scene.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'left-over' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'managed-csi',
        persistentVolumeReclaimPolicy: 'Retain',
        csi: { driver: 'disk.csi.azure.com', volumeHandle: 'left-over' },
      },
    });
    scene.patch(
      { apiVersion: 'v1', kind: 'PersistentVolume', name: 'left-over' },
      { metadata: { labels: { kept: 'for-audit' } } },
    );
  }),
  decoy('policy-that-hurts-nobody', 'a network policy closes pods that nobody needs', (scene) => {
    scene.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'batch-closed', namespace: NAMESPACE },
      spec: { podSelector: { matchLabels: { tier: 'batch' } }, policyTypes: ['Ingress', 'Egress'] },
    });
  }),
  decoy(
    'node-of-others-that-is-cordoned',
    'a node of another pool takes no new pods, and nothing waits for it',
    (scene) => {
      scene.apply({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'spare-0', labels: { 'kubernetes.io/hostname': 'spare-0', 'ameide.io/pool': 'spare' } },
        spec: { unschedulable: true, taints: [{ key: 'spare', value: 'true', effect: 'NoSchedule' }] },
      });
    },
  ),
  decoy('quota-that-is-nearly-used-up', 'a quota has little left, and nothing asks for more', (scene) => {
    scene.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'node-ports', namespace: NAMESPACE },
      spec: { hard: { 'services.nodeports': '1' } },
    });
  }),
  decoy('service-of-something-outside', 'a Service has no selector, because what answers is outside', (scene) => {
    scene.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'partner', namespace: NAMESPACE },
      spec: { type: 'ExternalName', externalName: 'api.partner.example.com' },
    });
  }),
  decoy('role-of-nobody', 'a binding names an account that is gone, and nobody misses it', (scene) => {
    scene.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'former-team', namespace: NAMESPACE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'former-team', namespace: NAMESPACE }],
    });
  }),
  decoy(
    'variable-with-an-address-that-nobody-dials',
    'a program has the address of a service that is gone, and does not use it',
    (scene) => {
      const name = scene.service();
      scene.container(name, 'deployment', {
        env: [
          { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'token' } } },
          { name: 'LEGACY_URL', value: 'http://legacy:8080' },
        ],
      });
    },
  ),
  decoy('program-that-complains', 'a program writes errors about a neighbour now and then, and is well', (scene) => {
    scene.program(scene.service(), {
      '*': { log: ['ERROR retrying: dial tcp 10.0.0.99:443: i/o timeout', 'retry succeeded'] },
    });
  }),
];
