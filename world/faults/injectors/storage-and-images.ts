import type { JsonObject } from '../../../src/model/json/index.js';
import { BUILDS } from '../base-world.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { NAMESPACE } from '../injection/names.js';
import {
  app,
  applicationRef,
  claimRef,
  deploymentRef,
  externalSecretRef,
  jobRef,
  podRef,
  secretRef,
} from '../injection/object-refs.js';
import { chartService, type Scene } from '../injection/scene.js';

const waiting = (reason: string, words: string): JsonObject => ({
  status: { containerStatuses: [{ state: { waiting: { reason, message: `~${words}` } } }] },
});

/** The archive gets a claim of another name, because claims cannot be changed. */
function newClaim(
  scene: Scene,
  spec: JsonObject,
  root: Omit<Root, 'object' | 'file'>,
  event: { readonly reason: string; readonly words: string },
): Injection {
  scene.pick(['archive']);
  const file = scene.plain('archive', 'claim', { metadata: { name: 'archive-next' }, spec });
  scene.plain('archive', 'deployment', {
    spec: {
      template: { spec: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'archive-next' } }] } },
    },
  });
  return {
    roots: [{ object: claimRef('archive-next'), ...root, file }],
    applications: [app('archive')],
    signs: [
      { object: claimRef('archive-next'), shows: { status: { phase: 'Pending' } } },
      { object: claimRef('archive-next'), event },
    ],
  };
}

export const STORAGE: readonly Injector[] = [
  {
    name: 'storage-class-that-nobody-made',
    because: 'a claim names a StorageClass that does not exist',
    inject: (scene) =>
      newClaim(
        scene,
        { storageClassName: 'managed-csi-fast' },
        {
          field: 'spec.storageClassName',
          value: 'managed-csi-fast',
          also: [{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'managed-csi-fast' }],
        },
        { reason: 'ProvisioningFailed', words: '"managed-csi-fast" not found' },
      ),
  },
  {
    name: 'claim-without-any-class',
    because: 'a claim has no class, and no volume fits it',
    inject: (scene) =>
      newClaim(
        scene,
        { storageClassName: '' },
        { field: 'spec.storageClassName', value: '' },
        {
          reason: 'FailedBinding',
          words: 'no persistent volumes available for this claim and no storage class is set',
        },
      ),
  },
  {
    name: 'provisioner-that-does-not-run',
    because: 'the driver of a class is not installed',
    inject(scene) {
      const object = scene.apply({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'shared-files' },
        provisioner: 'files.csi.example.com',
        volumeBindingMode: 'Immediate',
      });
      return newClaim(
        scene,
        { storageClassName: 'shared-files' },
        {
          field: 'spec.storageClassName',
          value: 'shared-files',
          also: [object, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', name: 'files.csi.example.com' }],
        },
        { reason: 'ExternalProvisioning', words: 'files.csi.example.com' },
      );
    },
  },
  {
    name: 'volume-that-is-gone',
    because: 'the volume of a claim was deleted',
    inject(scene) {
      scene.pick(['archive']);
      scene.apply({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'files-of-old' },
        spec: {
          capacity: { storage: '4Gi' },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'managed-csi',
          persistentVolumeReclaimPolicy: 'Retain',
          csi: { driver: 'disk.csi.azure.com', volumeHandle: 'files-of-old' },
        },
      });
      const file = scene.plain('archive', 'claim', {
        metadata: { name: 'archive-old' },
        spec: { volumeName: 'files-of-old' },
      });
      scene.plain('archive', 'deployment', {
        spec: {
          template: { spec: { volumes: [{ name: 'files', persistentVolumeClaim: { claimName: 'archive-old' } }] } },
        },
      });
      scene.play(90);
      scene.patch(
        { apiVersion: 'v1', kind: 'PersistentVolume', name: 'files-of-old' },
        { metadata: { finalizers: null } },
      );
      scene.remove({ apiVersion: 'v1', kind: 'PersistentVolume', name: 'files-of-old' });
      return {
        roots: [
          {
            object: { apiVersion: 'v1', kind: 'PersistentVolume', name: 'files-of-old' },
            field: 'metadata.name',
            value: null,
            also: [claimRef('archive-old')],
            file,
          },
        ],
        applications: [app('archive')],
        signs: [{ object: claimRef('archive-old'), shows: { status: { phase: 'Lost' } } }],
      };
    },
  },
];

/** A service whose image cannot be pulled. */
function notPulled(name: string, root: Omit<Root, 'object'>, words: string, reason = 'ImagePullBackOff'): Injection {
  const pod = podRef(`${name}-*`);
  return {
    roots: [{ object: deploymentRef(name), ...root }],
    applications: [app(name)],
    signs: [
      { object: pod, shows: waiting(reason, reason === 'ImagePullBackOff' ? 'Back-off pulling image' : '') },
      { object: pod, event: { reason: reason === 'ImagePullBackOff' ? 'Failed' : 'InspectFailed', words } },
    ],
  };
}

