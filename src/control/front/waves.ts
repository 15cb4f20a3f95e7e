import { Fault, type KubeObject, type WavesAnswer } from '../../model/index.js';
import type { FrontDesk } from './front-desk.js';
import type { LookOptions } from '../inspect.js';

/** The steps of a sync in order; `unknown` says why there are none to tell. */
export async function wavesOf(application: KubeObject, desk: FrontDesk, how: LookOptions): Promise<WavesAnswer> {
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
