import type { PolicyText } from './policy.js';

const PROJECT_SCOPED = ['applications', 'applicationsets', 'logs', 'exec'];

/** What readers may see. */
const READABLE = [
  'applications',
  'applicationsets',
  'certificates',
  'clusters',
  'repositories',
  'write-repositories',
  'projects',
  'accounts',
  'gpgkeys',
  'logs',
];

/** What administrators may do beside that. */
const ADMINISTERED: Readonly<Record<string, readonly string[]>> = {
  applications: ['create', 'update', 'update/*', 'delete', 'delete/*', 'sync', 'override', 'action/*'],
  applicationsets: ['get', 'create', 'update', 'delete'],
  certificates: ['create', 'update', 'delete'],
  clusters: ['create', 'update', 'delete'],
  repositories: ['create', 'update', 'delete'],
  'write-repositories': ['create', 'update', 'delete'],
  projects: ['create', 'update', 'delete'],
  accounts: ['update'],
  gpgkeys: ['create', 'delete'],
  exec: ['create'],
  audit: ['get'],
};

const rule = (role: string, resource: string, action: string): string =>
  `p, ${role}, ${resource}, ${action}, ${PROJECT_SCOPED.includes(resource) ? '*/*' : '*'}, allow`;

/** The roles that are always there: `role:readonly`, `role:admin` which has it too, and `admin` who is one. */
export const BUILT_IN: PolicyText = {
  from: 'the built-in policy',
  text: [
    ...READABLE.map((resource) => rule('role:readonly', resource, 'get')),
    ...Object.entries(ADMINISTERED).flatMap(([resource, actions]) =>
      actions.map((action) => rule('role:admin', resource, action)),
    ),
    'g, role:admin, role:readonly',
    'g, admin, role:admin',
  ].join('\n'),
};
