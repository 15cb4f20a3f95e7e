import { type Cluster, ClusterError } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { keyText, type KubeObject } from '../../model/kubernetes/index.js';
import type { DriftResponse } from '../../model/api/index.js';
import type { InspectedResource, Inspection } from '../inspect/index.js';
import { adviseDrift, type Advice } from '../drift/index.js';
import { differingResources } from './inspection-cache.js';
import { HORIZONTAL_POD_AUTOSCALERS, type ResourceRef, SCALED_OBJECTS } from '../../model/resources/index.js';

const AUTOSCALERS: readonly ResourceRef[] = [HORIZONTAL_POD_AUTOSCALERS, SCALED_OBJECTS];

interface Surroundings {
  readonly cluster: Cluster;
  /** All applications. */
  readonly siblings: readonly KubeObject[];
}

/** Each difference of an application with its owner and what to do about it. */
export async function driftOf(
  application: KubeObject,
  inspecting: Promise<Inspection>,
  { cluster, siblings }: Surroundings,
): Promise<DriftResponse> {
  const [inspection, failure] = await inspecting.then(
    (result) => [result, ''] as const,
    (error: unknown) => {
      if (error instanceof Fault) return [undefined, error.message] as const;
      throw error;
    },
  );
  const autoscalers =
    inspection === undefined ? [] : (await Promise.all(AUTOSCALERS.map((kind) => listOrNone(cluster, kind)))).flat();
  const { advice, warnings, errors, rules, needsRespect } = adviseDrift({
    application,
    inspection,
    failure,
    siblings,
    autoscalers,
  });
  const byField = new Map(advice.map((each) => [`${keyText(each.key)} ${each.pointer}`, each]));
  return {
    warnings: [...warnings, ...aboutItself(advice, application)],
    errors,
    rules: [...rules],
    needsRespect,
    resources: (inspection === undefined ? [] : differingResources(inspection)).map((resource) => ({
      key: resource.key,
      origin: resource.origin,
      presence: presenceOf(resource),
      fields: resource.differences.map(({ pointer, target, live, owner, since }) => {
        const known = byField.get(`${keyText(resource.key)} ${pointer}`);
        return {
          pointer,
          ...(target === undefined ? {} : { git: target }),
          ...(live === undefined ? {} : { live }),
          owner,
          since,
          class: known?.class ?? '',
          say: known?.say ?? '',
        };
      }),
    })),
  };
}

function presenceOf({ live, target }: InspectedResource): 'git' | 'live' | 'both' {
  if (live === undefined) return 'git';
  return target === undefined ? 'live' : 'both';
}

/** What concerns the Application and none of its objects, as a revision that the others have left. */
function aboutItself(advice: readonly Advice[], application: KubeObject): string[] {
  return advice
    .filter(({ key }) => key.kind === 'Application' && key.name === application.metadata.name)
    .map(({ say }) => say);
}

async function listOrNone(cluster: Cluster, kind: ResourceRef): Promise<KubeObject[]> {
  try {
    return (await cluster.list(kind)).items;
  } catch (error) {
    // The kind is not installed, or may not be read: then nothing is known of autoscalers.
    if (error instanceof ClusterError) return [];
    throw error;
  }
}
