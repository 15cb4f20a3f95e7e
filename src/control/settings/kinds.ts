import type { ResourceRef } from '../../cluster/index.js';

export const ARGOCDS: ResourceRef = {
  group: 'argoproj.io',
  version: 'v1beta1',
  kind: 'ArgoCD',
  plural: 'argocds',
  namespaced: true,
};
export const CONFIG_MAPS: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
export const DEPLOYMENTS: ResourceRef = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
