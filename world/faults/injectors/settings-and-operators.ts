import type { Injection, Injector } from '../injection/injector.js';
import { ENVIRONMENT, NAMESPACE, PLACEMENT } from '../injection/names.js';
import { app, applicationRef, deploymentRef, jobRef, podRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import type { Scene } from '../injection/scene.js';

const SETTINGS = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' };
const TRAINING = { apiVersion: 'mlops.mlops.dev/v1alpha1', kind: 'NotebookValidationJob', namespace: NAMESPACE };

const setting = (scene: Scene, key: string, value: string): void => {
  scene.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: SETTINGS.name, namespace: SETTINGS.namespace, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
    data: { [key]: value },
  });
};

/** A setting of Argo CD that is wrong, and of which nothing is to be seen yet. */
function silentSetting(scene: Scene, key: string, value: string): Injection {
  setting(scene, key, value);
  return {
    roots: [{ object: SETTINGS, field: `data["${key}"]`, value }],
    applications: [],
    signs: [{ object: SETTINGS, shows: { data: { [key]: value } } }],
  };
}

export const SETTINGS_AND_OPERATORS: readonly Injector[] = [
  {
    name: 'kind-that-the-settings-leave-out',
    because: 'git has an object of a kind that the settings exclude',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      setting(
        scene,
        'resource.exclusions',
        '- apiGroups: [policy]\n  kinds: [PodDisruptionBudget]\n  clusters: ["*"]\n',
      );
      const file = plainFile(name, 'budget');
      scene.file(
        file,
        `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec: {maxUnavailable: 1, selector: {matchLabels: {app.kubernetes.io/name: ` +
          `${name}}}}\n`,
      );
      return {
        roots: [
          {
            object: SETTINGS,
            field: 'data["resource.exclusions"]',
            value: null,
            also: [{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: NAMESPACE, name }],
            file,
          },
        ],
        applications: [],
        signs: [
          {
            object: applicationRef(app(name)),
            shows: { status: { conditions: [{ type: 'ExcludedResourceWarning' }] } },
          },
        ],
      };
    },
  },
  {
    name: 'health-check-that-always-says-healthy',
    because: 'a health check of the settings hides every failure of its kind',
    kind: 'silent',
    inject: (scene) =>
      silentSetting(
        scene,
        'resource.customizations.health.external-secrets.io_ExternalSecret',
        'hs = {}\nhs.status = "Healthy"\nhs.message = "not checked"\nreturn hs\n',
      ),
  },
  {
    name: 'health-check-under-a-wrong-key',
    because: 'a health check stands under a key that nobody reads',
    kind: 'silent',
    inject: (scene) =>
      silentSetting(
        scene,
        'resource.customizations.health.mlops.mlops.dev.NotebookValidationJob',
        'hs = {status = "Progressing", message = ""}\nif obj.status ~= nil and obj.status.phase == ' +
          '"Succeeded" then hs.status = "Healthy" end\nreturn hs\n',
      ),
  },
  {
    name: 'health-check-of-values-that-never-come',
    because: 'a health check compares with values that its kind never has',
    kind: 'silent',
    inject: (scene) =>
      silentSetting(
        scene,
        'resource.customizations.health.bitnami.com_SealedSecret',
        'hs = {status = "Healthy", message = ""}\nif obj.status ~= nil and obj.status.phase == "Broken" ' +
          'then\n  hs.status = "Degraded"\nend\nreturn hs\n',
      ),
  },
  {
    name: 'hook-job-of-an-older-template',
    because: 'a job of a hook waits with a template that git has mended since',
    inject(scene) {
      scene.pick(['archive']);
      scene.remove(jobRef('archive-migrate'));
      scene.play(10);
      const { nodeSelector } = PLACEMENT;
      scene.apply({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name: 'archive-migrate',
          namespace: NAMESPACE,
          labels: { 'app.kubernetes.io/name': 'archive-migrate' },
          annotations: {
            'argocd.argoproj.io/hook': 'PreSync',
            'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
          },
        },
        spec: {
          backoffLimit: 1,
          template: {
            metadata: { labels: { 'app.kubernetes.io/name': 'archive-migrate' } },
            spec: {
              nodeSelector,
              restartPolicy: 'Never',
              containers: [
                { name: 'migrate', image: 'registry.example.com/ameide/archive-migrate:2.4.1', args: ['up'] },
              ],
            },
          },
        },
      });
      return {
        roots: [
          {
            object: jobRef('archive-migrate'),
            field: 'spec.template.spec.tolerations',
            value: null,
            file: plainFile('archive', 'migration'),
          },
        ],
        applications: [],
        signs: [
          { object: jobRef('archive-migrate'), shows: { status: { active: 1 } } },
          { object: podRef('archive-migrate-*'), shows: { status: { phase: 'Pending' } } },
        ],
      };
    },
  },
  {
    name: 'route-whose-host-the-cluster-replaces',
    because: 'the cluster writes another host over the one of git',
    inject(scene) {
      const name = scene.service();
      scene.patch(
        { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE },
        { metadata: { annotations: { 'world.argosy.dev/route-domain': 'apps.cluster.example.com' } } },
      );
      const file = plainFile(name, 'route');
      scene.file(
        file,
        `apiVersion: route.openshift.io/v1\nkind: Route\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  host: ${name}.ameide.example.com\n  to: {kind: Service, name: ${name}, ` +
          'weight: 100}\n  port: {targetPort: http}\n  tls: {termination: edge, ' +
          'insecureEdgeTerminationPolicy: None}\n',
      );
      const object = { apiVersion: 'route.openshift.io/v1', kind: 'Route', namespace: NAMESPACE, name };
      return {
        roots: [
          {
            object,
            field: 'spec.host',
            value: `${name}-${NAMESPACE}.apps.cluster.example.com`,
            also: [applicationRef(app(name))],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          { object, shows: { spec: { host: `${name}-${NAMESPACE}.apps.cluster.example.com` } } },
          { object: applicationRef(app(name)), shows: { status: { sync: { status: 'OutOfSync' } } } },
        ],
      };
    },
  },
  {
    name: 'operator-that-is-installed-twice',
    because: 'an application of the environment brings what the cluster has already',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'issuer');
      scene.file(
        file,
        'apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata:\n  name: cluster-ca\n  labels: ' +
          '{installed-by: environment}\nspec: {selfSigned: {}}\n',
      );
      const object = { apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer', name: 'cluster-ca' };
      return {
        roots: [
          {
            object,
            field: 'metadata.annotations["argocd.argoproj.io/tracking-id"]',
            value: null,
            also: [applicationRef(app(name)), applicationRef('cluster-cert-manager')],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          {
            object: applicationRef(app(name)),
            shows: { status: { conditions: [{ type: 'SharedResourceWarning', message: '~cluster-ca' }] } },
          },
        ],
      };
    },
  },
  {
    name: 'operator-that-does-not-run',
    because: 'the definition of a kind is installed, and nobody works on its objects',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'kafka');
      scene.file(
        plainFile(name, 'definition'),
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ' +
          'kafkas.kafka.strimzi.io, annotations: {argocd.argoproj.io/sync-wave: "-1"}}\nspec:\n  group: ' +
          'kafka.strimzi.io\n  scope: Namespaced\n  names: {plural: kafkas, singular: kafka, kind: Kafka, ' +
          'listKind: KafkaList}\n  versions: [{name: v1beta2, served: true, storage: true, subresources: ' +
          '{status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: ' +
          'true}}}]\n',
      );
      scene.file(
        file,
        `apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: ${name}-events, namespace: ` +
          `${NAMESPACE}}\nspec: {kafka: {version: 4.1.1, listeners: [{name: plain, port: 9092, type: ` +
          'internal, tls: false}]}}\n',
      );
      const object = {
        apiVersion: 'kafka.strimzi.io/v1beta2',
        kind: 'Kafka',
        namespace: NAMESPACE,
        name: `${name}-events`,
      };
      return {
        roots: [{ object, field: 'status', value: null, file }],
        applications: [app(name)],
        signs: [{ object, shows: { status: null } }],
      };
    },
  },
  {
    name: 'build-configuration-that-nobody-starts',
    because: 'a BuildConfig has no trigger and was never started, so its image is not there',
    inject(scene) {
      scene.pick(['workbench']);
      const image = `image-registry.openshift-image-registry.svc:5000/${NAMESPACE}/toolbox:latest`;
      scene.file(
        plainFile('workbench', 'second-stream'),
        `apiVersion: image.openshift.io/v1\nkind: ImageStream\nmetadata: {name: toolbox, namespace: ${NAMESPACE}}\n`,
      );
      const file = plainFile('workbench', 'second-build');
      scene.file(
        file,
        'apiVersion: build.openshift.io/v1\nkind: BuildConfig\nmetadata: {name: toolbox, namespace: ' +
          `${NAMESPACE}}\nspec:\n  runPolicy: Serial\n  source: {type: Git, git: {uri: ` +
          'https://git.example.com/ameide/toolbox.git, ref: main}}\n  strategy: {type: Docker, ' +
          'dockerStrategy: {}}\n  output: {to: {kind: ImageStreamTag, name: "toolbox:latest"}}\n  triggers: ' +
          '[]\n',
      );
      scene.container('workbench', 'deployment', { image });
      return {
        roots: [
          {
            object: { apiVersion: 'build.openshift.io/v1', kind: 'BuildConfig', namespace: NAMESPACE, name: 'toolbox' },
            field: 'spec.triggers',
            value: [],
            also: [
              {
                apiVersion: 'image.openshift.io/v1',
                kind: 'ImageStreamTag',
                namespace: NAMESPACE,
                name: 'toolbox:latest',
              },
            ],
            file,
          },
        ],
        applications: [app('workbench')],
        signs: [
          { object: podRef('workbench-*'), event: { reason: 'Failed', words: 'not found' } },
          {
            object: { apiVersion: 'build.openshift.io/v1', kind: 'Build', namespace: NAMESPACE, name: 'toolbox-*' },
            isAbsent: true,
          },
        ],
      };
    },
  },
  {
    name: 'old-run-of-a-notebook-that-failed',
    because: 'a failed run of a notebook was left behind, although a newer one went well',
    inject(scene) {
      scene.pick(['forecasts']);
      const file = plainFile('forecasts', 'training-before');
      const simulate = JSON.stringify({ validator: { exitCode: 1, after: '2s', log: ['MemoryError'] } });
      scene.file(
        file,
        'apiVersion: mlops.mlops.dev/v1alpha1\nkind: NotebookValidationJob\nmetadata:\n  name: ' +
          `forecasts-training-before\n  namespace: ${NAMESPACE}\n  annotations:\n    argosy.dev/simulate: ` +
          `'${simulate}'\nspec:\n  notebook: {git: {url: "https://git.example.com/ameide/notebooks.git", ref: ` +
          'main}, path: notebooks/forecasts.ipynb}\n  retryPolicy: {maxRetries: 0}\n  podConfig:\n    ' +
          'containerImage: quay.io/jupyter/scipy-notebook:2025-10-01\n    nodeSelector: {ameide.io/pool: ' +
          `${ENVIRONMENT.pool}}\n    tolerations: [{key: ameide.io/environment, value: ${ENVIRONMENT.name}, ` +
          'effect: NoSchedule}]\n',
      );
      const object = { ...TRAINING, name: 'forecasts-training-before' };
      return {
        roots: [{ object, field: 'status.phase', value: 'Failed', file }],
        applications: [app('forecasts')],
        signs: [
          { object, shows: { status: { phase: 'Failed' } } },
          { object: { ...TRAINING, name: 'forecasts-training' }, shows: { status: { phase: 'Succeeded' } } },
        ],
      };
    },
  },
  {
    name: 'model-that-is-newer-than-its-server',
    because: 'a model was trained again, and what serves it still has the old one',
    kind: 'silent',
    inject(scene) {
      scene.pick(['forecasts']);
      const object = { ...TRAINING, name: 'forecasts-training' };
      const file = scene.plain('forecasts', 'training', { metadata: { annotations: { 'mlops.dev/rerun': 'again' } } });
      return {
        roots: [
          {
            object: {
              apiVersion: 'serving.kserve.io/v1beta1',
              kind: 'InferenceService',
              namespace: NAMESPACE,
              name: 'forecasts',
            },
            field: 'spec.predictor.model.storageUri',
            value: 'pvc://forecasts-models/forecasts',
            also: [object],
            file,
          },
        ],
        applications: [],
        signs: [
          {
            object,
            shows: { metadata: { annotations: { 'mlops.dev/rerun': 'again' } }, status: { phase: 'Succeeded' } },
          },
        ],
      };
    },
  },
  {
    name: 'namespace-that-cannot-end',
    because: 'a namespace waits for an object with the finalizer of a controller that is gone',
    inject(scene) {
      const name = { apiVersion: 'v1', kind: 'Namespace', name: 'trial' };
      scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'trial' } });
      const object = scene.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'tenant', namespace: 'trial', finalizers: ['tenants.example.com/clean-up'] },
      });
      scene.play(5);
      scene.remove(name);
      return {
        roots: [{ object, field: 'metadata.finalizers[0]', value: 'tenants.example.com/clean-up', also: [name] }],
        applications: [],
        signs: [
          {
            object: name,
            shows: {
              status: { phase: 'Terminating', conditions: [{ type: 'NamespaceFinalizersRemaining', status: 'True' }] },
            },
          },
        ],
      };
    },
  },
  {
    name: 'monitor-switched-on-before-its-definition',
    because: 'a shared value switches monitors on in charts, and their kind is not installed',
    inject(scene) {
      const service = scene.chartService();
      const file = scene.edit(service.valuesFile, { serviceMonitor: true });
      return {
        roots: [
          {
            object: {
              apiVersion: 'monitoring.coreos.com/v1',
              kind: 'ServiceMonitor',
              namespace: NAMESPACE,
              name: service.name,
            },
            field: 'kind',
            value: 'ServiceMonitor',
            also: [
              {
                apiVersion: 'apiextensions.k8s.io/v1',
                kind: 'CustomResourceDefinition',
                name: 'servicemonitors.monitoring.coreos.com',
              },
              deploymentRef(service.name),
            ],
            file,
          },
        ],
        applications: [service.application],
        signs: [{ object: applicationRef(service.application), shows: { status: { sync: { status: 'OutOfSync' } } } }],
      };
    },
  },
];
