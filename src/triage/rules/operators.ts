import {
  type Graph,
  nodeText,
  type Node,
  storageUris,
  controllersOf,
  conditionIs,
  conditionOf,
  isUnfinished,
  sinceOf,
} from '../graph/index.js';
import { textAt } from '../json/index.js';
import { numberAt, objectAt, objectsAt, valueAt } from '../../model/json/index.js';
import type { Finding, Assess, Rule } from '../findings/index.js';
import { namedObject } from './named-objects.js';
import { act, change, delegate, fact, kubectlName, leaf, joinDistinct, shellWord } from './make-finding.js';

/** Model servers. */
export function inferenceServiceRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  const isReady = conditionIs(object, 'Ready', 'True');
  if (isReady && textAt(object, 'status', 'modelStatus', 'transitionStatus') !== 'InvalidSpec') return [];
  const unseen = ingressOf(node, graph) ?? withoutStatus(node, graph);
  if (unseen !== undefined) return [unseen];
  const failure = objectAt(object, 'status', 'modelStatus', 'lastFailureInfo');
  const reason = textAt(failure, 'reason');
  const state = textAt(object, 'status', 'modelStatus', 'transitionStatus');
  const message = textAt(failure, 'message') || textAt(conditionOf(object, 'Ready'), 'message');
  const evidence = [fact(node, 'status.modelStatus', `${state} ${reason} ${message}`.trim())];
  const disabled = disabledRuntime(node, graph);
  if (disabled !== undefined && (state === 'InvalidSpec' || reason === 'NoSupportingRuntime'))
    return [
      leaf('I02', node, 'admit', `${nodeText(disabled)} is disabled, and no other runtime serves ${nodeText(node)}`, {
        evidence: [...evidence, fact(disabled, 'spec.disabled', true)],
        blamed: disabled,
        field: 'spec.disabled',
        signature: `disabled ${disabled.id}`,
        commonTitle: `${nodeText(disabled)} is disabled, and models need it`,
        ...(isReady ? { impact: 'drift' as const } : {}),
        fix: change(disabled, graph, 'enable the runtime, or name another'),
      }),
    ];
  if (
    /^(NoSupportingRuntime|RuntimeNotRecognized|RuntimeDisabled|InvalidPredictorSpec)$/.test(reason) ||
    state === 'InvalidSpec'
  )
    return [
      leaf(
        /GPU|Worker/.test(reason) ? 'I04' : 'I02',
        node,
        'admit',
        `no runtime serves ${nodeText(node)}: ${reason} ${message}`,
        {
          evidence,
          ...(isReady ? { impact: 'drift' as const } : {}),
          field:
            reason === 'RuntimeNotRecognized' ? 'spec.predictor.model.runtime' : 'spec.predictor.model.modelFormat',
          fix: change(node, graph, 'install or enable a ServingRuntime for this format, or name one that exists'),
        },
      ),
    ];
  if (reason === 'ModelLoadFailed' || state === 'BlockedByFailedLoad')
    return [modelFault(node, graph, message, evidence)];
  return [delegate('I03', node, 'ready', `${nodeText(node)} is not ready: ${message}`, { evidence })];
}

/** A runtime that would serve the format of a model and is switched off. */
function disabledRuntime(node: Node, graph: Graph): Node | undefined {
  const format = textAt(node.object, 'spec', 'predictor', 'model', 'modelFormat', 'name');
  const runtimes = [
    ...graph.store.inNamespace(node.key.group, 'ServingRuntime', node.key.namespace),
    ...graph.store.ofKind(node.key.group, 'ClusterServingRuntime'),
  ];
  return runtimes.find(
    ({ object }) =>
      valueAt(object, 'spec', 'disabled') === true &&
      objectsAt(object, 'spec', 'supportedModelFormats').some((each) => textAt(each, 'name') === format),
  );
}

