import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { NAMESPACE } from '../injection/names.js';
import { app, applicationRef, deploymentRef, podRef, serviceRef, statefulSetRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import type { Scene } from '../injection/scene.js';

const crashing = (terminated: JsonObject): JsonObject => ({
  status: { containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated } }] },
});

/** A service whose new program ends again and again. */
function crashes(
  scene: Scene,
  patch: JsonObject,
  behaviour: JsonObject,
  root: Omit<Root, 'object' | 'file'>,
  signs: (name: string) => Sign[],
): Injection {
  const name = scene.service();
  scene.program(name, { '*': behaviour }, typeof root.value === 'string' ? root.value : undefined);
  const file = scene.container(name, 'deployment', patch);
  return { roots: [{ object: deploymentRef(name), ...root, file }], applications: [app(name)], signs: signs(name) };
}

export const RUNTIME: readonly Injector[] = [
  {
    name: 'memory-limit-that-is-too-low',
    because: 'a container needs more memory than its limit',
    inject: (scene) =>
      crashes(
        scene,
        { resources: { requests: { cpu: '20m', memory: '16Mi' }, limits: { memory: '24Mi' } } },
        { exitCode: 137, reason: 'OOMKilled', after: '3s' },
        { field: 'spec.template.spec.containers[0].resources.limits.memory', value: '24Mi' },
        (name) => [{ object: podRef(`${name}-*`), shows: crashing({ reason: 'OOMKilled', exitCode: 137 }) }],
      ),
  },
  {
    name: 'command-that-is-not-in-the-image',
    because: 'a container is started with a command that its image does not have',
    inject: (scene) =>
      crashes(
        scene,
        { command: ['/usr/bin/serve-next'] },
        {
          exitCode: 127,
          after: '1s',
          message: 'exec: "/usr/bin/serve-next": stat /usr/bin/serve-next: no such file or directory',
          log: ['/usr/bin/serve-next: not found'],
        },
        { field: 'spec.template.spec.containers[0].command[0]', value: '/usr/bin/serve-next' },
        (name) => [{ object: podRef(`${name}-*`), shows: crashing({ exitCode: 127 }) }],
      ),
  },
  {
    name: 'configuration-that-the-program-refuses',
    because: 'a program ends because it cannot read a value of its configuration',
    inject(scene) {
      const name = scene.service();
      scene.program(name, {
        '*': { exitCode: 2, after: '2s', log: ['fatal: LOG_LEVEL: "chatty" is not one of debug, info, warn, error'] },
      });
      const file = scene.plain(name, 'config', { data: { LOG_LEVEL: 'chatty' } });
      scene.play(40);
      scene.remove(podRef(`${name}-*`));
      return {
        roots: [
          {
            object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name },
            field: 'data.LOG_LEVEL',
            value: 'chatty',
            also: [deploymentRef(name)],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          { object: podRef(`${name}-*`), shows: crashing({ exitCode: 2 }) },
          { object: podRef(`${name}-*`), log: 'LOG_LEVEL' },
        ],
      };
    },
  },
  {
    name: 'release-with-a-defect',
    because: 'a new release of the program ends with an error of its own',
    inject(scene) {
      const name = scene.service();
      return crashesOn(scene, name, `registry.example.com/ameide/${name}:3.0.0`);
    },
  },
  {
    name: 'liveness-probe-of-a-wrong-port',
    because: 'the liveness probe asks a port on which nobody answers',
    inject: (scene) =>
      crashes(
        scene,
        { livenessProbe: { httpGet: { path: '/live', port: 9999 }, periodSeconds: 10 } },
        { alive: '5s' },
        { field: 'spec.template.spec.containers[0].livenessProbe.httpGet.port', value: 9999 },
        (name) => [{ object: podRef(`${name}-*`), event: { reason: 'Unhealthy', words: 'Liveness probe failed' } }],
      ),
  },
  {
    name: 'readiness-probe-of-a-wrong-path',
    because: 'the readiness probe asks for a path that the program does not have',
    inject: (scene) =>
      crashes(
        scene,
        { readinessProbe: { httpGet: { path: '/readiness', port: 'http' } } },
        { ready: false },
        { field: 'spec.template.spec.containers[0].readinessProbe.httpGet.path', value: '/readiness' },
        (name) => [
          {
            object: podRef(`${name}-*`),
            shows: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }] } },
          },
          { object: podRef(`${name}-*`), event: { reason: 'Unhealthy', words: 'Readiness probe failed' } },
        ],
      ),
  },
  {
    name: 'init-container-that-fails',
    because: 'the container that prepares the pod ends with an error',
    inject(scene) {
      const name = scene.service();
      scene.program(name, {
        prepare: { exitCode: 1, after: '1s', log: ['cannot read /etc/rules/schema.json: no such file or directory'] },
      });
      const file = scene.plain(name, 'deployment', {
        spec: {
          template: {
            spec: {
              initContainers: [
                {
                  name: 'prepare',
                  image: 'registry.example.com/ameide/prepare:1.0.0',
                  volumeMounts: [{ name: 'rules', mountPath: '/etc/rules' }],
                },
              ],
            },
          },
        },
      });
      return {
        roots: [{ object: deploymentRef(name), field: 'spec.template.spec.initContainers[0]', value: null, file }],
        applications: [app(name)],
        signs: [
          {
            object: podRef(`${name}-*`),
            shows: {
              status: { initContainerStatuses: [{ name: 'prepare', lastState: { terminated: { exitCode: 1 } } }] },
            },
          },
        ],
      };
    },
  },
  {
    name: 'database-that-was-scaled-away',
    because: 'the database of a chain of programs has no replicas',
    isBroad: true,
    inject(scene) {
      for (const name of ['purchases-db', 'purchases', 'storefront']) scene.pick([name], name);
      const file = scene.plain('purchases-db', 'set', { spec: { replicas: 0 } });
      scene.play(60);
      scene.remove(podRef('purchases-*'));
      scene.play(30);
      scene.remove(podRef('storefront-*'));
      return {
        roots: [{ object: statefulSetRef('purchases-db'), field: 'spec.replicas', value: 0, file }],
        applications: [app('purchases'), app('storefront')],
        signs: [
          { object: podRef('purchases-*'), log: 'connection refused' },
          { object: podRef('purchases-*'), shows: crashing({ exitCode: 1 }) },
          { object: podRef('storefront-*'), shows: crashing({ exitCode: 1 }) },
        ],
      };
    },
  },
  {
    name: 'service-that-left-git',
    because: 'the Service that programs ask for by its name was taken out of git',
    inject(scene) {
      for (const name of ['purchases-db', 'purchases', 'storefront']) scene.pick([name], name);
      const file = plainFile('purchases', 'service');
      scene.file(file, undefined);
      scene.play(60);
      scene.remove(podRef('storefront-*'));
      return {
        roots: [{ object: serviceRef('purchases'), field: 'metadata.name', value: null, file }],
        applications: [app('storefront')],
        signs: [
          { object: serviceRef('purchases'), isAbsent: true },
          { object: podRef('storefront-*'), log: 'no such host' },
          { object: podRef('storefront-*'), shows: crashing({ exitCode: 1 }) },
        ],
      };
    },
  },
  {
    name: 'autoscaler-of-a-target-that-is-not-there',
    because: 'an autoscaler names a Deployment that does not exist',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'autoscaler');
      scene.file(
        file,
        `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ` +
          `${name}-web}\n  minReplicas: 1\n  maxReplicas: 4\n  metrics: [{type: Resource, resource: {name: ` +
          'cpu, target: {type: Utilization, averageUtilization: 80}}}]\n',
      );
      const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: NAMESPACE, name };
      return {
        roots: [
          {
            object,
            field: 'spec.scaleTargetRef.name',
            value: `${name}-web`,
            also: [deploymentRef(`${name}-web`)],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object,
            shows: { status: { conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }] } },
          },
        ],
      };
    },
  },
  {
    name: 'object-that-waits-for-its-finalizer',
    because: 'an object has the finalizer of a controller that is not there, and never goes',
    inject(scene) {
      const name = scene.service();
      scene.patch(
        { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `${name}-rules` },
        { metadata: { finalizers: ['rules.example.com/archive'] } },
      );
      scene.play(20);
      const file = plainFile(name, 'rules');
      scene.file(file, undefined);
      scene.plain(name, 'deployment', { spec: { template: { spec: { volumes: [{ name: 'rules', emptyDir: {} }] } } } });
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: NAMESPACE, name: `${name}-rules` };
      return {
        roots: [{ object, field: 'metadata.finalizers[0]', value: 'rules.example.com/archive', file }],
        applications: [app(name)],
        signs: [
          { object, shows: { metadata: { finalizers: ['rules.example.com/archive'] } } },
          { object: applicationRef(app(name)), shows: { status: { sync: { status: 'OutOfSync' } } } },
        ],
      };
    },
  },
  {
    name: 'definition-whose-names-are-taken',
    because: 'a definition wants a name that another definition has',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'definition');
      scene.file(
        file,
        (
          `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ` +
          `certs.certs.example.com}\nspec:\n  group: cert-manager.io\n  scope: Namespaced\n  names: {plural: ` +
          `certs, singular: certificate, kind: Certificate, listKind: CertificateList}\n  versions: [{name: ` +
          `v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, ` +
          `x-kubernetes-preserve-unknown-fields: true}}}]\n`
        ).replace('certs.certs.example.com', 'certs.cert-manager.io'),
      );
      const object = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        name: 'certs.cert-manager.io',
      };
      return {
        roots: [{ object, field: 'spec.names.kind', value: 'Certificate', file }],
        applications: [app(name)],
        signs: [{ object, shows: { status: { conditions: [{ type: 'NamesAccepted', status: 'False' }] } } }],
      };
    },
  },
];

function crashesOn(scene: Scene, name: string, image: string): Injection {
  scene.program(
    name,
    {
      '*': {
        exitCode: 1,
        after: '4s',
        log: ['panic: runtime error: index out of range [3] with length 3', 'goroutine 1 [running]:'],
      },
    },
    image,
  );
  const file = scene.container(name, 'deployment', { image });
  return {
    roots: [{ object: deploymentRef(name), field: 'spec.template.spec.containers[0].image', value: image, file }],
    applications: [app(name)],
    signs: [
      { object: podRef(`${name}-*`), shows: crashing({ exitCode: 1 }) },
      { object: podRef(`${name}-*`), log: 'panic' },
    ],
  };
}
