import type { JsonObject } from '../../../src/model/json/index.js';
import type { Injection, Injector } from '../injection/injector.js';
import type { Root, Sign } from '../injection/label.js';
import { ENVIRONMENT, NAMESPACE, SERVICES } from '../injection/names.js';
import { app, applicationRef, configMapRef, deploymentRef, jobRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import type { Scene } from '../injection/scene.js';

const CLUSTER_APPLICATION = 'cluster-serving-runtimes';
const PROJECT = { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace: 'argocd', name: ENVIRONMENT.name };
const condition = (type: string, words: string): JsonObject => ({
  status: { conditions: [{ type, message: `~${words}` }] },
});
const refused = (application: string, words: string): Sign => ({
  object: applicationRef(application),
  shows: {
    status: { operationState: { syncResult: { resources: [{ status: 'SyncFailed', message: `~${words}` }] } } },
  },
});
const outOfSync = (application: string): Sign => ({
  object: applicationRef(application),
  shows: { status: { sync: { status: 'OutOfSync' } } },
});

/** The Application itself says something that cannot be. */
function wrongApplication(
  scene: Scene,
  application: string,
  patch: JsonObject,
  root: Omit<Root, 'object'>,
  sign: JsonObject,
): Injection {
  const object = scene.application(application, patch);
  return { roots: [{ object, ...root }], applications: [application], signs: [{ object, shows: sign }] };
}

/** What git says is refused by the server at every sync. */
function refusedBySync(application: string, root: Root, words: string): Injection {
  return { roots: [root], applications: [application], signs: [refused(application, words), outOfSync(application)] };
}

export const ARGO_CD: readonly Injector[] = [
  {
    name: 'branch-without-the-path',
    because: 'an application follows a branch that lacks its folder',
    inject(scene) {
      const name = scene.service();
      const kept = scene.filesBelow(`sources/plain/apps/${name}/`).map((path) => [path, scene.text(path)] as const);
      for (const [path] of kept) scene.file(path, undefined);
      scene.commit('stage1-complete');
      for (const [path, text] of kept) scene.file(path, text);
      scene.forget();
      return wrongApplication(
        scene,
        app(name),
        { spec: { source: { targetRevision: 'stage1-complete' } } },
        { field: 'spec.source.targetRevision', value: 'stage1-complete' },
        condition('ComparisonError', 'app path does not exist'),
      );
    },
  },
  {
    name: 'revision-that-is-gone',
    because: 'an application follows a branch that was deleted',
    inject(scene) {
      const name = scene.service();
      return wrongApplication(
        scene,
        app(name),
        { spec: { source: { targetRevision: 'release-2024-10' } } },
        { field: 'spec.source.targetRevision', value: 'release-2024-10' },
        condition('ComparisonError', "unable to resolve 'release-2024-10' to a commit SHA"),
      );
    },
  },
  {
    name: 'path-that-left-git',
    because: 'the folder of an application was deleted, and the application stayed',
    inject(scene) {
      const name = scene.service();
      for (const path of scene.filesBelow(`sources/plain/apps/${name}/`)) scene.file(path, undefined);
      scene.file(`environments/${ENVIRONMENT.name}/components/apps/${name}.yaml`, undefined);
      const object = applicationRef(app(name));
      return {
        roots: [
          {
            object,
            field: 'spec.source.path',
            value: `sources/plain/apps/${name}`,
            file: `environments/${ENVIRONMENT.name}/components/apps/${name}.yaml`,
          },
        ],
        applications: [app(name)],
        signs: [{ object, shows: condition('ComparisonError', 'app path does not exist') }],
      };
    },
  },
  {
    name: 'feature-branch-that-was-forgotten',
    because: 'an application still follows a feature branch, unlike all its siblings',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      scene.file('docs/notes.md', 'An idea.\n');
      scene.commit('feature/new-rules');
      scene.file('docs/notes.md', undefined);
      scene.forget();
      const object = scene.application(app(name), { spec: { source: { targetRevision: 'feature/new-rules' } } });
      return {
        roots: [{ object, field: 'spec.source.targetRevision', value: 'feature/new-rules' }],
        applications: [],
        signs: [
          {
            object,
            shows: {
              spec: { source: { targetRevision: 'feature/new-rules' } },
              status: { sync: { status: 'Synced' } },
            },
          },
        ],
      };
    },
  },
  {
    name: 'project-that-is-not-there',
    because: 'an application names a project that does not exist',
    inject(scene) {
      const name = scene.service();
      return wrongApplication(
        scene,
        app(name),
        { spec: { project: 'storefronts' } },
        { field: 'spec.project', value: 'storefronts', also: [{ ...PROJECT, name: 'storefronts' }] },
        condition('InvalidSpecError', 'project'),
      );
    },
  },
  {
    name: 'destination-that-the-project-does-not-permit',
    because: 'an application goes to a namespace that its project does not permit',
    inject(scene) {
      const name = scene.service();
      return wrongApplication(
        scene,
        app(name),
        { spec: { destination: { namespace: 'kube-public' } } },
        { field: 'spec.destination.namespace', value: 'kube-public', also: [PROJECT] },
        condition('InvalidSpecError', 'project'),
      );
    },
  },
  {
    name: 'project-without-the-repository',
    because: 'a project does not permit the repository of its applications any more',
    isBroad: true,
    inject(scene) {
      const object = { ...PROJECT, name: 'cluster' };
      scene.patch(object, { spec: { sourceRepos: ['https://git.example.com/ameide/other.git'] } });
      const applications = [
        'cluster-storage-classes',
        'cluster-cert-manager',
        'cluster-external-secrets',
        'argocd-cert-manager',
        CLUSTER_APPLICATION,
      ];
      return {
        roots: [{ object, field: 'spec.sourceRepos', value: ['https://git.example.com/ameide/other.git'] }],
        applications,
        signs: applications.map((name) => ({
          object: applicationRef(name),
          shows: condition('InvalidSpecError', 'is not permitted in project'),
        })),
      };
    },
  },
  {
    name: 'namespace-that-nobody-creates',
    because: 'an application goes to a namespace that is not there, and may not create it',
    inject(scene) {
      scene.pick(['serving-runtimes']);
      return wrongApplication(
        scene,
        'cluster-cert-manager',
        {
          spec: {
            destination: { namespace: 'certificates-next' },
            syncPolicy: { syncOptions: ['ServerSideApply=true'] },
          },
        },
        {
          field: 'spec.destination.namespace',
          value: 'certificates-next',
          also: [{ apiVersion: 'v1', kind: 'Namespace', name: 'certificates-next' }],
        },
        {
          status: {
            operationState: {
              syncResult: {
                resources: [{ status: 'SyncFailed', message: '~namespaces "certificates-next" not found' }],
              },
            },
          },
        },
      );
    },
  },
  {
    name: 'kind-that-nobody-installed',
    because: 'git has an object of a kind whose definition is not installed',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'monitor');
      scene.file(
        file,
        `apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec: {selector: {matchLabels: {app.kubernetes.io/name: ${name}}}, endpoints: ` +
          '[{port: http}]}\n',
      );
      return {
        roots: [
          {
            object: { apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', namespace: NAMESPACE, name },
            field: 'kind',
            value: 'ServiceMonitor',
            also: [
              {
                apiVersion: 'apiextensions.k8s.io/v1',
                kind: 'CustomResourceDefinition',
                name: 'servicemonitors.monitoring.coreos.com',
              },
            ],
            file,
          },
        ],
        applications: [app(name)],
        signs: [
          outOfSync(app(name)),
          { object: applicationRef(app(name)), shows: { status: { operationState: { phase: 'Failed' } } } },
        ],
      };
    },
  },
  {
    name: 'selector-that-cannot-change',
    because: 'git changes the selector of a Deployment, which is immutable',
    inject(scene) {
      const name = scene.service();
      const labels = { 'app.kubernetes.io/name': name, tier: 'front' };
      const file = scene.plain(name, 'deployment', {
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
      });
      return refusedBySync(
        app(name),
        { object: deploymentRef(name), field: 'spec.selector.matchLabels.tier', value: 'front', file },
        'field is immutable',
      );
    },
  },
  {
    name: 'set-with-another-size-of-claims',
    because: 'git changes the claim templates of a StatefulSet, which cannot be changed',
    inject(scene) {
      scene.pick(['purchases-db']);
      const file = scene.plain('purchases-db', 'set', {
        spec: {
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                storageClassName: 'managed-csi',
                resources: { requests: { storage: '32Gi' } },
              },
            },
          ],
        },
      });
      return refusedBySync(
        app('purchases-db'),
        {
          object: { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: NAMESPACE, name: 'purchases-db' },
          field: 'spec.volumeClaimTemplates[0].spec.resources.requests.storage',
          value: '32Gi',
          file,
        },
        'updates to statefulset spec for fields other than',
      );
    },
  },
  {
    name: 'claim-that-cannot-change',
    because: 'git changes the class of a claim, which cannot be changed',
    inject(scene) {
      scene.pick(['archive']);
      const file = scene.plain('archive', 'claim', { spec: { storageClassName: 'managed-csi-premium' } });
      return refusedBySync(
        app('archive'),
        {
          object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name: 'archive-files' },
          field: 'spec.storageClassName',
          value: 'managed-csi-premium',
          file,
        },
        'spec is immutable after creation',
      );
    },
  },
  {
    name: 'required-value-that-is-empty',
    because: 'a manifest leaves out what its kind requires',
    inject(scene) {
      const name = scene.service();
      const file = scene.container(name, 'deployment', { image: '' });
      return refusedBySync(
        app(name),
        { object: deploymentRef(name), field: 'spec.template.spec.containers[0].image', value: '', file },
        'Required value',
      );
    },
  },
  {
    name: 'values-that-the-chart-cannot-read',
    because: 'a value that the template walks into is missing',
    inject(scene) {
      const service = scene.chartService();
      const file = scene.edit(service.valuesFile, { autoscaling: 'off' });
      const object = applicationRef(service.application);
      return {
        roots: [{ object, field: 'spec.sources[0].helm.valueFiles[1]', value: `$values/${file}`, file }],
        applications: [service.application],
        signs: [{ object, shows: condition('ComparisonError', 'autoscaling.enabled') }],
      };
    },
  },
  {
    name: 'overlay-that-lists-a-file-that-is-not-there',
    because: 'a kustomization lists a file that was deleted',
    inject(scene) {
      const name = scene.pick(['otel-collector', 'external-dns']);
      const file = `sources/kustomize/platform/${name}/base/service.yaml`;
      scene.file(file, undefined);
      const object = applicationRef(app(name, 'platform'));
      return {
        roots: [
          {
            object,
            field: 'spec.source.path',
            value: `sources/kustomize/platform/${name}/overlays/${ENVIRONMENT.name}`,
            file,
          },
        ],
        applications: [app(name, 'platform')],
        signs: [{ object, shows: condition('ComparisonError', 'accumulating resources') }],
      };
    },
  },
  {
    name: 'webhook-that-refuses-the-store',
    because: 'the webhook of the operator refuses a store with an account of another namespace',
    inject(scene) {
      const file = 'sources/charts/foundation/vault-secret-store/templates/store.yaml';
      scene.file(
        file,
        scene
          .text(file)
          .replace('            name: default\n', '            name: default\n            namespace: vault\n'),
      );
      return refusedBySync(
        app('vault-secret-store', 'foundation'),
        {
          object: {
            apiVersion: 'external-secrets.io/v1',
            kind: 'SecretStore',
            namespace: NAMESPACE,
            name: 'ameide-vault',
          },
          field: 'spec.provider.vault.auth.kubernetes.serviceAccountRef.namespace',
          value: 'vault',
          file,
        },
        'namespace',
      );
    },
  },
  {
    name: 'one-object-in-two-applications',
    because: 'two applications bring the same object, and undo each other',
    inject(scene) {
      const [one = '', other = ''] = scene.pickSome(SERVICES, 2);
      const file = plainFile(other, 'shared');
      scene.file(
        file,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${one}-rules\n  namespace: ` +
          `${NAMESPACE}\ndata:\n  rules.txt: deny all\n`,
      );
      return {
        roots: [
          {
            object: configMapRef(`${one}-rules`),
            field: 'metadata.annotations["argocd.argoproj.io/tracking-id"]',
            value: null,
            also: [applicationRef(app(one)), applicationRef(app(other))],
            file,
          },
        ],
        applications: [app(other)],
        signs: [{ object: applicationRef(app(other)), shows: condition('SharedResourceWarning', `${one}-rules`) }],
      };
    },
  },
  {
    name: 'one-manifest-twice',
    because: 'two files of one application have the same object',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'config-copy');
      scene.file(file, scene.text(plainFile(name, 'config')));
      const object = applicationRef(app(name));
      return {
        roots: [{ object: configMapRef(name), field: 'metadata.name', value: name, also: [object], file }],
        applications: [],
        signs: [{ object, shows: condition('RepeatedResourceWarning', 'appeared 2 times') }],
      };
    },
  },
  {
    name: 'empty-folder-that-would-delete-everything',
    because: 'the folder of an application renders to nothing',
    inject(scene) {
      const name = scene.service();
      for (const path of scene.filesBelow(`sources/plain/apps/${name}/`)) scene.file(path, undefined);
      const file = `sources/plain/apps/${name}/README.md`;
      scene.file(file, 'Moved.\n');
      const object = applicationRef(app(name));
      return {
        roots: [{ object, field: 'spec.source.path', value: `sources/plain/apps/${name}`, file }],
        applications: [app(name)],
        signs: [{ object, shows: condition('SyncError', 'auto-sync will wipe out all resources') }],
      };
    },
  },
  {
    name: 'window-that-is-never-open',
    because: 'a sync window of the project denies every sync',
    inject(scene) {
      const name = scene.service();
      scene.patch(PROJECT, {
        spec: { syncWindows: [{ kind: 'deny', schedule: '* * * * *', duration: '24h', applications: [app(name)] }] },
      });
      scene.plain(name, 'config', { data: { LOG_LEVEL: 'debug' } });
      return {
        roots: [{ object: PROJECT, field: 'spec.syncWindows[0].kind', value: 'deny' }],
        applications: [app(name)],
        signs: [outOfSync(app(name))],
      };
    },
  },
  {
    name: 'application-that-nobody-syncs',
    because: 'an application has no automated sync, and nobody synced it',
    inject(scene) {
      const name = scene.service();
      const object = scene.application(app(name), { spec: { syncPolicy: { automated: null } } });
      scene.play(30);
      scene.plain(name, 'service', { metadata: { name: `${name}-v2` } });
      return {
        roots: [{ object, field: 'spec.syncPolicy.automated', value: null }],
        applications: [app(name)],
        signs: [outOfSync(app(name))],
      };
    },
  },
  {
    name: 'whole-spec-that-is-ignored',
    because: 'an application ignores whole specs, so drift is not seen',
    kind: 'silent',
    inject(scene) {
      const name = scene.service();
      const object = scene.application(app(name), {
        spec: { ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec'] }] },
      });
      scene.play(30);
      scene.patch(deploymentRef(name), { spec: { replicas: 2 } });
      return {
        roots: [{ object, field: 'spec.ignoreDifferences[0].jsonPointers[0]', value: '/spec' }],
        applications: [],
        signs: [
          { object, shows: { spec: { ignoreDifferences: [{ jsonPointers: ['/spec'] }] } } },
          { object: deploymentRef(name), shows: { spec: { replicas: 2 } } },
        ],
      };
    },
  },
  {
    name: 'replicas-that-an-autoscaler-owns',
    because: 'git and an autoscaler both set the replicas',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'autoscaler');
      scene.file(
        file,
        `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: ${name}, namespace: ` +
          `${NAMESPACE}}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}\n  ` +
          'minReplicas: 2\n  maxReplicas: 4\n  metrics: [{type: Resource, resource: {name: cpu, target: ' +
          '{type: Utilization, averageUtilization: 80}}}]\n',
      );
      scene.application(app(name), { spec: { syncPolicy: { automated: { selfHeal: false } } } });
      return {
        roots: [
          {
            object: deploymentRef(name),
            field: 'spec.replicas',
            value: 1,
            also: [{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: NAMESPACE, name }],
            file: plainFile(name, 'deployment'),
          },
        ],
        applications: [app(name)],
        signs: [outOfSync(app(name)), { object: deploymentRef(name), shows: { spec: { replicas: 2 } } }],
      };
    },
  },
  {
    name: 'hand-that-changed-what-git-says',
    because: 'somebody changed a live object by hand, and nothing heals it',
    inject(scene) {
      const name = scene.service();
      scene.application(app(name), { spec: { syncPolicy: { automated: null } } });
      scene.play(20);
      scene.patch(configMapRef(name), { data: { REGION: 'south' } });
      return {
        roots: [{ object: configMapRef(name), field: 'data.REGION', value: 'south' }],
        applications: [app(name)],
        signs: [outOfSync(app(name))],
      };
    },
  },
  {
    name: 'hook-that-fails',
    because: 'the program of a PreSync hook ends with an error',
    inject(scene) {
      scene.pick(['archive']);
      scene.program('archive-migrate', {
        '*': { exitCode: 1, after: '2s', log: ['migration 0042 failed: column "owner" does not exist'] },
      });
      scene.plain('archive', 'migration', {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'migrate', image: 'registry.example.com/ameide/archive-migrate:2.5.0', args: ['up'] },
              ],
            },
          },
        },
      });
      const file = scene.container('archive', 'deployment', { image: 'registry.example.com/ameide/archive:2.5.0' });
      return {
        roots: [
          {
            object: jobRef('archive-migrate'),
            field: 'spec.template.spec.containers[0].image',
            value: 'registry.example.com/ameide/archive-migrate:2.5.0',
            file,
          },
        ],
        applications: [app('archive')],
        signs: [
          {
            object: jobRef('archive-migrate'),
            shows: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } },
          },
          {
            object: applicationRef(app('archive')),
            shows: { status: { operationState: { syncResult: { resources: [{ hookPhase: 'Failed' }] } } } },
          },
        ],
      };
    },
  },
  {
    name: 'health-check-that-is-no-lua',
    because: 'a health check of the settings cannot be run',
    inject(scene) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' };
      scene.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: object.name, namespace: object.namespace, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
        data: {
          'resource.customizations.health.bitnami.com_SealedSecret':
            'hs = {}\nif obj.status.conditions[1].status == True then\n  hs.status = "Healthy"\nreturn hs\n',
        },
      });
      return {
        roots: [{ object, field: 'data["resource.customizations.health.bitnami.com_SealedSecret"]', value: null }],
        applications: [app('licences')],
        signs: [{ object: applicationRef(app('licences')), shows: condition('ComparisonError', 'syntax error') }],
      };
    },
  },
];