/** Its pods may serve, and no way leads to them: the stack for it is not installed, or another mode is meant. */
function ingressOf(node: Node, graph: Graph): Finding | undefined {
  const event = graph
    .events(node)
    .find(({ reason }) => /^(ServerlessModeRejected|VirtualServiceCRDNotFound)$/.test(reason));
  const ready = conditionOf(node.object, 'IngressReady');
  const isServed = conditionIs(node.object, 'PredictorReady', 'True');
  if (event === undefined && !(textAt(ready, 'status') === 'False' && isServed)) return undefined;
  const said = event?.message ?? `${textAt(ready, 'reason')} ${textAt(ready, 'message')}`;
  return leaf('I05', node, 'serve', `no way leads to ${nodeText(node)}: ${said}`, {
    evidence: [fact(node, event === undefined ? 'status.conditions[IngressReady]' : `event ${event.reason}`, said)],
    field: "metadata.annotations['serving.kserve.io/deploymentMode']",
    fix: change(node, graph, 'set the mode RawDeployment, or install Knative and Istio with their kinds', {
      risk: 'restart',
    }),
  });
}

/** The model is not where it should be: it was not trained yet, or the address is wrong. */
function modelFault(node: Node, graph: Graph, message: string, evidence: Finding['evidence']): Finding {
  const [uri] = storageUris(node);
  const claim = /^pvc:\/\/([^/]+)/.exec(uri?.uri ?? '')?.[1];
  const trainer =
    claim === undefined
      ? undefined
      : graph.store
          .inNamespace('mlops.mlops.dev', 'NotebookValidationJob', node.key.namespace)
          .find(({ object }) =>
            JSON.stringify(valueAt(object, 'spec', 'podConfig', 'volumes') ?? []).includes(`"${claim}"`),
          );
  if (trainer !== undefined && isUnfinished(trainer.object))
    return leaf(
      'I01',
      node,
      'ready',
      `the model of ${nodeText(node)} is not there yet: ${nodeText(trainer)} is making it`,
      {
        evidence: [...evidence, fact(trainer, 'status.phase', textAt(trainer.object, 'status', 'phase'))],
        level: 'waiting',
        impact: 'note',
        field: "metadata.annotations['argocd.argoproj.io/sync-wave']",
        fix: change(
          node,
          graph,
          'serve in a wave after the notebook, so that nothing waits for a model that is not made',
          { risk: 'none' },
        ),
      },
    );
  if (trainer !== undefined && textAt(trainer.object, 'status', 'phase') !== 'Succeeded')
    return delegate(
      'I01',
      node,
      'ready',
      `the model of ${nodeText(node)} is not there: ${nodeText(trainer)} has not made it`,
      { evidence, target: trainer },
    );
  const pods = graph
    .edges(node)
    .some(({ to }) => to.key.kind === 'Pod' && to.object !== undefined && !conditionIs(to.object, 'Ready', 'True'));
  if (pods && claim !== undefined)
    return delegate('I01', node, 'ready', `${nodeText(node)} cannot load its model: ${message}`, { evidence });
  return leaf(
    'I01',
    node,
    'init',
    `${nodeText(node)} cannot load its model from ${uri?.uri ?? 'its storage'}: ${message}`,
    {
      evidence,
      field: uri?.field ?? 'spec.predictor.model.storageUri',
      fix: change(
        node,
        graph,
        'correct storageUri, or put the model there; serve in a wave after the notebook that makes it',
      ),
    },
  );
}

