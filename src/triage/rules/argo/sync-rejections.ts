import type { Finding, TriageCode } from '../../findings/index.js';
import { nodeText } from '../../graph/index.js';
import { adding, change, leaf } from '../make-finding.js';
import type { MessageRule, RuleInput } from './message-rules.js';
import { anyOf } from '../any-of.js';

/** A sync option of the application. */
const option = ({ app, graph }: RuleInput, say: string, value: string): Partial<Finding> => ({
  fix: change(app, graph, `${say}, then sync: a revision that failed is not tried again by itself`, {
    risk: 'none',
    edits: [adding(app, 'spec.syncPolicy.syncOptions', value)],
    actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
  }),
});

/** What the API server or Argo CD says to one object of a sync. */
export const REJECTIONS: readonly MessageRule[] = [
  {
    test: /([\w.[\]]+): Required value/,
    make: ([, field = ''], said) =>
      rejection(
        'A06',
        said,
        `a value is empty: ${field} is required`,
        field,
        'set the value that the field comes from',
      ),
  },
  {
    test: anyOf(
      /no matches for kind "([^"]+)"/,
      /could not find the requested resource|ensure CRDs are installed first/,
      /could not find ([\w.-]+\/\w+) (?:version|for requested resource)/,
      /could not find (\S+) in (?:version|group)/,
    ),
    make: ([, named, versioned], said) => kindMissing(said, named ?? versioned),
  },
  {
    test: /spec\.selector.*field is immutable/,
    make: (_match, said) =>
      rejection(
        'A12',
        said,
        'its selector was changed, which cannot be',
        'spec.selector',
        'delete the object and sync again, or use Force=true,Replace=true',
        {
          fix: change(
            said.app,
            said.graph,
            'delete the object so that the sync makes it again, or set the sync option Force=true,Replace=true on it',
            { risk: 'delete-recreate' },
          ),
        },
      ),
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
    make: (_match, said) =>
      rejection(
        'A13',
        said,
        'a field was changed that cannot be',
        /([\w.]+): (?:Invalid|Forbidden)/.exec(said.message)?.[1] ?? 'spec',
        'delete the object without its pods and sync again',
        {
          fix: change(said.app, said.graph, 'delete the object (--cascade=orphan keeps its pods), then sync', {
            risk: 'delete-recreate',
          }),
        },
      ),
  },
  {
    test: /metadata\.annotations: Too long/,
    make: (_match, said) =>
      rejection(
        'A14',
        said,
        'its annotations are too long for a client-side apply',
        'metadata.annotations',
        'use the sync option ServerSideApply=true',
        option(said, 'use the sync option ServerSideApply=true', 'ServerSideApply=true'),
      ),
  },
  {
    test: /is forbidden: User "([^"]+)" cannot (\w+) resource "([^"]+)"/,
    make: ([, user = '', verb = '', resource = ''], said) =>
      rejection(
        'A17',
        said,
        `${user} may not ${verb} ${resource}`,
        '',
        `give ${user} the right to ${verb} ${resource}; on OpenShift, label the namespace ` +
          'argocd.argoproj.io/managed-by',
        { signature: `right ${user} ${verb} ${resource}`, commonTitle: `${user} may not ${verb} ${resource}` },
      ),
  },
  {
    test: /namespaces "([^"]+)" not found/,
    make: ([, name = ''], said) =>
      rejection(
        'A18',
        said,
        `its namespace ${name} does not exist`,
        'spec.syncPolicy.syncOptions',
        'add the sync option CreateNamespace=true',
        { ...option(said, 'add the sync option CreateNamespace=true', 'CreateNamespace=true'), blamed: said.app },
      ),
  },
  {
    test: /exceeded quota: ([^,\s]+)/,
    make: ([, quota = ''], said) =>
      rejection('C13', said, `the ResourceQuota ${quota} has no room for it`, 'spec.hard', 'raise the quota'),
  },
  {
    test: new RegExp(
      'is invalid: (?:[^:]*\\[)?(?:<nil>: )?([a-zA-Z][\\w.[\\]]*): (?:Invalid value|Forbidden|Unsupported value|' +
        'Duplicate value|Not found|Too long|Too many|Internal error)[^:]*:? ?(.*)',
    ),
    make: ([, field = '', why = ''], said) =>
      rejection(
        'A53',
        said,
        `the API server does not take ${field}: ${why.slice(0, 200)}`,
        field,
        'correct the field that the message names',
      ),
  },
  {
    test: /failed to create typed patch object \([^)]*\): (?:errors:\s*)?(\.[^:]+): (.*)/,
    make: ([, field = '', why = ''], said) =>
      rejection(
        'A53',
        said,
        `the API server cannot read ${field.slice(1)}: ${why.slice(0, 200)}`,
        field.slice(1),
        'give the field a value of its type',
      ),
  },
  {
    test: /auto-sync will wipe out all resources/,
    make: (_match, said) =>
      rejection(
        'A30',
        said,
        'its source makes nothing, and pruning everything is not allowed',
        'spec.source.path',
        'correct the path, or set allowEmpty',
      ),
  },
  {
    test: /blocked by sync window/,
    make: (_match, said) =>
      rejection('A43', said, 'a sync window holds it', '', 'wait for the window, or override it', { impact: 'note' }),
  },
];

/** A kind that the API server does not know. */
function kindMissing(said: RuleInput, kind = 'of an object'): Finding {
  return rejection(
    'A11',
    said,
    `the kind ${kind} is not installed`,
    '',
    'install its CustomResourceDefinition in an earlier wave',
    { signature: `kind ${kind}`, commonTitle: `the kind ${kind} is not installed` },
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
  return leaf(rule, app, 'admit', `${nodeText(app)} is not synced: ${say}`, {
    evidence,
    field,
    fix: change(app, graph, fix, { risk: 'none' }),
    ...more,
  });
}
