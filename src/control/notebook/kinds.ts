import type { ResourceRef } from '../../cluster/index.js';

const core = (kind: string, plural: string): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

export const JOBS: ResourceRef = {
  group: 'mlops.mlops.dev',
  version: 'v1alpha1',
  kind: 'NotebookValidationJob',
  plural: 'notebookvalidationjobs',
  namespaced: true,
};
export const PODS = core('Pod', 'pods');
export const SECRETS = core('Secret', 'secrets');
export const CONFIG_MAPS = core('ConfigMap', 'configmaps');
export const EVENTS = core('Event', 'events');
export const BUILDS: ResourceRef = {
  group: 'build.openshift.io',
  version: 'v1',
  kind: 'Build',
  plural: 'builds',
  namespaced: true,
};
export const BUILD_CONFIGS: ResourceRef = { ...BUILDS, kind: 'BuildConfig', plural: 'buildconfigs' };
export const IMAGE_STREAMS: ResourceRef = {
  group: 'image.openshift.io',
  version: 'v1',
  kind: 'ImageStream',
  plural: 'imagestreams',
  namespaced: true,
};
