import { valueAt } from '../../../model/json/index.js';
import { labelSelectorFromMap } from '../../../model/kubernetes/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText, storageUris } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, fact, kubectlName, leaf } from '../make-finding.js';

/** Registered by kind. */
export const OUTDATED_MODEL_RULES: RuleTable = {
  'serving.kserve.io/InferenceService': [olderThanItsModel],
};

/** A server that started before the notebook wrote the model it should serve. */
function olderThanItsModel(node: Node, graph: Graph): readonly Finding[] {
  const claim = storageUris(node)
    .map(({ uri }) => /^pvc:\/\/([^/]+)/.exec(uri)?.[1])
    .find((each) => each !== undefined);
  if (claim === undefined) return [];
  const pods = graph
    .pods(node.key.namespace, labelSelectorFromMap({ 'serving.kserve.io/inferenceservice': node.key.name }))
    .filter(({ object }) => textAt(object, 'status', 'phase') === 'Running');
  const trained = graph.store
    .inNamespace('mlops.mlops.dev', 'NotebookValidationJob', node.key.namespace)
    .filter(
      ({ object }) =>
        textAt(object, 'status', 'phase') === 'Succeeded' &&
        JSON.stringify(valueAt(object, 'spec', 'podConfig', 'volumes') ?? []).includes(`"${claim}"`),
    )
    .map((job) => ({ job, end: Date.parse(textAt(job.object, 'status', 'completionTime')) }));
  for (const { job, end } of trained.sort((a, b) => b.end - a.end)) {
    const old = pods.find(({ object }) => Date.parse(textAt(object, 'status', 'startTime')) < end);
    if (old === undefined) continue;
    return [
      leaf(
        'I14',
        node,
        'serve',
        `${nodeText(node)} serves an outdated model: ${nodeText(job)} wrote a new one after ${old.key.name} started`,
        {
          field: "metadata.annotations['mlops.dev/on-success-trigger']",
          evidence: [
            fact(job, 'status.completionTime', textAt(job.object, 'status', 'completionTime')),
            fact(old, 'status.startTime', textAt(old.object, 'status', 'startTime')),
          ],
          fix: act(
            `restart its pods; list ${node.key.name} in mlops.dev/on-success-trigger of the notebook to ` +
              'automate this',
            [`kubectl delete ${kubectlName(old)}`],
            {
              risk: 'restart',
              actions: pods.map(({ key }) => ({ kind: 'delete', object: key })),
              verify: `kubectl get ${kubectlName(node)}`,
            },
          ),
        },
      ),
    ];
  }
  return [];
}
