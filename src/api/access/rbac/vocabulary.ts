import type { RbacResource } from '../access.js';

/** The words that Argo CD's policies know. */
export const RESOURCES: readonly RbacResource[] = [
  'clusters', 'projects', 'applications', 'applicationsets', 'repositories', 'write-repositories', 'certificates', 'accounts', 'gpgkeys', 'logs', 'exec', 'extensions',
];
export const ACTIONS: readonly string[] = ['get', 'create', 'update', 'delete', 'sync', 'override', 'action', 'invoke'];

/** Objects of these begin with their project. */
export const PROJECT_SCOPED: ReadonlySet<string> = new Set(['applications', 'applicationsets', 'logs', 'exec', 'clusters', 'repositories']);
