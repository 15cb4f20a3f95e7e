import { Fault } from '../../model/faults/index.js';
import type { WavesResponse } from '../../model/api/index.js';
import type { Inspection } from '../inspect/index.js';

/** The steps of a sync in order; `unknown` says why there are none. */
export async function wavesOf(inspection: Promise<Inspection>): Promise<WavesResponse> {
  try {
    const { conditions, status, revisions, plan } = await inspection;
    const problem = conditions.find(({ type }) => type === 'ComparisonError' || type === 'InvalidSpecError');
    return { unknown: status === 'Unknown' && problem !== undefined ? problem.message : '', revisions, waves: plan };
  } catch (error) {
    // An application that does not render has no plan: that is an answer.
    if (error instanceof Fault) return { unknown: error.message, revisions: [], waves: [] };
    throw error;
  }
}
