import type { Injector } from '../injection/injector.js';
import { ENVIRONMENT, NAMESPACE, SERVICES } from '../injection/names.js';
import { app, applicationRef, configMapRef, deploymentRef, jobRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import { condition, outOfSync, PROJECT, refusedBySync } from './argo-cd-signs.js';

export const SYNCS: readonly Injector[] = [
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
