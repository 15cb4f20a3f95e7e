import { type Json, type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import { applicationSources, type Graph, nodeText, type Node } from '../../graph/index.js';
import { entryOf, textAt } from '../../json/index.js';
import type { Finding, Fix, BlockingWindow, Rule } from '../../findings/index.js';
import { act, adding, change, delegate, fact, kubectlName, leaf, setting, shellWord } from '../make-finding.js';
import { webhookFault } from '../workloads.js';
import { drifted } from './drifts.js';
import { selfHealConflicts } from './application-hygiene.js';
import { settingsOf } from './settings.js';

interface RuleInput {
  readonly app: Node;
  readonly graph: Graph;
  readonly message: string;
  readonly evidence: Finding['evidence'];
}

interface MessageRule {
  readonly rule: string;
  readonly test: RegExp;
  make(match: RegExpExecArray, said: RuleInput): Finding;
}

const sourceField = ({ app }: RuleInput, name: string): string =>
  `${applicationSources(app.object)[0]?.field ?? 'spec.source'}.${name}`;
const revisionOf = ({ app }: RuleInput): string =>
  textAt(applicationSources(app.object)[0]?.source, 'targetRevision') || 'HEAD';
const render = (
  rule: string,
  said: RuleInput,
  title: string,
  field: string,
  fix: string,
  more: Partial<Finding> = {},
): Finding =>
  leaf(rule, said.app, 'render', title, {
    evidence: said.evidence,
    field,
    fix: change(said.app, said.graph, fix, { risk: 'none' }),
    ...more,
  });

/**
 * The revision that most other applications of the repository follow: where one of them does not work, it is probably
 * meant.
 */
export function usualRevision(app: Node, graph: Graph, repoURL: string): string | undefined {
  const counts = new Map<string, number>();
  for (const other of graph.applications) {
    if (other.id === app.id) continue;
    for (const { source } of applicationSources(other.object))
      if (textAt(source, 'repoURL') === repoURL && textAt(source, 'chart') === '')
        counts.set(
          textAt(source, 'targetRevision') || 'HEAD',
          (counts.get(textAt(source, 'targetRevision') || 'HEAD') ?? 0) + 1,
        );
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

function retarget(said: RuleInput, say: string): Fix {
  const [first] = applicationSources(said.app.object);
  const usual = usualRevision(said.app, said.graph, textAt(first?.source, 'repoURL'));
  const isOther = usual !== undefined && first !== undefined && usual !== revisionOf(said);
  return change(
    said.app,
    said.graph,
    isOther ? `${say}, such as ${usual}, which most applications of this repository follow` : say,
    { risk: 'none', edits: isOther ? [setting(said.app, `${first.field}.targetRevision`, usual)] : [] },
  );
}

function projectOf({ app, graph }: RuleInput): Node {
  return graph.store.refer({
    group: 'argoproj.io',
    kind: 'AppProject',
    namespace: app.key.namespace,
    name: textAt(app.object, 'spec', 'project') || 'default',
  });
}

/** The project permits what the application asks for, and nothing else beside it. */
function permitting(said: RuleInput): Fix {
  const project = projectOf(said);
  const source = applicationSources(said.app.object)
    .map((each) => textAt(each.source, 'repoURL'))
    .find((url) => said.message.includes(url));
  const [server, name, namespace] = ['server', 'name', 'namespace'].map((field) =>
    textAt(said.app.object, 'spec', 'destination', field),
  );
  const edit = /destination/.test(said.message)
    ? adding(project, 'spec.destinations', {
        ...(server === '' ? { name: name ?? '' } : { server: server ?? '' }),
        namespace: namespace ?? '',
      })
    : source === undefined
      ? undefined
      : adding(project, 'spec.sourceRepos', source);
  return change(project, said.graph, 'extend the project, or choose another', {
    risk: 'none',
    edits: edit === undefined || project.object === undefined ? [] : [edit],
  });
}

/** The project of most applications with the same destination. */
function otherProject(said: RuleInput): Fix {
  const place = (app: Node): string => JSON.stringify(valueAt(app.object, 'spec', 'destination') ?? null);
  const counts = new Map<string, number>();
  for (const other of said.graph.applications)
    if (
      other.id !== said.app.id &&
      place(other) === place(said.app) &&
      projectOf({ ...said, app: other }).object !== undefined
    )
      counts.set(
        textAt(other.object, 'spec', 'project'),
        (counts.get(textAt(other.object, 'spec', 'project')) ?? 0) + 1,
      );
  const [usual] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return change(
    said.app,
    said.graph,
    usual === undefined
      ? 'make the project, or choose another'
      : `make the project, or choose another, such as ${usual[0]}, which ${usual[1]} applications with the ` +
          'same destination have',
    { risk: 'none', edits: usual === undefined ? [] : [setting(said.app, 'spec.project', usual[0])] },
  );
}

/** A sync option of the application. */
const option = ({ app, graph }: RuleInput, say: string, value: string): Partial<Finding> => ({
  fix: change(app, graph, `${say}, then sync: a revision that failed is not tried again by itself`, {
    risk: 'none',
    edits: [adding(app, 'spec.syncPolicy.syncOptions', value)],
    actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
  }),
});

/** Why Argo CD cannot compare: rows of its messages. */
const COMPARISONS: readonly MessageRule[] = [
  {
    rule: 'A01',
    test: /app path does not exist|(\S+): no such file or directory/,
    make: (match, said) =>
      render(
        'A01',
        said,
        `the path of ${nodeText(said.app)} does not exist at ${revisionOf(said)}: ${match[0]}`,
        /app path/.test(match[0]) ? sourceField(said, 'path') : sourceField(said, 'targetRevision'),
        'point it to a revision that has the path',
        {
          fix: retarget(said, 'point it to a revision that has the path'),
          signature: `${textAt(applicationSources(said.app.object)[0]?.source, 'repoURL')} ${revisionOf(said)} ${match[0]}`,
          commonTitle: `a path does not exist at ${revisionOf(said)}`,
        },
      ),
  },
  {
    rule: 'A02',
    test: /unable to resolve '?([^' ]+)'? to a commit SHA|couldn't find remote ref (\S+)|revision (\S+) not found/,
    make: ([, name, other, third], said) =>
      render(
        'A02',
        said,
        `the revision ${name ?? other ?? third ?? ''} of ${nodeText(said.app)} does not exist`,
        sourceField(said, 'targetRevision'),
        'set targetRevision to a branch or tag that exists',
        {
          fix: retarget(said, 'set targetRevision to a branch or tag that exists'),
          signature: `revision ${textAt(applicationSources(said.app.object)[0]?.source, 'repoURL')} ${name ?? other ?? third ?? ''}`,
          commonTitle: `the revision ${name ?? other ?? third ?? ''} does not exist`,
        },
      ),
  },
  {
    rule: 'A04',
    test: /authentication required|repository not accessible|repository not found|[Pp]ermission denied \(publickey|invalid username or password|could not read Username|authorization failed|HTTP Basic: Access denied/,
    make: (_match, said) => credential(said),
  },
  {
    rule: 'A08',
    test: /there are no clusters with this name:? ?(\S*)|cluster "([^"]+)" not found/,
    make: ([, name, server], said) =>
      render(
        'A08',
        said,
        `nobody knows the cluster ${name ?? server ?? ''} that ${nodeText(said.app)} is to go to`,
        `spec.destination.${name === undefined ? 'server' : 'name'}`,
        'name a cluster that is known (argosy cluster list), or add it with argosy cluster add',
      ),
  },
  {
    rule: 'A10',
    test: /Failed to load live state|failed to get cluster (?:info|version)|error getting cluster|cluster .* (?:is not configured|has been disabled)|the server has asked for the client to provide credentials/,
    make: (_match, said) => destination(said),
  },
  {
    rule: 'A08',
    test: /referenc(?:es|ing) project (\S+) which does not exist|is not permitted in project|not permitted in project|do not match any of the allowed destinations/,
    make: (match, said) =>
      render(
        'A08',
        said,
        match[1] === undefined
          ? `the project of ${nodeText(said.app)} forbids it: ${said.message}`
          : `the project ${match[1]} of ${nodeText(said.app)} does not exist`,
        'spec.project',
        'extend the project, or choose another',
        match[1] === undefined
          ? {
              fix: permitting(said),
              blamed: projectOf(said),
              field:
                /source|repo/i.test(said.message) && !/destination/.test(said.message)
                  ? 'spec.sourceRepos'
                  : /destination/.test(said.message)
                    ? 'spec.destinations'
                    : 'spec',
            }
          : { fix: otherProject(said) },
      ),
  },
  {
    rule: 'A09',
    test: /Namespace for (\S+) (\S+) is missing|[Nn]amespace .* is missing/,
    make: (_match, said) =>
      render(
        'A09',
        said,
        `${nodeText(said.app)} names no destination namespace`,
        'spec.destination.namespace',
        'set spec.destination.namespace',
      ),
  },
  {
    rule: 'A36',
    test: /error setting app health|health of \S+: <string>/,
    make: (_match, said) =>
      render(
        'A36',
        said,
        `a health script fails: ${said.message}`,
        "data['resource.customizations']",
        'correct the script; argosy health lint shows where',
        {
          signature: 'health script',
          commonTitle: 'a health script fails',
          blamed: said.graph.store.refer({
            group: '',
            kind: 'ConfigMap',
            namespace: said.app.key.namespace,
            name: 'argocd-cm',
          }),
        },
      ),
  },
  {
    rule: 'A46',
    test: /repo-server|connection refused|rpc error: code = (?:Unavailable|DeadlineExceeded)|context deadline exceeded|dial tcp/,
    make: (_match, said) => controlPlane(said),
  },
  {
    rule: 'A07',
    test: /nil pointer evaluating|execution error at|accumulating resources|failed to parse|error converting YAML|values don't meet the specifications|parse error|template:|no matches for Id|json: cannot unmarshal|yaml: |kustomize build|helm template|Manifest generation error|failed to generate manifest/,
    make: (_match, said) =>
      render(
        'A07',
        said,
        `the manifests of ${nodeText(said.app)} cannot be made: ${said.message.replace(/^.*?(?:rpc error: code = \w+ desc = )/, '')}`,
        sourceField(said, 'path'),
        'correct the file that the message names',
      ),
  },
];

