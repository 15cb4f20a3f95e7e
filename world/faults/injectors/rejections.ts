import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injector } from '../injection/injector.js';
import { NAMESPACE, PLACEMENT } from '../injection/names.js';
import { app, claimRef, configMapRef, deploymentRef, jobRef, serviceRef } from '../injection/object-refs.js';
import { addObject, inNamespace, refusedBySync } from './shapes.js';

const job = (name: string, image: string): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: inNamespace(name),
  spec: { template: { spec: { ...PLACEMENT, restartPolicy: 'Never', containers: [{ name: 'load', image }] } } },
});
const cluster = (apiVersion: string, kind: string, name: string, spec: JsonObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

/** What the server does not take: values that cannot be, and fields that cannot change. */
export const REJECTIONS: readonly Injector[] = [
  {
    name: 'port-that-is-too-large',
    because: 'a container says a port that no machine has',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { ports: [{ name: 'http', containerPort: 80800 }] });
      return refusedBySync(
        app(name),
        {
          object: deploymentRef(name),
          field: 'spec.template.spec.containers[0].ports[0].containerPort',
          value: 80800,
          file,
        },
        'must be between 1 and 65535',
      );
    },
  },
  {
    name: 'variable-that-is-a-number',
    because: 'the value of a variable is written without quotes and is a number',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', {
        env: [
          { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'token' } } },
          { name: 'WORKERS', value: 8 },
        ],
      });
      return refusedBySync(
        app(name),
        { object: deploymentRef(name), field: 'spec.template.spec.containers[0].env[1].value', value: 8, file },
        'WORKERS',
      );
    },
  },
  {
    name: 'template-that-its-selector-does-not-match',
    because: 'the labels of the pods were changed, and the selector was not',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'deployment', {
        spec: { template: { metadata: { labels: { 'app.kubernetes.io/name': `${name}-next` } } } },
      });
      return refusedBySync(
        app(name),
        {
          object: deploymentRef(name),
          field: 'spec.template.metadata.labels["app.kubernetes.io/name"]',
          value: `${name}-next`,
          file,
        },
        '`selector` does not match template `labels`',
      );
    },
  },
  {
    name: 'schedule-that-is-none',
    because: 'the schedule of a CronJob cannot be read',
    inject(scene) {
      const name = scene.service();
      const object: KubeObject = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: inNamespace(`${name}-nightly`),
        spec: {
          schedule: 'every night',
          jobTemplate: {
            spec: {
              template: {
                spec: {
                  ...PLACEMENT,
                  restartPolicy: 'Never',
                  containers: [{ name: 'report', image: 'registry.example.com/ameide/report:1.2.0' }],
                },
              },
            },
          },
        },
      };
      const file = addObject(scene, name, 'nightly', object);
      return refusedBySync(
        app(name),
        {
          object: { apiVersion: 'batch/v1', kind: 'CronJob', namespace: NAMESPACE, name: `${name}-nightly` },
          field: 'spec.schedule',
          value: 'every night',
          file,
        },
        'spec.schedule',
      );
    },
  },
  {
    name: 'autoscaler-whose-bounds-are-crossed',
    because: 'an autoscaler wants at least more replicas than at most',
    inject(scene) {
      const name = scene.service();
      const object: KubeObject = {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: inNamespace(name),
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          minReplicas: 4,
          maxReplicas: 2,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
          ],
        },
      };
      const file = addObject(scene, name, 'autoscaler', object);
      return refusedBySync(
        app(name),
        {
          object: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: NAMESPACE, name },
          field: 'spec.maxReplicas',
          value: 2,
          file,
        },
        'must be greater than or equal to',
      );
    },
  },
  {
    name: 'service-address-that-cannot-change',
    because: 'git gives a Service another address than the one it has',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'service', { spec: { clusterIP: 'None' } });
      return refusedBySync(
        app(name),
        { object: serviceRef(name), field: 'spec.clusterIP', value: 'None', file },
        'spec.clusterIPs[0]',
      );
    },
  },
  {
    name: 'binding-whose-role-cannot-change',
    because: 'git lets a RoleBinding name another role, which cannot be changed',
    inject(scene) {
      scene.pick(['workbench']);
      const file = scene.plain('workbench', 'binding', { roleRef: { name: 'workbench-reader' } });
      return refusedBySync(
        app('workbench'),
        {
          object: {
            apiVersion: 'rbac.authorization.k8s.io/v1',
            kind: 'RoleBinding',
            namespace: NAMESPACE,
            name: 'workbench-wait',
          },
          field: 'roleRef.name',
          value: 'workbench-reader',
          file,
        },
        'roleRef',
      );
    },
  },
  {
    name: 'config-map-that-may-not-change',
    because: 'git changes the data of a ConfigMap that is immutable',
    inject(scene) {
      const name = scene.service();
      scene.plain(name, 'rules', { immutable: true });
      scene.play(60);
      const file = scene.plain(name, 'rules', { data: { 'rules.txt': 'allow some\n' } });
      return refusedBySync(
        app(name),
        { object: configMapRef(`${name}-rules`), field: 'data["rules.txt"]', value: 'allow some\n', file },
        'immutable',
      );
    },
  },
  {
    name: 'job-that-cannot-change',
    because: 'git changes the template of a Job that has run',
    inject(scene) {
      const name = scene.service();
      addObject(scene, name, 'load', job(`${name}-load`, 'registry.example.com/ameide/load:1.0.0'));
      scene.play(60);
      const file = addObject(scene, name, 'load', job(`${name}-load`, 'registry.example.com/ameide/load:1.1.0'));
      return refusedBySync(
        app(name),
        {
          object: jobRef(`${name}-load`),
          field: 'spec.template.spec.containers[0].image',
          value: 'registry.example.com/ameide/load:1.1.0',
          file,
        },
        'field is immutable',
      );
    },
  },
  {
    name: 'claim-that-cannot-shrink',
    because: 'git makes a claim smaller than it is',
    inject(scene) {
      scene.pick(['archive']);
      const file = scene.plain('archive', 'claim', { spec: { resources: { requests: { storage: '2Gi' } } } });
      return refusedBySync(
        app('archive'),
        { object: claimRef('archive-files'), field: 'spec.resources.requests.storage', value: '2Gi', file },
        'storage',
      );
    },
  },
  {
    name: 'quota-that-allows-no-more-objects',
    because: 'the quota of the namespace allows no Service with a port of the node',
    inject(scene) {
      const name = scene.service();
      const object = scene.apply({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: inNamespace('no-node-ports'),
        spec: { hard: { 'services.nodeports': '0' } },
      });
      scene.play(20);
      const file = scene.plain(name, 'service', { spec: { type: 'NodePort' } });
      return refusedBySync(
        app(name),
        { object, field: 'spec.hard["services.nodeports"]', value: '0', also: [serviceRef(name)], file },
        'exceeded quota',
      );
    },
  },
  {
    name: 'name-that-is-no-name',
    because: 'the name of an object has letters that names may not have',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'account', { metadata: { name: `${name}_account` } });
      return refusedBySync(
        app(name),
        {
          object: { apiVersion: 'v1', kind: 'ServiceAccount', namespace: NAMESPACE, name: `${name}_account` },
          field: 'metadata.name',
          value: `${name}_account`,
          file,
        },
        'RFC 1123',
      );
    },
  },
  {
    name: 'policy-that-refuses-latest',
    because: 'a policy of the cluster refuses images without a version',
    inject(scene) {
      const name = scene.service();
      const [group, rule] = ['admissionregistration.k8s.io/v1', 'images-have-a-version'];
      const policy = scene.apply(
        cluster(group, 'ValidatingAdmissionPolicy', rule, {
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['apps'],
                apiVersions: ['v1'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['deployments'],
              },
            ],
          },
          validations: [
            {
              expression:
                '!object.spec.template.spec.containers.exists(c, ' +
                'c.image.startsWith("registry.example.com/") && c.image.endsWith(":latest"))',
              message: 'an image needs a version, and latest is none',
            },
          ],
        }),
      );
      scene.apply(
        cluster(group, 'ValidatingAdmissionPolicyBinding', rule, { policyName: rule, validationActions: ['Deny'] }),
      );
      scene.play(10);
      const image = `registry.example.com/ameide/${name}:latest`;
      const file = scene.container(name, 'deployment', { image });
      return refusedBySync(
        app(name),
        {
          object: deploymentRef(name),
          field: 'spec.template.spec.containers[0].image',
          value: image,
          also: [policy],
          file,
        },
        'an image needs a version',
      );
    },
  },
];
