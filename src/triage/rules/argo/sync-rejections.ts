import type { Finding, TriageCode } from '../../findings/index.js';
import { nodeText } from '../../graph/index.js';
import { adding, change, leaf } from '../make-finding.js';
import type { MessageRule, RuleInput } from './message-rules.js';
import { anyOf } from '../any-of.js';

/** A sync option of the application. */
const option = ({ app, graph }: RuleInput, say: string, value: string): Partial<Finding> => ({
  fix: change(app, graph, `${say}, then sync: auto-sync does not retry a failed revision`, {
    risk: 'none',
    edits: [adding(app, 'spec.syncPolicy.syncOptions', value)],
    actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
  }),
});

/** Errors of the API server or Argo CD for one object of a sync. */
export const REJECTIONS: readonly MessageRule[] = [
  {
    test: /([\w.[\]]+): Required value/,
    make: ([, field = ''], input) =>
      rejection('A06', input, `${field} is required but empty`, field, 'set the value that fills the field'),
  },
  {
    test: anyOf(
      /no matches for kind "([^"]+)"/,
      /could not find the requested resource|ensure CRDs are installed first/,
      /could not find ([\w.-]+\/\w+) (?:version|for requested resource)/,
      /could not find (\S+) in (?:version|group)/,
    ),
    make: ([, named, versioned], input) => kindMissing(input, named ?? versioned),
  },
  {
    test: /spec\.selector.*field is immutable/,
    make: (_match, input) =>
      rejection('A12', input, 'spec.selector is immutable', 'spec.selector', 'delete and recreate the object', {
        fix: change(
          input.app,
          input.graph,
          'delete and recreate the object (downtime): delete it and sync, or set the sync option ' +
            'Force=true,Replace=true on it',
          { risk: 'delete-recreate' },
        ),
      }),
  },
  {
    test: anyOf(
      /field is immutable|updates to statefulset spec for fields other than/,
      /spec is immutable after creation/,
      /is forbidden: .* immutable/,
      /may not change once set|cannot change roleRef/,
      /can not be less than (?:previous value|status\.capacity)/,
      /cannot be changed/,
    ),
    make: (_match, input) =>
      rejection(
        'A13',
        input,
        'an immutable field was changed',
        /([\w.]+): (?:Invalid|Forbidden)/.exec(input.message)?.[1] ?? 'spec',
        'delete and recreate the object',
        {
          fix: change(input.app, input.graph, 'delete the object (--cascade=orphan keeps its pods), then sync', {
            risk: 'delete-recreate',
          }),
        },
      ),
  },
  {
    test: /metadata\.annotations: Too long/,
    make: (_match, input) =>
      rejection(
        'A14',
        input,
        'annotations are too long for client-side apply',
        'metadata.annotations',
        'set the sync option ServerSideApply=true',
        option(input, 'set the sync option ServerSideApply=true', 'ServerSideApply=true'),
      ),
  },
  {
    test: /is forbidden: User "([^"]+)" cannot (\w+) resource "([^"]+)"/,
    make: ([, user = '', verb = '', resource = ''], input) =>
      rejection(
        'A17',
        input,
        `${user} cannot ${verb} ${resource}`,
        '',
        `allow ${user} to ${verb} ${resource}; ${grantText(user)}`,
        { signature: `right ${user} ${verb} ${resource}`, commonTitle: `${user} cannot ${verb} ${resource}` },
      ),
  },
  {
    test: /namespaces "([^"]+)" not found/,
    make: ([, name = ''], input) =>
      rejection(
        'A18',
        input,
        `namespace ${name} does not exist`,
        'spec.syncPolicy.syncOptions',
        'set the sync option CreateNamespace=true',
        { ...option(input, 'set the sync option CreateNamespace=true', 'CreateNamespace=true'), blamed: input.app },
      ),
  },
  {
    test: /exceeded quota: ([^,\s]+)/,
    make: ([, quota = ''], input) =>
      rejection('C13', input, `it exceeds ResourceQuota ${quota}`, 'spec.hard', 'raise the quota'),
  },
  {
    test: new RegExp(
      'is invalid: (?:[^:]*\\[)?(?:<nil>: )?([a-zA-Z][\\w.[\\]]*): (?:Invalid value|Forbidden|Unsupported value|' +
        'Duplicate value|Not found|Too long|Too many|Internal error)[^:]*:? ?(.*)',
    ),
    make: ([, field = '', why = ''], input) =>
      rejection(
        'A53',
        input,
        `the API server rejects ${field}: ${why.slice(0, 200)}`,
        field,
        'correct the field in the message',
      ),
  },
  {
    test: /failed to create typed patch object \([^)]*\): (?:errors:\s*)?(\.[^:]+): (.*)/,
    make: ([, field = '', why = ''], input) =>
      rejection(
        'A53',
        input,
        `the API server cannot parse ${field.slice(1)}: ${why.slice(0, 200)}`,
        field.slice(1),
        'use a value of the right type',
      ),
  },
  {
    test: /auto-sync will wipe out all resources/,
    make: (_match, input) =>
      rejection(
        'A30',
        input,
        'the source renders no resources, and allowEmpty is not set',
        'spec.source.path',
        'correct the path, or set allowEmpty',
      ),
  },
  {
    test: /blocked by sync window/,
    make: (_match, input) =>
      rejection('A43', input, 'a sync window blocks it', '', 'wait for the window, or override it', { impact: 'note' }),
  },
];

/** A kind that the API server does not know. */
function kindMissing(input: RuleInput, name: string | undefined): Finding {
  const kind = name === undefined ? 'a kind' : `kind ${name}`;
  return rejection(
    'A11',
    input,
    `${kind} is not installed`,
    '',
    'install its CustomResourceDefinition in an earlier wave',
    { signature: kind, commonTitle: `${kind} is not installed` },
  );
}

function rejection(
  rule: TriageCode,
  { app, graph, evidence }: RuleInput,
  say: string,
  field: string,
  fix: string,
  more: Partial<Finding> = {},
): Finding {
  return leaf(rule, app, 'admit', `${nodeText(app)} cannot sync: ${say}`, {
    evidence,
    field,
    fix: change(app, graph, fix, { risk: 'none' }),
    ...more,
  });
}

/** How whoever delivers gets a right: Argosy by its installation, Argo CD's operator by a label. */
function grantText(user: string): string {
  const namespace = /^system:serviceaccount:([^:]+):argosy-(?:controller|server)$/.exec(user)?.[1];
  return namespace === undefined
    ? 'on OpenShift, label the namespace argocd.argoproj.io/managed-by'
    : `argosy doctor -n ${namespace} prints its role if that was changed, and argosy upgrade -n ${namespace} ` +
        '--deliver-to names further namespaces where rights are narrow';
}
