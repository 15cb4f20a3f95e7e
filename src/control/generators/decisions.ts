import { Fault } from '../../model/faults/index.js';
import type { ClusterFacts } from '../../model/argo/index.js';
import { type JsonObject, objectAt, own, put } from '../../model/json/index.js';
import { THIS_CLUSTER } from './clusters.js';
import type { DecisionFact } from './facts.js';
import { formatValue, type Params } from './params.js';

/** One for each decision that names a known cluster, with all that the decision says as texts. */
export function decisionParams(
  generator: JsonObject,
  { matchKey, decisions }: DecisionFact,
  clusters: readonly ClusterFacts[],
  isGo: boolean,
): Params[] {
  const known = [...clusters, ...(clusters.some(({ server }) => server === THIS_CLUSTER.server) ? [] : [THIS_CLUSTER])];
  return decisions.flatMap((decision) => {
    const wanted = own(decision, matchKey);
    if (wanted === undefined || wanted === null || wanted === '')
      throw new Fault('VALUE_INVALID', `a decision of clusterDecisionResource has no ${matchKey}`, {
        where: 'clusterDecisionResource',
      });
    const cluster = known.find(({ name }) => name === formatValue(wanted));
    if (cluster === undefined) return [];
    const params: Params = { name: cluster.name, server: cluster.server };
    for (const key of Object.keys(decision)) put(params, key, formatValue(own(decision, key) ?? null));
    // As in Argo CD these are taken as they are written.
    const values = objectAt(generator, 'values') ?? {};
    if (isGo && Object.keys(values).length > 0) put(params, 'values', values);
    else for (const key of Object.keys(values)) put(params, `values.${key}`, own(values, key));
    return [params];
  });
}
