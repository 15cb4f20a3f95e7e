import type { JsonObject } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root } from '../injection/label.js';
import { PLACEMENT } from '../injection/names.js';
import { app, claimRef, configMapRef, deploymentRef, externalSecretRef, podRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';
import { addObject, crashing, inNamespace, simulateProgram, wrongDeployment, wrongObject } from './shapes.js';

const TEMPLATE = 'spec.template.spec';
const CONTAINER = `${TEMPLATE}.containers[0]`;

/** The new template of a service makes its program end, and its log says why. */
function endsWith(
  scene: Scene,
  patch: JsonObject,
  root: { readonly field: string; readonly value: Root['value'] },
  exitCode: number,
  line: string,
): Injection {
  const name = scene.service();
  const file = simulateProgram(scene, name, patch, { exitCode, after: '2s', log: [line] });
  return wrongDeployment(name, { ...root, file }, { shows: crashing({ exitCode }) }, { log: line });
}

/** What the pods of a service read is changed; they are made anew and end. */
function endsWhenMadeAnew(scene: Scene, name: string, root: Root, exitCode: number, line: string): Injection {
  scene.program(name, { '*': { exitCode, after: '2s', log: [line] } });
  scene.play(40);
  scene.remove(podRef(`${name}-*`));
  const object = podRef(`${name}-*`);
  return {
    roots: [root],
    applications: [app(name)],
    signs: [
      { object, shows: crashing({ exitCode }) },
      { object, log: line },
    ],
  };
}

const job = (name: string, spec: JsonObject, simulate: JsonObject): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: inNamespace(name),
  spec: {
    ...spec,
    template: {
      metadata: { annotations: { 'argosy.dev/simulate': JSON.stringify(simulate) } },
      spec: {
        ...PLACEMENT,
        restartPolicy: 'Never',
        containers: [{ name: 'load', image: 'registry.example.com/ameide/load:1.0.0' }],
      },
    },
  },
});