/** Notebook jobs. */
export function notebookRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  const unseen = withoutStatus(node, graph);
  if (unseen !== undefined) return [unseen];
  const stale = staleStatus(node, graph);
  if (stale !== undefined) return [stale];
  if (phase !== 'Failed') return [];
  const bad = objectsAt(node.object, 'status', 'conditions').filter(
    (condition) => textAt(condition, 'status') === 'False',
  );
  const reason = bad.map((condition) => textAt(condition, 'reason')).join(' ');
  const message = joinDistinct([
    textAt(node.object, 'status', 'message'),
    ...bad.map((condition) => textAt(condition, 'message')),
    ...objectsAt(node.object, 'status', 'results')
      .filter((cell) => textAt(cell, 'status') === 'Failure')
      .map((cell) => textAt(cell, 'errorMessage')),
  ]);
  const evidence = [fact(node, 'status', `${phase} ${reason} ${message}`)];
  const newer = graph.store
    .inNamespace(node.key.group, node.key.kind, node.key.namespace)
    .find(
      (other) =>
        other.id !== node.id &&
        textAt(other.object, 'status', 'phase') === 'Succeeded' &&
        textAt(other.object, 'spec', 'notebook', 'path') === textAt(node.object, 'spec', 'notebook', 'path') &&
        textAt(other.object, 'metadata', 'creationTimestamp') > textAt(node.object, 'metadata', 'creationTimestamp'),
    );
  if (newer !== undefined)
    return [
      leaf(
        'I13',
        node,
        'ready',
        `${nodeText(node)} failed and ${newer.key.name} succeeded later with the same notebook`,
        {
          evidence,
          impact: 'drift',
          field: 'metadata.name',
          fix: act('delete the old job', [`kubectl delete ${kubectlName(node)}`]),
        },
      ),
    ];
  const module = /ModuleNotFoundError: No module named '?([\w.]+)'?|ImportError: .*?([\w.]+)/.exec(message);
  if (module !== null)
    return [
      leaf('I08', node, 'run', `the image of ${nodeText(node)} has no module ${module[1] ?? module[2] ?? ''}`, {
        evidence,
        field: 'spec.podConfig.containerImage',
        fix: change(node, graph, 'use an image that has the module'),
      }),
    ];
  if (/Git(?:Clone|Authentication)|authentication|clone/i.test(reason))
    return [gitFault(node, graph, evidence, reason)];
  if (/Build|RBAC|Task|Parameter|Strategy/.test(reason))
    return [
      leaf('I10', node, 'run', `the image of ${nodeText(node)} is not built: ${message}`, {
        evidence,
        field: 'spec.podConfig.buildConfig',
        fix: change(node, graph, 'correct the build that the message names'),
      }),
    ];
  if (
    textAt(node.object, 'status', 'comparisonResult', 'result') === 'failed' ||
    valueAt(node.object, 'status', 'modelValidationResult', 'success') === false
  )
    return [
      leaf('I12', node, 'run', `the results of ${nodeText(node)} are not those expected`, {
        evidence,
        field: 'spec.goldenNotebook',
        fix: change(node, graph, 'look at the data and the model; this is no fault of the platform'),
      }),
    ];
  if (objectsAt(node.object, 'status', 'results').some((cell) => textAt(cell, 'status') === 'Failure'))
    return [
      leaf('I08', node, 'run', `a cell of ${nodeText(node)} fails: ${message}`, {
        evidence,
        field: 'spec.notebook',
        fix: change(node, graph, 'correct the notebook'),
      }),
    ];
  return [delegate('I11', node, 'ready', `${nodeText(node)} has failed: ${message}`, { evidence })];
}

function gitFault(node: Node, graph: Graph, evidence: Finding['evidence'], reason: string): Finding {
  const secret = graph.edges(node).find(({ field }) => field.endsWith('credentialsSecret'))?.to;
  if (secret?.state === 'ghost')
    return delegate(
      'I09',
      node,
      'init',
      `${nodeText(node)} cannot clone: its Secret ${secret.key.name} does not exist`,
      { evidence, target: secret },
    );
  const isLogin = /Authentication/i.test(reason);
  return leaf('I09', node, 'init', `${nodeText(node)} cannot clone its notebook`, {
    evidence,
    ...(isLogin && secret?.object !== undefined ? { blamed: secret, field: 'data' } : { field: 'spec.notebook.git' }),
    fix: change(node, graph, 'correct the address, the revision or the credential of the repository', { risk: 'none' }),
  });
}

/** A build has the source that its configuration had when it began. */
function isOfOldSource({ object }: Node, config: Node): boolean {
  const source = (of: Node['object']): string =>
    JSON.stringify([
      textAt(of, 'spec', 'source', 'git', 'uri'),
      textAt(of, 'spec', 'source', 'git', 'ref'),
      textAt(of, 'spec', 'source', 'contextDir'),
    ]);
  return (
    config.object !== undefined &&
    objectAt(object, 'spec', 'source') !== undefined &&
    source(object) !== source(config.object)
  );
}

