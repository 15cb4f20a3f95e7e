/** The resources of RBAC, as Argo CD names them. */
export type RbacResource =
  | 'applications'
  | 'applicationsets'
  | 'clusters'
  | 'projects'
  | 'repositories'
  | 'write-repositories'
  | 'certificates'
  | 'accounts'
  | 'gpgkeys'
  | 'logs'
  | 'exec'
  | 'extensions'
  | 'audit';

/** The words that Argo CD's policies know. */
export const RESOURCES: readonly RbacResource[] = [
  'clusters',
  'projects',
  'applications',
  'applicationsets',
  'repositories',
  'write-repositories',
  'certificates',
  'accounts',
  'gpgkeys',
  'logs',
  'exec',
  'extensions',
  'audit',
];
export const ACTIONS: readonly string[] = ['get', 'create', 'update', 'delete', 'sync', 'override', 'action', 'invoke'];

/** Objects of these begin with their project. */
export const PROJECT_SCOPED: ReadonlySet<string> = new Set([
  'applications',
  'applicationsets',
  'logs',
  'exec',
  'clusters',
  'repositories',
]);
