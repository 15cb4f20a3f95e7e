import { objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import {
  conditionIs,
  conditionOf,
  type Graph,
  isUnfinished,
  type Node,
  nodeText,
  storageUris,
} from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { anyOf } from '../any-of.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { withoutStatus } from '../operators/any-kind.js';

/** Registered by kind. */
export const INFERENCE_SERVICE_RULES: RuleTable = {
  'serving.kserve.io/InferenceService': [inferenceServiceRules],
};

/** Model servers. */
function inferenceServiceRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  const isReady = conditionIs(object, 'Ready', 'True');
  if (isReady && textAt(object, 'status', 'modelStatus', 'transitionStatus') !== 'InvalidSpec') return [];
  const notReconciled = ingressOf(node, graph) ?? withoutStatus(node, graph);
  if (notReconciled !== undefined) return [notReconciled];
  const failure = objectAt(object, 'status', 'modelStatus', 'lastFailureInfo');
  const reason = textAt(failure, 'reason');
  const state = textAt(object, 'status', 'modelStatus', 'transitionStatus');
  const message = textAt(failure, 'message') || textAt(conditionOf(object, 'Ready'), 'message');
  const evidence = [fact(node, 'status.modelStatus', `${state} ${reason} ${message}`.trim())];
  const disabled = disabledRuntime(node, graph);
  if (disabled !== undefined && (state === 'InvalidSpec' || reason === 'NoSupportingRuntime'))
    return [
      leaf('I02', node, 'admit', `${nodeText(disabled)} is disabled, and no other runtime supports ${nodeText(node)}`, {
        evidence: [...evidence, fact(disabled, 'spec.disabled', true)],
        blamed: disabled,
        field: 'spec.disabled',
        signature: `disabled ${disabled.id}`,
        commonTitle: `${nodeText(disabled)} is disabled, and models need it`,
        ...(isReady ? { impact: 'drift' as const } : {}),
        fix: change(disabled, graph, 'enable the runtime, or use another'),
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
        `no runtime supports ${nodeText(node)}: ${reason} ${message}`,
        {
          evidence,
          ...(isReady ? { impact: 'drift' as const } : {}),
          field:
            reason === 'RuntimeNotRecognized' ? 'spec.predictor.model.runtime' : 'spec.predictor.model.modelFormat',
          fix: change(node, graph, 'install or enable a ServingRuntime for this format, or set one that exists'),
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

/**
 * Its pods may be ready but have no route: the networking stack is not installed, or the wrong deployment mode is set.
 */
function ingressOf(node: Node, graph: Graph): Finding | undefined {
  const event = graph
    .events(node)
    .find(({ reason }) => /^(ServerlessModeRejected|VirtualServiceCRDNotFound)$/.test(reason));
  const ready = conditionOf(node.object, 'IngressReady');
  const isServed = conditionIs(node.object, 'PredictorReady', 'True');
  if (event === undefined && !(textAt(ready, 'status') === 'False' && isServed)) return undefined;
  const message = event?.message ?? `${textAt(ready, 'reason')} ${textAt(ready, 'message')}`;
  return leaf('I05', node, 'serve', `${nodeText(node)} has no route: ${message}`, {
    evidence: [fact(node, event === undefined ? 'status.conditions[IngressReady]' : `event ${event.reason}`, message)],
    field: "metadata.annotations['serving.kserve.io/deploymentMode']",
    fix: change(node, graph, 'set the deployment mode RawDeployment, or install Knative and Istio with their CRDs', {
      risk: 'restart',
    }),
  });
}

/** The model does not exist at its URI: it was not trained yet, or the URI is wrong. */
/** What servers say where nothing is at the address of the model. */
const MODEL_MISSING = anyOf(
  /ModelMissing/,
  /[Nn]o (?:such file|model)\b/,
  /NoSuch(?:Key|Bucket)/,
  /(?:was |is )?not found at/,
  /[Mm]odel does not exist/,
);

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
      `the model of ${nodeText(node)} does not exist yet: ${nodeText(trainer)} is training it`,
      {
        evidence: [...evidence, fact(trainer, 'status.phase', textAt(trainer.object, 'status', 'phase'))],
        level: 'waiting',
        impact: 'note',
        field: "metadata.annotations['argocd.argoproj.io/sync-wave']",
        fix: change(node, graph, 'deploy it in a wave after the notebook, so that it does not wait for the model', {
          risk: 'none',
        }),
      },
    );
  if (trainer !== undefined && textAt(trainer.object, 'status', 'phase') !== 'Succeeded')
    return delegate(
      'I01',
      node,
      'ready',
      `the model of ${nodeText(node)} does not exist: ${nodeText(trainer)} has not produced it`,
      { evidence, target: trainer },
    );
  if (uri !== undefined && MODEL_MISSING.test(message))
    return leaf('I01', node, 'init', `${nodeText(node)} finds no model at ${uri.uri}: ${message}`, {
      evidence,
      field: uri.field,
      fix: change(
        node,
        graph,
        `put the model at ${uri.uri}, or correct storageUri; deploy in a wave after the notebook that trains it`,
      ),
    });
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
        'correct storageUri, or upload the model; deploy in a wave after the notebook that trains it',
      ),
    },
  );
}