/** OpenShift's builds fail with a reason. */
export function buildRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  const [reason, message] = [textAt(node.object, 'status', 'reason'), textAt(node.object, 'status', 'message')];
  if (!isFailedBuild(node) && !/^(MissingPushSecret|InvalidOutputReference)$/.test(reason)) return [];
  const evidence = [fact(node, 'status', `${phase} ${reason} ${message}`)];
  const config = graph.edges(node).find(({ to }) => to.key.kind === 'BuildConfig')?.to ?? node;
  const field =
    {
      FetchSourceFailed: 'spec.source',
      PullBuilderImageFailed: 'spec.strategy',
      PushImageToRegistryFailed: 'spec.output',
      MissingPushSecret: 'spec.output.pushSecret',
      InvalidOutputReference: 'spec.output.to',
      OutOfMemoryKilled: 'spec.resources',
    }[reason] ?? 'spec';
  if (isOfOldSource(node, config))
    return [
      leaf('E07', node, 'run', `${nodeText(node)} failed with another source than ${nodeText(config)} has now`, {
        evidence,
        impact: 'note',
        level: 'waiting',
        field: 'status.phase',
        fix: act(
          'start a build',
          [`oc start-build ${shellWord(config.key.name)} -n ${shellWord(config.key.namespace)}`],
          {
            verify: `kubectl get ${kubectlName(config)}`,
          },
        ),
      }),
    ];
  const ghost = graph.edges(node).find(({ to }) => to.key.kind === 'Secret' && to.state === 'ghost')?.to;
  if (ghost !== undefined)
    return [
      delegate('E07', node, 'run', `${nodeText(node)} failed: its Secret ${ghost.key.name} does not exist`, {
        evidence,
        target: ghost,
      }),
    ];
  const secret = reason === 'FetchSourceFailed' ? refusedSource(node, graph) : undefined;
  if (secret !== undefined)
    return [
      leaf(
        'B19',
        node,
        'run',
        `${nodeText(node)} failed: the repository refuses the credential in ${nodeText(secret)}`,
        {
          evidence,
          blamed: secret,
          field: 'data',
          signature: `credential ${secret.id}`,
          fix: act(
            'write the present password where the Secret comes from, let it be read again, then start a ' +
              'build; argosy.dev/fill-from keeps it up to date',
            [],
            { verify: `kubectl get ${kubectlName(node)}` },
          ),
        },
      ),
    ];
  return [
    leaf(
      reason === 'FetchSourceFailed' ? 'E07' : 'E08',
      node,
      'run',
      `${nodeText(node)} failed: ${reason} ${message}`,
      {
        evidence,
        blamed: config,
        field,
        fix: change(config, graph, 'correct what the reason names, then start a build'),
      },
    ),
  ];
}

/** The Secret of a source that was not let in, by what the build wrote. */
function refusedSource(node: Node, graph: Graph): Node | undefined {
  const pod = graph.store.get({
    group: '',
    kind: 'Pod',
    namespace: node.key.namespace,
    name: `${node.key.name}-build`,
  });
  const lines = [
    textAt(node.object, 'status', 'message'),
    textAt(node.object, 'status', 'logSnippet'),
    ...(pod === undefined ? [] : graph.logs(pod).flatMap((log) => log.lines)),
  ];
  if (!lines.some((line) => ACCESS_DENIED.test(line))) return undefined;
  return graph.edges(node).find(({ field, to }) => field === 'spec.source.sourceSecret.name' && to.object !== undefined)
    ?.to;
}