/** Programs that do not run as they are told to, and workloads that do not go on. */
export const PROGRAMS: readonly Injector[] = [
  {
    name: 'argument-that-the-program-does-not-know',
    because: 'a program is started with a flag that it does not know',
    inject: (scene) =>
      endsWith(
        scene,
        { args: ['--listen=:8080', '--cache-ttl=5m'] },
        { field: `${CONTAINER}.args[1]`, value: '--cache-ttl=5m' },
        2,
        'flag provided but not defined: -cache-ttl',
      ),
  },
  {
    name: 'variable-that-is-not-set',
    because: 'a variable that the program needs was taken out of its container',
    inject: (scene) =>
      endsWith(
        scene,
        { env: null },
        { field: `${CONTAINER}.env`, value: null },
        1,
        'fatal: environment variable API_TOKEN is required and not set',
      ),
  },
  {
    name: 'file-system-that-is-read-only',
    because: 'the program writes to its root file system, which may only be read',
    inject: (scene) =>
      endsWith(
        scene,
        { securityContext: { readOnlyRootFilesystem: true } },
        { field: `${CONTAINER}.securityContext.readOnlyRootFilesystem`, value: true },
        1,
        'open /var/cache/app/index.tmp: read-only file system',
      ),
  },
  {
    name: 'user-that-may-not-listen-there',
    because: 'a program runs as a user that may not open the port it should listen on',
    inject: (scene) =>
      endsWith(
        scene,
        { securityContext: { runAsUser: 1001, capabilities: { drop: ['ALL'] } } },
        { field: `${CONTAINER}.securityContext.runAsUser`, value: 1001 },
        1,
        'listen tcp 0.0.0.0:80: bind: permission denied',
      ),
  },
  {
    name: 'image-of-another-architecture',
    because: 'the image was built for another kind of processor',
    inject(scene) {
      const name = scene.service();
      const image = `registry.example.com/ameide/${name}:2.4.1-arm64`;
      const file = simulateProgram(
        scene,
        name,
        { image },
        { exitCode: 255, after: '1s', log: ['exec /usr/local/bin/app: exec format error'] },
      );
      return wrongDeployment(
        name,
        { field: `${CONTAINER}.image`, value: image, file },
        { shows: crashing({ exitCode: 255 }) },
        { log: 'exec format error' },
      );
    },
  },
  {
    name: 'account-token-that-is-not-mounted',
    because: 'a program asks the server, and its pod has no token',
    inject(scene) {
      const name = scene.service();
      const line = 'open /var/run/secrets/kubernetes.io/serviceaccount/token: no such file or directory';
      scene.program(name, { '*': { exitCode: 1, after: '2s', log: [line] } });
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { automountServiceAccountToken: false } } },
      });
      return wrongDeployment(
        name,
        { field: `${TEMPLATE}.automountServiceAccountToken`, value: false, file },
        { shows: crashing({ exitCode: 1 }) },
        { log: line },
      );
    },
  },
  {
    name: 'configuration-file-that-is-broken',
    because: 'a program cannot read the file that a ConfigMap gives it',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'rules', { data: { 'rules.txt': 'allow all unless\n' } });
      return endsWhenMadeAnew(
        scene,
        name,
        {
          object: configMapRef(`${name}-rules`),
          field: 'data["rules.txt"]',
          value: 'allow all unless\n',
          also: [deploymentRef(name)],
          file,
        },
        3,
        '/etc/rules/rules.txt:1: unexpected end of line after "unless"',
      );
    },
  },
  {
    name: 'secret-with-the-value-of-something-else',
    because: 'an ExternalSecret takes the entry of something else, and the program is not let in',
    inject(scene) {
      const name = scene.service();
      const file = scene.plain(name, 'secret', {
        spec: { data: [{ secretKey: 'token', remoteRef: { key: 'ghcr-dockerconfig' } }] },
      });
      return endsWhenMadeAnew(
        scene,
        name,
        {
          object: externalSecretRef(`${name}-token`),
          field: 'spec.data[0].remoteRef.key',
          value: 'ghcr-dockerconfig',
          also: [deploymentRef(name)],
          file,
        },
        1,
        'login refused: 401 Unauthorized: API_TOKEN is not a token',
      );
    },
  },
  {
    name: 'volume-that-is-full',
    because: 'the volume of a program is full',
    inject(scene) {
      scene.pick(['archive']);
      scene.program('archive', {
        '*': { exitCode: 1, after: '3s', log: ['write /files/2025-12-05.tar: no space left on device'] },
      });
      scene.remove(podRef('archive-*'));
      return {
        roots: [
          {
            object: claimRef('archive-files'),
            field: 'spec.resources.requests.storage',
            value: '4Gi',
            also: [deploymentRef('archive')],
          },
        ],
        applications: [app('archive')],
        signs: [
          { object: podRef('archive-*'), shows: crashing({ exitCode: 1 }) },
          { object: podRef('archive-*'), log: 'no space left on device' },
        ],
      };
    },
  },
  {
    name: 'liveness-probe-that-is-too-impatient',
    because: 'the liveness probe kills a program that needs longer to start',
    inject(scene) {
      const name = scene.service();
      const probe = {
        httpGet: { path: '/live', port: 'http' },
        initialDelaySeconds: 2,
        periodSeconds: 2,
        failureThreshold: 1,
      };
      const file = simulateProgram(
        scene,
        name,
        { livenessProbe: probe },
        { alive: false, ready: '90s', log: ['loading 4.1 million prices'] },
      );
      return wrongDeployment(
        name,
        { field: `${CONTAINER}.livenessProbe.initialDelaySeconds`, value: 2, file },
        { event: { reason: 'Unhealthy', words: 'Liveness probe failed' } },
        { event: { reason: 'Killing', words: 'failed liveness probe' } },
      );
    },
  },
  {
    name: 'startup-probe-that-gives-up-too-early',
    because: 'the startup probe gives up before the program has started',
    inject(scene) {
      const name = scene.service();
      const file = simulateProgram(
        scene,
        name,
        { startupProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5, failureThreshold: 2 } },
        { ready: '120s', log: ['building the index'] },
      );
      return wrongDeployment(
        name,
        { field: `${CONTAINER}.startupProbe.failureThreshold`, value: 2, file },
        { event: { reason: 'Unhealthy', words: 'Startup probe failed' } },
        { event: { reason: 'Killing', words: 'failed startup probe' } },
      );
    },
  },
  {
    name: 'processor-limit-that-starves-the-program',
    because: 'a container may use so little processor time that it never becomes ready',
    inject(scene) {
      const name = scene.service();
      const file = simulateProgram(
        scene,
        name,
        { resources: { requests: { cpu: '1m', memory: '48Mi' }, limits: { cpu: '1m', memory: '256Mi' } } },
        { ready: false, log: ['still starting after 120 s'] },
      );
      return wrongDeployment(
        name,
        { field: `${CONTAINER}.resources.limits.cpu`, value: '1m', file },
        { event: { reason: 'Unhealthy', words: 'Readiness probe failed' } },
      );
    },
  },
  {
    name: 'program-that-listens-on-another-port',
    because: 'a variable lets the program listen on another port than its probes and Service ask',
    inject(scene) {
      const name = scene.service();
      const token = { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'token' } } };
      const file = simulateProgram(
        scene,
        name,
        {
          env: [token, { name: 'PORT', value: '9090' }],
          readinessProbe: { httpGet: null, tcpSocket: { port: 'http' } },
        },
        { ready: false, log: ['listening on 0.0.0.0:9090'] },
      );
      return wrongDeployment(
        name,
        { field: `${CONTAINER}.env[1].value`, value: '9090', file },
        { event: { reason: 'Unhealthy', words: 'connection refused' } },
        { log: 'listening on 0.0.0.0:9090' },
      );
    },
  },
  {
    name: 'job-that-fails',
    because: 'the program of a Job ends with an error, as often as it is tried',
    inject(scene) {
      const name = scene.service();
      const object = job(
        `${name}-load`,
        { backoffLimit: 1 },
        { '*': { exitCode: 1, after: '2s', log: ['prices.csv: line 7: not a number: "free"'] } },
      );
      const file = addObject(scene, name, 'load', object);
      const injection = wrongObject(
        name,
        object,
        { field: 'spec.template.spec.containers[0]', value: null, file },
        { shows: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } } },
      );
      return { ...injection, signs: [...injection.signs, { object: podRef(`${name}-load-*`), log: 'not a number' }] };
    },
  },
  {
    name: 'job-that-takes-too-long',
    because: 'a Job has less time than its program needs',
    inject(scene) {
      const name = scene.service();
      const object = job(`${name}-load`, { activeDeadlineSeconds: 20 }, { '*': { after: '30m', log: ['loading'] } });
      const file = addObject(scene, name, 'load', object);
      return wrongObject(
        name,
        object,
        { field: 'spec.activeDeadlineSeconds', value: 20, file },
        { shows: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }] } } },
      );
    },
  },
  {
    name: 'rollout-that-is-paused',
    because: 'a Deployment is paused, so its new template is not rolled out',
    inject(scene) {
      const name = scene.service();
      scene.plain(name, 'deployment', { spec: { paused: true } });
      const file = scene.container(name, 'deployment', { image: `registry.example.com/ameide/${name}:2.5.0` });
      return {
        roots: [{ object: deploymentRef(name), field: 'spec.paused', value: true, file }],
        applications: [app(name)],
        signs: [
          {
            object: deploymentRef(name),
            shows: { status: { conditions: [{ type: 'Progressing', reason: 'DeploymentPaused' }] } },
          },
        ],
      };
    },
  },
];
