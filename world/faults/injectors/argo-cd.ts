import type { Injector } from '../injection/injector.js';
import { ENVIRONMENT, NAMESPACE } from '../injection/names.js';
import { app, applicationRef, deploymentRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import {
  CLUSTER_APPLICATION,
  condition,
  outOfSync,
  PROJECT,
  refusedBySync,
  wrongApplication,
} from './argo-cd-signs.js';

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
];