/** The repository does not let us in: its credential, or whoever writes it. */
function credential(said: RuleInput): Finding {
  const edge = said.graph
    .edges(said.app)
    .find(({ to, field }) => to.key.kind === 'Secret' && field.endsWith('.repoURL'));
  const repoURL = textAt(applicationSources(said.app.object)[0]?.source, 'repoURL');
  const told = {
    evidence: said.evidence,
    impact: 'infrastructure' as const,
    signature: `credential ${repoURL}`,
    commonTitle: `the repository ${repoURL} does not let Argo CD in`,
  };
  if (edge === undefined)
    return leaf('A04', said.app, 'render', `no credential opens the repository ${repoURL} of ${nodeText(said.app)}`, {
      ...told,
      field: sourceField(said, 'repoURL'),
      fix: act('add a repository Secret, or correct the address', ['argocd repo add'], { verify: 'argosy app list' }),
    });
  const isMade = said.graph.edges(edge.to).some(({ to }) => to.object !== undefined);
  if (
    isMade &&
    said.graph.edges(edge.to).some(
      ({ to }) =>
        textAt(
          objectsAt(to.object, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
          'status',
        ) === 'False',
    )
  )
    return delegate('A04', said.app, 'render', `the credential of ${repoURL} is refused`, {
      evidence: said.evidence,
      target: edge.to,
    });
  return leaf('A04', said.app, 'render', `the credential of ${repoURL} in ${nodeText(edge.to)} is refused`, {
    ...told,
    blamed: edge.to,
    field: 'data',
    fix: act('renew the credential in the repository Secret', [], { verify: 'argosy app list' }),
  });
}

function destination(said: RuleInput): Finding {
  const edge = said.graph.edges(said.app).find(({ field }) => field === 'spec.destination');
  const server =
    textAt(said.app.object, 'spec', 'destination', 'server') || textAt(said.app.object, 'spec', 'destination', 'name');
  return leaf('A10', said.app, 'compare', `the cluster ${server} does not answer Argo CD`, {
    evidence: said.evidence,
    impact: 'infrastructure',
    ...(edge === undefined ? {} : { blamed: edge.to }),
    field: edge === undefined ? 'spec.destination' : 'data.config',
    signature: `cluster ${server}`,
    commonTitle: `the cluster ${server} does not answer Argo CD`,
    fix: act('renew the credential or address of the cluster', ['argocd cluster list'], { verify: 'argosy app list' }),
  });
}

function controlPlane(said: RuleInput): Finding {
  const part = /(repo-server|redis|application-controller)/.exec(said.message)?.[1] ?? 'repo-server';
  const workload = ['Deployment', 'StatefulSet']
    .flatMap((kind) => said.graph.store.inNamespace('apps', kind, said.app.key.namespace))
    .find(({ key }) => key.name.endsWith(part));
  return delegate('A46', said.app, 'compare', `Argo CD's ${part} does not answer`, {
    evidence: said.evidence,
    impact: 'infrastructure',
    target: workload ?? said.graph.store.virtual('Component', `argocd ${part}`),
  });
}

/** What the API server or Argo CD says to one object of a sync. */
const REJECTIONS: readonly MessageRule[] = [
  {
    rule: 'A06',
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
    rule: 'A11',
    test: /no matches for kind "([^"]+)"|could not find the requested resource|ensure CRDs are installed first|could not find ([\w.-]+\/\w+) (?:version|for requested resource)|could not find (\S+) in (?:version|group)/,
    make: ([, named, versioned], said) => kindMissing(said, named ?? versioned),
  },
  {
    rule: 'A12',
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
    rule: 'A13',
    test: /field is immutable|updates to statefulset spec for fields other than|spec is immutable after creation|is forbidden: .* immutable|may not change once set|cannot change roleRef|can not be less than (?:previous value|status\.capacity)|cannot be changed/,
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
    rule: 'A14',
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
    rule: 'A17',
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
    rule: 'A18',
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
    rule: 'C13',
    test: /exceeded quota: ([^,\s]+)/,
    make: ([, quota = ''], said) =>
      rejection('C13', said, `the ResourceQuota ${quota} has no room for it`, 'spec.hard', 'raise the quota'),
  },
  {
    rule: 'A53',
    test: /is invalid: (?:[^:]*\[)?(?:<nil>: )?([a-zA-Z][\w.[\]]*): (?:Invalid value|Forbidden|Unsupported value|Duplicate value|Not found|Too long|Too many|Internal error)[^:]*:? ?(.*)/,
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
    rule: 'A53',
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
    rule: 'A30',
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
    rule: 'A43',
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
  rule: string,
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

/** The first row that knows a message. */
function matchRules(rows: readonly MessageRule[], said: RuleInput): Finding | undefined {
  for (const { test, make } of rows) {
    const match = test.exec(said.message);
    if (match !== null) return make(match, said);
  }
  return undefined;
}

/** Conditions that say something without failing anything. */
const WARNINGS: Readonly<
  Record<
    string,
    { readonly rule: string; readonly impact: 'drift' | 'note'; readonly field: string; readonly fix: string }
  >
> = {
  SharedResourceWarning: {
    rule: 'A19',
    impact: 'note',
    field: 'status.conditions',
    fix: 'let one application own the object',
  },
  RepeatedResourceWarning: {
    rule: 'A20',
    impact: 'drift',
    field: 'spec.source.path',
    fix: 'keep one of the manifests',
  },
  ExcludedResourceWarning: {
    rule: 'A21',
    impact: 'drift',
    field: "data['resource.exclusions']",
    fix:
      'deliver a BuildConfig instead, or start the pipeline by an EventListener; or lift the exclusion in the ' +
      'settings',
  },
  OrphanedResourceWarning: {
    rule: 'A22',
    impact: 'note',
    field: 'status.conditions',
    fix: 'delete what nobody delivers',
  },
};

export function applicationRules(heldBy?: BlockingWindow): Rule {
  return (app, graph) => checkApplication(app, graph, heldBy);
}

function checkApplication(app: Node, graph: Graph, heldBy: BlockingWindow | undefined): readonly Finding[] {
  if (textAt(app.object, 'metadata', 'annotations', 'argocd.argoproj.io/skip-reconcile') === 'true')
    return [
      leaf('A49', app, 'reconcile', `${nodeText(app)} is frozen on purpose`, {
        impact: 'note',
        field: "metadata.annotations['argocd.argoproj.io/skip-reconcile']",
      }),
    ];
  const conditions = objectsAt(app.object, 'status', 'conditions');
  const findings = conditions.flatMap((condition) =>
    fromCondition(app, graph, textAt(condition, 'type'), textAt(condition, 'message')),
  );
  const isLost = findings.some(({ phase, impact }) => (phase === 'render' || phase === 'compare') && impact !== 'note');
  if (!isLost) findings.push(...fromOperation(app, graph));
  const hasSync = findings.some(({ phase }) => phase === 'admit');
  findings.push(...fromHealth(app, isLost || hasSync));
  return findings.length > 0 ? findings : outOfSync(app, graph, heldBy);
}

function fromCondition(app: Node, graph: Graph, type: string, message: string): Finding[] {
  const evidence = [fact(app, `status.conditions[${type}]`, message)];
  const warning = entryOf(WARNINGS, type);
  if (warning !== undefined)
    return [
      leaf(warning.rule, app, 'reconcile', `${nodeText(app)}: ${message}`, {
        impact: type === 'SharedResourceWarning' && isOfTheCluster(app, message) ? 'drift' : warning.impact,
        evidence,
        field: warning.field,
        fix: change(app, graph, warning.fix, { risk: 'none' }),
        ...(type === 'ExcludedResourceWarning'
          ? { signature: 'exclusions', blamed: settingsOf(graph, app.key.namespace) }
          : {}),
      }),
    ];
  const said = { app, graph, message, evidence };
  if (type === 'ComparisonError' || type === 'InvalidSpecError' || type === 'UnknownError') {
    if (
      /Manifest generation error \(cached\)/.test(message) &&
      matchRules(COMPARISONS.slice(0, -1), said) === undefined
    )
      return [
        delegate('A05', app, 'render', `an earlier error of ${nodeText(app)} is remembered: ${message}`, { evidence }),
      ];
    return [
      matchRules(COMPARISONS, said) ??
        leaf('A07', app, 'render', `${nodeText(app)} cannot be compared: ${message}`, {
          evidence,
          field: 'spec.source',
          suspect: true,
          fix: change(app, graph, 'correct what the message names', { risk: 'none' }),
        }),
    ];
  }
  return type === 'DeletionError'
    ? [delegate('A45', app, 'reconcile', `${nodeText(app)} cannot be deleted: ${message}`, { evidence })]
    : [];
}

/** A thing of the whole cluster that two applications install is more than a note: everybody uses it. */
function isOfTheCluster(app: Node, message: string): boolean {
  const [, kind, name] = /^(\w+)\/(\S+) is part of/.exec(message) ?? [];
  return objectsAt(app.object, 'status', 'resources').some(
    (resource) =>
      textAt(resource, 'kind') === kind &&
      textAt(resource, 'name') === name &&
      textAt(resource, 'namespace') === '' &&
      kind !== 'Namespace',
  );
}

function fromOperation(app: Node, graph: Graph): Finding[] {
  const state = valueAt(app.object, 'status', 'operationState');
  const phase = textAt(state, 'phase');
  if (isOver(app, state)) return [];
  if (phase === 'Running') return waiting(app, graph, state);
  const failure = objectsAt(app.object, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'SyncError',
  );
  // A condition that stays after an operation went well is old.
  if (phase === 'Succeeded' || (phase !== 'Failed' && phase !== 'Error' && failure === undefined)) return [];
  const results = objectsAt(state, 'syncResult', 'resources').filter(
    (result) => textAt(result, 'status') === 'SyncFailed' || /^(Failed|Error)$/.test(textAt(result, 'hookPhase')),
  );
  const hooks = results.filter((result) => textAt(result, 'hookType') !== '');
  const [hook] = hooks;
  if (hook !== undefined) {
    const target = graph.store.refer({
      group: textAt(hook, 'group'),
      kind: textAt(hook, 'kind'),
      namespace: textAt(hook, 'namespace'),
      name: textAt(hook, 'name'),
    });
    return [
      delegate('A27', app, 'reconcile', `the hook ${nodeText(target)} of ${nodeText(app)} has failed`, {
        target,
        evidence: [
          fact(
            app,
            'status.operationState.syncResult.resources',
            `${textAt(hook, 'hookPhase')} ${textAt(hook, 'message')}`,
          ),
        ],
      }),
    ];
  }
  const messages = [
    ...results.map((result) => ({ result, message: textAt(result, 'message') })),
    { result: undefined, message: textAt(state, 'message') },
    { result: undefined, message: textAt(failure, 'message') },
  ];
  for (const { result, message } of messages) {
    const said = {
      app,
      graph,
      message,
      evidence: [
        fact(
          app,
          result === undefined
            ? 'status.operationState.message'
            : `status.operationState.syncResult.resources[${textAt(result, 'kind')}/${textAt(result, 'name')}]`,
          message,
        ),
      ],
    };
    const holder =
      result === undefined
        ? app
        : graph.store.refer({
            group: textAt(result, 'group'),
            kind: textAt(result, 'kind'),
            namespace: textAt(result, 'namespace'),
            name: textAt(result, 'name'),
          });
    const finding = webhookFault(app, graph, message, said.evidence) ?? matchRules(REJECTIONS, said);
    if (finding !== undefined)
      return [
        finding.kind === 'leaf' && finding.blamed === undefined && result !== undefined
          ? onHolder(finding, holder)
          : finding,
      ];
  }
  // What the sync waited for is degraded: it says more than the sync.
  if (badResources(app).some((resource) => textAt(resource, 'health', 'status') === 'Degraded')) return [];
  const [refused] = results;
  const holder =
    refused === undefined
      ? undefined
      : graph.store.refer({
          group: textAt(refused, 'group'),
          kind: textAt(refused, 'kind'),
          namespace: textAt(refused, 'namespace'),
          name: textAt(refused, 'name'),
        });
  return [
    leaf(
      'A29',
      app,
      'admit',
      `the last sync of ${nodeText(app)} failed: ${textAt(results[0], 'message') || textAt(state, 'message') || textAt(failure, 'message')}`,
      {
        evidence: [fact(app, 'status.operationState.message', textAt(state, 'message'))],
        field: 'spec',
        suspect: true,
        ...(holder === undefined ? {} : { blamed: holder }),
        fix: change(app, graph, 'correct what the message names, then sync', { risk: 'none' }),
      },
    ),
  ];
}

/** An operation that failed is over where git says something else since, and that is what the cluster has. */
function isOver(app: Node, state: Json | undefined): boolean {
  const revisions = (of: Json | undefined): string =>
    JSON.stringify([valueAt(of, 'revision') ?? null, valueAt(of, 'revisions') ?? null]);
  const [now, then] = [revisions(valueAt(app.object, 'status', 'sync')), revisions(valueAt(state, 'syncResult'))];
  return (
    textAt(app.object, 'status', 'sync', 'status') === 'Synced' &&
    valueAt(state, 'syncResult') !== undefined &&
    /^(Failed|Error)$/.test(textAt(state, 'phase')) &&
    now !== then
  );
}

/** What an application was told about one of its objects is about that object. */
function onHolder(finding: Finding, holder: Node): Finding {
  const { fix } = finding;
  return {
    ...finding,
    blamed: holder,
    ...(fix?.edits === undefined
      ? {}
      : {
          fix: {
            ...fix,
            edits: fix.edits.map((edit) => (edit.path[0] === '**' ? { ...edit, object: holder.key } : edit)),
          },
        }),
  };
}

/** An operation that waits for one object: it is named. */
function waiting(app: Node, graph: Graph, state: Json | undefined): Finding[] {
  const message = textAt(state, 'message');
  const started = Date.parse(textAt(state, 'startedAt'));
  const named = /waiting for (?:healthy state of|completion of hook|deletion of) (?:([\w.-]*)\/)?(\w+)\/([\w.-]+)/.exec(
    message,
  );
  const isLong = graph.time - started > 600_000;
  const told = {
    evidence: [fact(app, 'status.operationState.message', message)],
    ...(Number.isNaN(started) ? {} : { onset: started }),
    ...(isLong ? {} : { level: 'waiting' as const, impact: 'note' as const }),
  };
  const target =
    named === null
      ? undefined
      : graph.edges(app).find(({ to }) => to.key.kind === named[2] && to.key.name === named[3])?.to;
  return [
    delegate('A23', app, 'reconcile', `the sync of ${nodeText(app)} waits: ${message}`, {
      ...told,
      ...(target === undefined ? {} : { target }),
    }),
  ];
}

function badResources(app: Node): JsonObject[] {
  return objectsAt(app.object, 'status', 'resources').filter(
    (resource) => !['Healthy', '', 'Suspended'].includes(textAt(resource, 'health', 'status')),
  );
}

function fromHealth(app: Node, isExplained: boolean): Finding[] {
  const status = textAt(app.object, 'status', 'health', 'status');
  if (status === 'Healthy' || status === '') return [];
  const evidence = [fact(app, 'status.health.status', status)];
  const bad = badResources(app);
  const isMissing = status === 'Missing' && bad.every((resource) => textAt(resource, 'health', 'status') === 'Missing');
  const isOnTheWay = textAt(app.object, 'status', 'operationState', 'phase') === 'Running';
  if (isMissing)
    return isExplained || isOnTheWay
      ? []
      : [
          leaf('A42', app, 'reconcile', `${nodeText(app)} was never synced`, {
            evidence,
            impact: 'drift',
            field: 'spec.syncPolicy.automated',
            signature: 'never synced',
            commonTitle: 'applications that were never synced',
            fix: act('sync it', [`argocd app sync ${shellWord(app.key.name)}`], {
              actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: {} } } }],
              verify: `kubectl get ${kubectlName(app)}`,
            }),
          }),
        ];
  if (status === 'Unknown' && isExplained) return [];
  return [
    delegate('A23', app, 'ready', `${nodeText(app)} is ${status}`, {
      evidence,
      ...(status === 'Suspended'
        ? { level: 'waiting' as const, impact: 'note' as const }
        : status === 'Progressing' || (status === 'Missing' && isOnTheWay)
          ? { level: 'waiting' as const }
          : {}),
    }),
  ];
}