const pullSecretSigns = (names: readonly string[], words: string): Sign[] =>
  names.flatMap((name) => [
    { object: podRef(`${name}-*`), shows: waiting('ImagePullBackOff', '') },
    { object: podRef(`${name}-*`), event: { reason: 'Failed', words } },
  ]);

export const IMAGES: readonly Injector[] = [
  {
    name: 'tag-that-was-never-pushed',
    because: 'the registry does not have the tag that git asks for',
    inject(scene) {
      const name = scene.service();
      scene.images([{ registry: 'registry.example.com', repository: `ameide/${name}`, tags: ['2.4.1'] }]);
      const file = scene.container(name, 'deployment', { image: `registry.example.com/ameide/${name}:2.5.0` });
      return notPulled(
        name,
        {
          field: 'spec.template.spec.containers[0].image',
          value: `registry.example.com/ameide/${name}:2.5.0`,
          file,
          outside: `tag 2.5.0 of registry.example.com/ameide/${name}`,
        },
        'not found',
      );
    },
  },
  {
    name: 'tag-of-a-whole-environment-that-was-never-pushed',
    because: 'an environment follows a tag that no pipeline has pushed',
    isBroad: true,
    inject(scene) {
      const services = ['agents', 'graph', 'inference-gateway', 'threads', 'transformation'].map(chartService);
      scene.images([{ registry: 'ghcr.io', repository: 'ameideio/*', tags: ['steady'] }]);
      const file = scene.edit('sources/values/env/brook/globals.yaml', { imageTag: 'main' });
      const [first] = services;
      return {
        roots: [
          {
            object: deploymentRef(first?.name ?? ''),
            field: 'spec.template.spec.containers[0].image',
            value: `ghcr.io/ameideio/${first?.name ?? ''}:main`,
            also: services.map(({ name }) => deploymentRef(name)),
            file,
            outside: 'tag main of ghcr.io/ameideio',
          },
        ],
        applications: [...services.map(({ application }) => application), app('vault-bootstrap', 'foundation')],
        signs: pullSecretSigns(
          services.map(({ name }) => name),
          'not found',
        ),
      };
    },
  },
  {
    name: 'pull-secret-that-is-not-there',
    because: 'the key vault has no password of the registry, so the pull secret is never made',
    isBroad: true,
    inject(scene) {
      const names = ['agents', 'transformation'];
      scene.images([{ registry: 'ghcr.io', repository: 'ameideio/*', credentials: true }]);
      const file = 'sources/values/_shared/foundation/ghcr-pull-secret.yaml';
      scene.file(file, scene.text(file).replace('ghcr-dockerconfig', 'ghcr-docker-config'));
      scene.play(150);
      scene.remove(secretRef('ghcr-pull-secret'));
      for (const name of names) scene.remove(podRef(`${name}-*`));
      const object = externalSecretRef('ghcr-pull-secret');
      return {
        roots: [{ object, field: 'spec.data[0].remoteRef.key', value: 'ghcr-docker-config', file }],
        applications: [app('ghcr-pull-secret', 'foundation'), ...names.map((name) => app(name))],
        signs: [
          {
            object,
            shows: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'SecretSyncedError' }] } },
          },
          { object: secretRef('ghcr-pull-secret'), isAbsent: true },
          ...pullSecretSigns(names, ''),
        ],
      };
    },
  },
  {
    name: 'pull-secret-of-another-registry',
    because: 'the pull secret of a service has no password of the registry that its image is in',
    inject(scene) {
      const name = scene.service();
      scene.images([{ registry: 'registry.example.com', repository: `ameide/${name}-private`, credentials: true }]);
      const secret = scene.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${name}-pull`, namespace: NAMESPACE },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: {
          '.dockerconfigjson': JSON.stringify({ auths: { 'quay.io': { auth: 'cm9ib3Q6bm90LWEtcmVhbC1vbmU=' } } }),
        },
      });
      scene.plain(name, 'deployment', {
        spec: { template: { spec: { imagePullSecrets: [{ name: `${name}-pull` }] } } },
      });
      const file = scene.container(name, 'deployment', { image: `registry.example.com/ameide/${name}-private:2.4.1` });
      return {
        roots: [{ object: secret, field: 'data[".dockerconfigjson"]', value: null, also: [deploymentRef(name)], file }],
        applications: [app(name)],
        signs: pullSecretSigns([name], ''),
      };
    },
  },
  {
    name: 'registry-that-limits-the-rate',
    because: 'the registry refuses more pulls for some time',
    inject(scene) {
      const name = scene.service();
      scene.images([{ registry: 'docker.io', answer: 'rateLimited' }]);
      const file = scene.container(name, 'deployment', { image: 'docker.io/library/nginx:1.29' });
      return notPulled(
        name,
        {
          field: 'spec.template.spec.containers[0].image',
          value: 'docker.io/library/nginx:1.29',
          file,
          outside: 'rate limit of docker.io',
        },
        'toomanyrequests',
      );
    },
  },
  {
    name: 'registry-of-a-wrong-name',
    because: 'the name of the registry is misspelled',
    inject(scene) {
      const name = scene.service();
      scene.images([{ registry: 'registry.exmaple.com', answer: 'noSuchHost' }]);
      const file = scene.container(name, 'deployment', { image: `registry.exmaple.com/ameide/${name}:2.4.1` });
      return notPulled(
        name,
        { field: 'spec.template.spec.containers[0].image', value: `registry.exmaple.com/ameide/${name}:2.4.1`, file },
        'no such host',
      );
    },
  },
  {
    name: 'image-name-that-is-none',
    because: 'the name of an image cannot be read',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { image: `registry.example.com/ameide/${name}:Version 2` });
      return notPulled(
        name,
        {
          field: 'spec.template.spec.containers[0].image',
          value: `registry.example.com/ameide/${name}:Version 2`,
          file,
        },
        'invalid reference format',
        'InvalidImageName',
      );
    },
  },
  {
    name: 'build-that-cannot-fetch-its-source',
    because: 'the password of the git server is not right any more, so the image is not built',
    inject(scene) {
      scene.pick(['workbench']);
      const object = secretRef('workbench-git');
      scene.apply(BUILDS);
      scene.patch(object, { data: { password: 'bm90LXJpZ2h0' } });
      scene.patch(
        { apiVersion: 'build.openshift.io/v1', kind: 'BuildConfig', namespace: NAMESPACE, name: 'workbench' },
        { metadata: { annotations: { 'world.argosy.dev/start-build': '2' } } },
      );
      return {
        roots: [{ object, field: 'data.password', value: null }],
        applications: [],
        signs: [
          {
            object: { apiVersion: 'build.openshift.io/v1', kind: 'Build', namespace: NAMESPACE, name: 'workbench-2' },
            shows: { status: { phase: 'Failed', reason: 'FetchSourceFailed' } },
          },
        ],
      };
    },
  },
  {
    name: 'build-of-a-branch-that-is-gone',
    because: 'a build wants a branch that its repository does not have',
    inject(scene) {
      scene.pick(['workbench']);
      scene.apply(BUILDS);
      const file = scene.plain('workbench', 'build', { spec: { source: { git: { ref: 'missing-branch' } } } });
      scene.play(60);
      const object = {
        apiVersion: 'build.openshift.io/v1',
        kind: 'BuildConfig',
        namespace: NAMESPACE,
        name: 'workbench',
      };
      scene.patch(object, { metadata: { annotations: { 'world.argosy.dev/start-build': '2' } } });
      return {
        roots: [{ object, field: 'spec.source.git.ref', value: 'missing-branch', file }],
        applications: [],
        signs: [
          {
            object: { apiVersion: 'build.openshift.io/v1', kind: 'Build', namespace: NAMESPACE, name: 'workbench-2' },
            shows: { status: { phase: 'Failed', reason: 'FetchSourceFailed' } },
          },
        ],
      };
    },
  },
  {
    name: 'image-that-no-build-makes',
    because: 'a pod wants a tag of an ImageStream that no build writes',
    inject(scene) {
      scene.pick(['workbench']);
      const image = `image-registry.openshift-image-registry.svc:5000/${NAMESPACE}/workbench:next`;
      const file = scene.container('workbench', 'deployment', { image });
      return {
        roots: [
          {
            object: deploymentRef('workbench'),
            field: 'spec.template.spec.containers[0].image',
            value: image,
            also: [
              {
                apiVersion: 'image.openshift.io/v1',
                kind: 'ImageStreamTag',
                namespace: NAMESPACE,
                name: 'workbench:next',
              },
            ],
            file,
          },
        ],
        applications: [app('workbench')],
        signs: pullSecretSigns(['workbench'], 'not found'),
      };
    },
  },
  {
    name: 'wait-job-that-may-not-look',
    because: 'the Role of a waiting job has no rule for what it waits for',
    inject(scene) {
      scene.pick(['workbench']);
      const object = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        namespace: NAMESPACE,
        name: 'workbench-wait',
      };
      const file = scene.plain('workbench', 'role', {
        rules: [{ apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['get', 'list', 'watch'] }],
      });
      scene.container('workbench', 'deployment', { env: [{ name: 'MODE', value: 'next' }] });
      return {
        roots: [{ object, field: 'rules', value: null, also: [jobRef('workbench-wait')], file }],
        applications: [app('workbench')],
        signs: [
          { object: podRef('workbench-wait-*'), log: 'forbidden' },
          { object: applicationRef(app('workbench')), shows: { status: { operationState: { phase: 'Running' } } } },
        ],
      };
    },
  },
];
