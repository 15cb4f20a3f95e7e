import { Fault } from '../../model/faults/index.js';
import { type JsonObject, isArray, isObject, objectAt, own, textAt } from '../../model/json/index.js';
import { labelSelectorOf, labelSelectorText, splitApiVersion, type KubeObject } from '../../model/kubernetes/index.js';
import type { ReconcileContext } from '../delivery/index.js';
import type { DecisionFact } from './facts.js';
import { CONFIG_MAPS, type ResourceRef } from '../../model/resources/index.js';

const WHERE = 'clusterDecisionResource';

/**
 * What objects of the control plane's namespace decide about clusters; a ConfigMap says of which kind they are. An
 * object that has not decided yet is no answer.
 */
export async function readDecisions(
  generator: JsonObject,
  { cluster, controlNamespace: namespace }: Pick<ReconcileContext, 'cluster' | 'controlNamespace'>,
): Promise<DecisionFact> {
  const name = textAt(generator, 'configMapRef');
  const map = await cluster.get(CONFIG_MAPS, { namespace, name });
  if (map === undefined) throw refused(`ConfigMap ${namespace}/${name} of configMapRef does not exist`);
  const [apiVersion, kind, matchKey] = [
    textAt(map, 'data', 'apiVersion'),
    textAt(map, 'data', 'kind'),
    textAt(map, 'data', 'matchKey'),
  ];
  if (!/^[^/]+\/[^/]+$/.test(apiVersion) || kind === '' || matchKey === '')
    throw refused(
      `ConfigMap ${namespace}/${name} must have apiVersion (group/version), kind (the plural name) and matchKey`,
    );
  const key = textAt(map, 'data', 'statusListKey') || 'clusters';
  const objects = await findObjects(
    generator,
    { ...splitApiVersion(apiVersion), kind, plural: kind, namespaced: true },
    { cluster, controlNamespace: namespace },
  );
  return { matchKey, decisions: objects.flatMap((object) => decisionsOf(object, key)) };
}

async function findObjects(
  generator: JsonObject,
  kind: ResourceRef,
  { cluster, controlNamespace: namespace }: Pick<ReconcileContext, 'cluster' | 'controlNamespace'>,
): Promise<readonly KubeObject[]> {
  const name = textAt(generator, 'name');
  const selector = labelSelectorOf(objectAt(generator, 'labelSelector') ?? {});
  if ((name === '') === (selector.requirements.length === 0))
    throw refused('clusterDecisionResource needs either name or labelSelector');
  const { items } = await cluster.list(kind, {
    namespace,
    ...(name === '' ? { labelSelector: labelSelectorText(selector) } : { fieldSelector: `metadata.name=${name}` }),
  });
  if (items.length === 0) throw refused(`no ${kind.plural} found in namespace ${namespace}`);
  return items;
}

function decisionsOf({ metadata: { name = '' }, status }: KubeObject, key: string): JsonObject[] {
  const list = isObject(status) ? own(status, key) : undefined;
  if (!isArray(list)) throw refused(`${name} has not decided yet: it has no status.${key}`);
  return list.filter(isObject);
}

function refused(message: string): Fault {
  return new Fault('VALUE_INVALID', message, { where: WHERE });
}