const ACCESS_DENIED =
  /[Aa]uthentication failed|could not read (?:Username|Password)|invalid (?:username or password|credentials)|HTTP Basic: Access denied|[Pp]ermission denied \(publickey|terminal prompts disabled|\b40[13]\b/;

export function imageStreamRules(node: Node, graph: Graph): readonly Finding[] {
  const bad = objectsAt(node.object, 'status', 'tags')
    .flatMap((tag) => objectsAt(tag, 'conditions'))
    .find((condition) => textAt(condition, 'type') === 'ImportSuccess' && textAt(condition, 'status') === 'False');
  if (bad !== undefined)
    return [
      leaf('E09', node, 'pull', `${nodeText(node)} cannot import its image: ${textAt(bad, 'message')}`, {
        evidence: [fact(node, 'status.tags[].conditions[ImportSuccess]', textAt(bad, 'message'))],
        field: 'spec.tags[].from',
        fix: change(node, graph, 'correct the image it comes from'),
      }),
    ];
  const isEmpty = objectsAt(node.object, 'status', 'tags').length === 0;
  const builds = graph.edges(node).filter(({ to }) => to.key.kind === 'BuildConfig');
  return isEmpty && builds.length > 0
    ? [
        delegate('E06', node, 'pull', `${nodeText(node)} has no image yet`, {
          evidence: [fact(node, 'status.tags', [])],
        }),
      ]
    : [];
}

export function buildConfigRules(node: Node, graph: Graph): readonly Finding[] {
  const builds = graph
    .edges(node)
    .flatMap(({ to }) => (to.key.kind === 'Build' && to.object !== undefined ? [to] : []));
  if (
    builds.length === 0 &&
    graph.store.listing(node.key.group, 'Build', node.key.namespace) !== 'complete' &&
    graph.store.gaps.says !== ''
  )
    return [];
  if (builds.length === 0)
    return [
      leaf('E09', node, 'run', `${nodeText(node)} has never built`, {
        evidence: [fact(node, 'spec.triggers', valueAt(node.object, 'spec', 'triggers') ?? null)],
        field: 'spec.triggers',
        impact: 'note',
        fix: act('start a build', [`oc start-build ${shellWord(node.key.name)} -n ${shellWord(node.key.namespace)}`]),
      }),
    ];
  const [newest] = [...builds].sort((a, b) => buildNumber(b) - buildNumber(a));
  if (newest !== undefined && isFailedBuild(newest))
    return [delegate('E06', node, 'ready', `the newest build of ${nodeText(node)} failed`, { target: newest })];
  return builds.some(({ object }) => textAt(object, 'status', 'phase') === 'Complete')
    ? []
    : [delegate('E06', node, 'ready', `${nodeText(node)} has no finished build`, {})];
}

function buildNumber({ key, object }: Node): number {
  return Number(
    textAt(object, 'metadata', 'annotations', 'openshift.io/build.number') || (/-(\d+)$/.exec(key.name)?.[1] ?? '0'),
  );
}

export function isFailedBuild({ object }: Node): boolean {
  return /^(Failed|Error)$/.test(textAt(object, 'status', 'phase'));
}

/** An operator's object that nobody answered: its operator does not work. */
function withoutStatus(node: Node, graph: Graph): Finding | undefined {
  const status = objectAt(node.object, 'status');
  const age = graph.time - Date.parse(textAt(node.object, 'metadata', 'creationTimestamp'));
  if ((status !== undefined && Object.keys(status).length > 0) || !(age > 300_000)) return undefined;
  const isAnswered = graph.store
    .ofKind(node.key.group, node.key.kind)
    .some((other) => Object.keys(objectAt(other.object, 'status') ?? {}).length > 0);
  const [controller] = controllersOf(graph, node.key.group);
  // Others of its kind are looked after: what is wrong is about this one.
  const target = isAnswered ? undefined : (controller ?? graph.store.virtual('Operator', node.key.group));
  return delegate('F15', node, 'reconcile', `nothing looks after ${nodeText(node)}: it has no status`, {
    evidence: [fact(node, 'status', null)],
    ...(target === undefined ? {} : { target }),
  });
}

/** What has no rule of its own: conditions that every operator writes, then the health check of Argo CD. */
export function anyKindRule(assess: Assess, known: ReadonlySet<string>): Rule {
  return (node, graph) => {
    const id = `${node.key.group}/${node.key.kind}`;
    if (known.has(id) || QUIET.has(id) || node.object === undefined) return [];
    const ready = ['Ready', 'Available', 'Succeeded', 'Healthy', 'Synced', 'Reconciled', 'Established']
      .map((type) => conditionOf(node.object, type))
      .find((condition) => condition !== undefined);
    const stale = staleStatus(node, graph);
    if (stale !== undefined) return [stale];
    if (textAt(ready, 'status') === 'True') return [];
    const verdict = assess(node.object);
    if (
      ready === undefined &&
      (verdict === undefined || verdict.status === 'Healthy' || verdict.status === 'Suspended')
    )
      return [];
    if (textAt(ready, 'reason') === 'NoTraffic') return [];
    const unseen = ready === undefined && verdict?.status === 'Progressing' ? withoutStatus(node, graph) : undefined;
    if (unseen !== undefined) return [unseen];
    const message = textAt(ready, 'message') || (verdict?.message ?? '');
    const onset = sinceOf(ready);
    const isWaiting = textAt(ready, 'status') !== 'False' && verdict?.status !== 'Degraded';
    const target = isWaiting ? undefined : namedObject(node, graph, message);
    return [
      delegate('H04', node, 'ready', `${nodeText(node)} is not ready: ${textAt(ready, 'reason')} ${message}`.trim(), {
        ...(target === undefined ? {} : { target }),
        evidence: [
          fact(
            node,
            ready === undefined ? 'status' : `status.conditions[${textAt(ready, 'type')}]`,
            `${textAt(ready, 'reason')}: ${message}`,
          ),
        ],
        ...(onset === undefined ? {} : { onset }),
        ...(isWaiting ? { level: 'waiting' as const } : {}),
        field: 'spec',
        fix: change(node, graph, 'correct what its status names'),
      }),
    ];
  };
}

/** What the status says is about an older version of the object. */
function staleStatus(node: Node, graph: Graph): Finding | undefined {
  const observed = numberAt(node.object, 'status', 'observedGeneration');
  const generation = numberAt(node.object, 'metadata', 'generation');
  if (observed === undefined || generation === undefined || observed >= generation) return undefined;
  return delegate(
    'F15',
    node,
    'reconcile',
    `the controller of ${nodeText(node)} saw generation ${observed} of ${generation}`,
    { evidence: [fact(node, 'status.observedGeneration', observed)], ...operatorOf(node, graph) },
  );
}

function operatorOf(node: Node, graph: Graph): { target?: Node } {
  const [controller] = controllersOf(graph, node.key.group);
  return controller === undefined ? {} : { target: controller };
}

/** Kinds whose objects have no health. */
const QUIET = new Set([
  '/Namespace',
  '/ConfigMap',
  '/Secret',
  '/ServiceAccount',
  '/Endpoints',
  '/ResourceQuota',
  '/LimitRange',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'discovery.k8s.io/EndpointSlice',
  'coordination.k8s.io/Lease',
  'apps/ControllerRevision',
  'policy/PodDisruptionBudget',
  'networking.k8s.io/NetworkPolicy',
  'argoproj.io/AppProject',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/VolumeAttachment',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'scheduling.k8s.io/PriorityClass',
  'metrics.k8s.io/PodMetrics',
  'metrics.k8s.io/NodeMetrics',
  'acme.cert-manager.io/Order',
  'acme.cert-manager.io/Challenge',
]);

/** Kinds that do not come. */
export function crdRules(node: Node, graph: Graph): readonly Finding[] {
  const bad = ['NamesAccepted', 'Established']
    .map((type) => conditionOf(node.object, type))
    .find((condition) => textAt(condition, 'status') === 'False');
  if (bad === undefined) return [];
  // A sync does not prune definitions, and one that was never accepted holds nothing.
  const isEmpty = textAt(node.object, 'status', 'acceptedNames', 'kind') === '';
  return [
    leaf(
      'F14',
      node,
      'reconcile',
      `the kind ${node.key.name} is not served: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`,
      {
        evidence: [fact(node, `status.conditions[${textAt(bad, 'type')}]`, textAt(bad, 'message'))],
        field: 'spec.names',
        fix: change(
          node,
          graph,
          `give it names that no other kind has${isEmpty ? '; then delete this definition, which holds nothing and which no sync prunes' : ''}`,
          { risk: 'none', ...(isEmpty ? { actions: [{ kind: 'delete', object: node.key }] } : {}) },
        ),
      },
    ),
  ];
}

/** Things outside of the snapshot that were named as the cause. */
export function outsideRule(node: Node): readonly Finding[] {
  const { kind, name } = node.key;
  if (kind === 'Component')
    return [
      leaf('F16', node, 'reconcile', `${name} does not work`, {
        impact: 'infrastructure',
        field: '',
        fix: act(`start ${name} again`, ['kubectl get pods -n kube-system'], { verify: 'kubectl get pods -A' }),
      }),
    ];
  if (kind === 'Operator')
    return [
      leaf('F15', node, 'reconcile', `no controller answers for ${name}`, {
        impact: 'capacity',
        field: '',
        fix: act(`install the operator of ${name}, or repair it`, [], { verify: 'kubectl get pods -A' }),
      }),
    ];
  if (kind === 'Webhook')
    return [
      leaf('A16', node, 'admit', `the admission webhook ${name} does not answer`, {
        impact: 'infrastructure',
        field: 'webhooks[].clientConfig',
        fix: act('repair what answers for the webhook', [
          'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
        ]),
      }),
    ];
  return kind === 'Nodes'
    ? [
        leaf('C09', node, 'schedule', 'nodes are cordoned', {
          impact: 'capacity',
          field: 'spec.unschedulable',
          fix: act('uncordon the nodes', ['kubectl get nodes']),
        }),
      ]
    : [];
}
