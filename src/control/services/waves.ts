import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { WavesResponse } from '../../model/api/index.js';
import type { ApplicationService } from './application-service.js';
import type { InspectOptions } from '../inspect/index.js';

/** The steps of a sync in order; `unknown` says why there are none to tell. */
export async function wavesOf(
  application: KubeObject,
  desk: ApplicationService,
  how: InspectOptions,
): Promise<WavesResponse> {
  try {
    const { conditions, status, revisions, plan } = await desk.inspect(application, how);
    const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
    return { unknown: status === 'Unknown' && problem !== undefined ? problem.message : '', revisions, waves: plan };
  } catch (error) {
    // What does not render has no plan: that is an answer.
    if (error instanceof Fault) return { unknown: error.message, revisions: [], waves: [] };
    throw error;
  }
}
