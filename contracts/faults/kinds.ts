import type { ResourceRef } from '../../src/model/resources/index.js';

const core = (kind: string, plural: string, namespaced = true): ResourceRef => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});

export const PODS = core('Pod', 'pods');
export const CONFIG_MAPS = core('ConfigMap', 'configmaps');
export const SECRETS = core('Secret', 'secrets');
export const SERVICES = core('Service', 'services');
export const SERVICE_ACCOUNTS = core('ServiceAccount', 'serviceaccounts');
export const NAMESPACES = core('Namespace', 'namespaces', false);
export const EVENTS = core('Event', 'events');