/** Nothing is down and git differs: told once, by what differs. */
function outOfSync(app: Node, graph: Graph, heldBy: BlockingWindow | undefined): Finding[] {
  if (textAt(app.object, 'status', 'sync', 'status') !== 'OutOfSync') return [];
  const different = objectsAt(app.object, 'status', 'resources').filter(
    (resource) => textAt(resource, 'status') === 'OutOfSync',
  );
  const orphan = different.length > 0 && different.every((resource) => valueAt(resource, 'requiresPruning') === true);
  const isAutomatic = valueAt(app.object, 'spec', 'syncPolicy', 'automated') !== undefined;
  const synced = textAt(app.object, 'status', 'operationState', 'phase') === 'Succeeded';
  const kinds = [...new Set(different.map((resource) => textAt(resource, 'kind')))].sort().join(', ');
  const evidence = [fact(app, 'status.sync.status', 'OutOfSync'), fact(app, 'status.resources', kinds)];
  if (orphan)
    return [
      leaf('A22', app, 'reconcile', `git no longer has what ${nodeText(app)} delivers`, {
        evidence,
        impact: 'drift',
        field: 'spec.source.path',
        signature: 'orphan applications',
        commonTitle: 'applications whose files git no longer has',
        fix: act(
          'delete the application, with or without what it delivered',
          [`argocd app delete ${shellWord(app.key.name)}`],
          { risk: 'delete-recreate', reversible: false },
        ),
      }),
    ];
  const isMoved =
    isAutomatic &&
    synced &&
    textAt(app.object, 'status', 'sync', 'revision') !==
      textAt(app.object, 'status', 'operationState', 'syncResult', 'revision');
  const held = isMoved && heldBy !== undefined ? blockedByWindow(app, graph, evidence, heldBy) : undefined;
  if (held !== undefined) return [held];
  if (isMoved)
    return [
      leaf('A51', app, 'reconcile', `${nodeText(app)} will be synced to a newer revision`, {
        evidence,
        impact: 'note',
        level: 'waiting',
        signature: 'will sync',
        commonTitle: 'applications that will sync by themselves',
      }),
    ];
  // Two who change one field are told as that.
  return selfHealConflicts(app, graph).length > 0 ? [] : [drifted(app, graph, different, evidence)];
}

/** The project has times in which it syncs, or does not, and this is none of them. */
function blockedByWindow(
  app: Node,
  graph: Graph,
  evidence: Finding['evidence'],
  heldBy: BlockingWindow,
): Finding | undefined {
  const project = graph.edges(app).find(({ field }) => field === 'spec.project')?.to;
  if (project?.object === undefined || app.object === undefined) return undefined;
  const index = heldBy(project.object, app.object, graph.time);
  const window = objectsAt(project.object, 'spec', 'syncWindows')[index ?? -1];
  if (index === undefined || window === undefined) return undefined;
  return leaf(
    'A43',
    app,
    'reconcile',
    `a sync window of ${nodeText(project)} holds ${nodeText(app)}: ${textAt(window, 'kind')} at ` +
      `${textAt(window, 'schedule')} for ${textAt(window, 'duration')}`,
    {
      impact: 'drift',
      blamed: project,
      field: `spec.syncWindows[${index}]`,
      signature: `window ${project.id} ${index}`,
      evidence: [...evidence, fact(project, `spec.syncWindows[${index}]`, window)],
      fix: change(project, graph, 'wait for the window, sync by hand where it allows that, or correct the window', {
        risk: 'none',
      }),
    },
  );
}
