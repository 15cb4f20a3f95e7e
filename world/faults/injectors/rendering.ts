import type { Injector } from '../injection/injector.js';
import { ENVIRONMENT } from '../injection/names.js';
import { app, applicationRef } from '../injection/object-refs.js';
import { plainFile } from '../injection/plain-applications.js';
import { cannotRender, condition } from './shapes.js';

const CLUSTER_CHART = 'sources/charts/data/postgres-cluster';
const DATABASES = app('postgres-clusters', 'platform');

/** Files of git that cannot be rendered. */
export const RENDERING: readonly Injector[] = [
  {
    name: 'manifest-that-is-no-yaml',
    because: 'a manifest of git cannot be read',
    inject(scene) {
      const name = scene.service();
      const file = plainFile(name, 'config');
      scene.file(file, scene.text(file).replace('data:\n', 'data:\n  NOTE: "not closed\n'));
      return cannotRender(
        app(name),
        { field: 'spec.source.path', value: `sources/plain/apps/${name}`, file },
        'config.yaml',
      );
    },
  },
  {
    name: 'values-file-that-is-not-there',
    because: 'an application lists a file of values that was deleted',
    inject(scene) {
      const name = scene.pick(['cert-manager', 'external-secrets']);
      const file = `sources/values/cluster/${name}.yaml`;
      scene.file(file, undefined);
      return cannotRender(
        `cluster-${name}`,
        { field: 'spec.source.helm.valueFiles[0]', value: `/${file}`, file },
        file,
      );
    },
  },
  {
    name: 'chart-that-lacks-its-dependency',
    because: 'a chart names another chart that was not put beside it',
    inject(scene) {
      const file = `${CLUSTER_CHART}/Chart.yaml`;
      scene.file(
        file,
        `${scene.text(scene.pick([file]))}dependencies:\n  - {name: backups, version: 1.2.0, repository: ` +
          '"file://../backups"}\n',
      );
      return cannotRender(DATABASES, { field: 'spec.sources[0].path', value: CLUSTER_CHART, file }, 'backups');
    },
  },
  {
    name: 'template-that-wants-a-value-nobody-gives',
    because: 'a template requires a value that no file of values has',
    inject(scene) {
      const file = `${CLUSTER_CHART}/templates/cluster.yaml`;
      scene.pick([`${CLUSTER_CHART}/Chart.yaml`]);
      scene.file(
        file,
        scene
          .text(file)
          .replace('spec:\n', 'spec:\n  description: {{ required "backupBucket is needed" .Values.backupBucket }}\n'),
      );
      return cannotRender(
        DATABASES,
        { field: 'spec.sources[0].path', value: CLUSTER_CHART, file },
        'backupBucket is needed',
      );
    },
  },
  {
    name: 'template-that-includes-what-is-not-there',
    because: 'a template includes another by a name that none has',
    inject(scene) {
      const file = 'sources/charts/foundation/certificates/templates/certificates.yaml';
      scene.file(file, scene.text(scene.pick([file])).replace('"fleet.labels"', '"fleet.commonLabels"'));
      const other = applicationRef('argocd-cert-manager');
      const injection = cannotRender(
        app('certificates', 'foundation'),
        { field: 'spec.sources[0].path', value: 'sources/charts/foundation/certificates', also: [other], file },
        'fleet.commonLabels',
      );
      return {
        ...injection,
        applications: [...injection.applications, other.name],
        signs: [...injection.signs, { object: other, shows: condition('ComparisonError', 'fleet.commonLabels') }],
      };
    },
  },
  {
    name: 'patch-that-finds-nothing',
    because: 'a kustomization patches an object that its resources do not have',
    inject(scene) {
      const name = scene.pick(['otel-collector', 'external-dns']);
      const path = `sources/kustomize/platform/${name}/overlays/${ENVIRONMENT.name}`;
      const file = `${path}/kustomization.yaml`;
      scene.file(
        file,
        `${scene.text(file)}patches:\n  - patch: |-\n      apiVersion: apps/v1\n      kind: StatefulSet\n   ` +
          `   metadata: {name: ${name}}\n      spec: {replicas: 2}\n`,
      );
      return cannotRender(app(name, 'platform'), { field: 'spec.source.path', value: path, file }, 'no matches for Id');
    },
  },
];
