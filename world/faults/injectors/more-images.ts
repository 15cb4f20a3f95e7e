import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root } from '../injection/label.js';
import { BUILDS } from '../base-world.js';
import { NAMESPACE } from '../injection/names.js';
import { app, deploymentRef, podRef } from '../injection/object-refs.js';
import type { Scene } from '../injection/scene.js';
import { waiting, wrongDeployment } from './shapes.js';

const IMAGE = 'spec.template.spec.containers[0].image';
const BUILD_CONFIG = {
  apiVersion: 'build.openshift.io/v1',
  kind: 'BuildConfig',
  namespace: NAMESPACE,
  name: 'workbench',
};

/** A service whose image the registry does not give. */
function notGiven(scene: Scene, repository: string, answer: string, words: string, outside: string): Injection {
  const name = scene.service();
  const [registry, path] = [
    repository.slice(0, repository.indexOf('/')),
    repository.slice(repository.indexOf('/') + 1),
  ];
  scene.images([{ registry, repository: `${path}/${name}`, answer }]);
  const image = `${repository}/${name}:2.4.1`;
  const file = scene.container(name, 'deployment', { image });
  return wrongDeployment(
    name,
    { field: IMAGE, value: image, file, outside },
    { shows: waiting('ImagePullBackOff') },
    { event: { reason: 'Failed', words } },
  );
}

/** A new build of the image that is made in the cluster does not come to its end. */
function buildFails(
  scene: Scene,
  spec: JsonObject,
  root: Omit<Root, 'object' | 'file'>,
  shows: { readonly phase: string; readonly reason: string },
): Injection {
  scene.pick(['workbench']);
  scene.apply(BUILDS);
  const file = scene.plain('workbench', 'build', { spec });
  scene.play(60);
  scene.patch(BUILD_CONFIG, { metadata: { annotations: { 'world.argosy.dev/start-build': '2' } } });
  return {
    roots: [{ object: BUILD_CONFIG, ...root, file }],
    applications: [app('workbench')],
    signs: [{ object: { ...BUILD_CONFIG, kind: 'Build', name: 'workbench-2' }, shows: { status: { ...shows } } }],
  };
}

/** Images that cannot be had, and builds that do not make them. */
export const MORE_IMAGES: readonly Injector[] = [
  {
    name: 'registry-that-does-not-answer',
    because: 'the registry of an image cannot be reached',
    inject: (scene) =>
      notGiven(
        scene,
        'mirror.example.com/ameide',
        'unreachable',
        'mirror.example.com',
        'the registry mirror.example.com',
      ),
  },
  {
    name: 'repository-that-may-not-be-read',
    because: 'the registry does not let anybody read the repository of an image',
    inject: (scene) =>
      notGiven(scene, 'docker.io/ameideprivate', 'denied', 'pull access denied', 'rights on docker.io/ameideprivate'),
  },
  {
    name: 'pull-secret-with-an-old-password',
    because: 'the registry does not take the password of the pull secret any more',
    inject(scene) {
      const name = scene.service();
      const repository = `ameide/${name}-private`;
      scene.images([{ registry: 'registry.example.com', repository, credentials: { robot: 'of-this-year' } }]);
      const secret = scene.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-pull`, namespace: NAMESPACE },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: {
          '.dockerconfigjson': JSON.stringify({
            auths: {
              'registry.example.com': { username: 'robot', password: 'of-last-year', auth: 'cm9ib3Q6b2YtbGFzdC15ZWFy' },
            },
          }),
        },
      });
      scene.plain(name, 'deployment', {
        spec: { template: { spec: { imagePullSecrets: [{ name: `${name}-pull` }] } } },
      });
      const file = scene.container(name, 'deployment', { image: `registry.example.com/${repository}:2.4.1` });
      const { signs, applications } = wrongDeployment(
        name,
        { field: IMAGE, value: null },
        { shows: waiting('ImagePullBackOff') },
        { event: { reason: 'Failed', words: 'registry.example.com' } },
      );
      return {
        roots: [{ object: secret, field: 'data[".dockerconfigjson"]', value: null, also: [deploymentRef(name)], file }],
        applications,
        signs,
      };
    },
  },
  {
    name: 'image-that-may-not-be-pulled',
    because: 'a container may only use an image that its node has, and the node has it not',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', {
        image: `registry.example.com/ameide/${name}:2.4.1-local`,
        imagePullPolicy: 'Never',
      });
      return wrongDeployment(
        name,
        { field: 'spec.template.spec.containers[0].imagePullPolicy', value: 'Never', file },
        { shows: waiting('ErrImageNeverPull') },
      );
    },
  },
  {
    name: 'image-of-an-init-container-that-is-not-there',
    because: 'the image of the container that prepares the pod does not exist',
    inject(scene) {
      const name = scene.service();
      const image = 'registry.example.com/ameide/prepare:0.9.0';
      scene.images([{ registry: 'registry.example.com', repository: 'ameide/prepare', tags: ['1.0.0'] }]);
      const file = scene.plain(name, 'deployment', {
        spec: { template: { spec: { initContainers: [{ name: 'prepare', image }] } } },
      });
      const { roots, applications } = wrongDeployment(name, {
        field: 'spec.template.spec.initContainers[0].image',
        value: image,
        file,
        outside: 'tag 0.9.0 of registry.example.com/ameide/prepare',
      });
      return {
        roots,
        applications,
        signs: [
          {
            object: podRef(`${name}-*`),
            shows: {
              status: {
                initContainerStatuses: [{ name: 'prepare', state: { waiting: { reason: 'ImagePullBackOff' } } }],
              },
            },
          },
        ],
      };
    },
  },
  {
    name: 'build-into-a-stream-that-is-not-there',
    because: 'a build writes into an ImageStream that nobody made',
    inject: (scene) =>
      buildFails(
        scene,
        { output: { to: { name: 'workbench-next:latest' } } },
        {
          field: 'spec.output.to.name',
          value: 'workbench-next:latest',
          also: [
            { apiVersion: 'image.openshift.io/v1', kind: 'ImageStream', namespace: NAMESPACE, name: 'workbench-next' },
          ],
        },
        { phase: 'New', reason: 'InvalidOutputReference' },
      ),
  },
  {
    name: 'build-from-an-image-that-is-not-there',
    because: 'a build begins with a tag that its ImageStream does not have',
    inject: (scene) =>
      buildFails(
        scene,
        { strategy: { dockerStrategy: { from: { kind: 'ImageStreamTag', name: 'workbench:base' } } } },
        { field: 'spec.strategy.dockerStrategy.from.name', value: 'workbench:base' },
        { phase: 'New', reason: 'InvalidImageReference' },
      ),
  },
];
