import { Fault } from '../../model/faults/index.js';
import type { ComparedState } from '../comparison/index.js';
import { cachedComparison, compareTargets } from './compare-targets.js';
import type { ComparedApplication, RenderedApplication, SubResult } from './sub-reconciler.js';

/** Compares the head with the live objects, and what an operation delivers if that is something else. */
export async function compare(rendered: RenderedApplication): Promise<SubResult<ComparedApplication>> {
  const headState = await compareTargets(rendered, rendered.head, rendered.cache.values.comparedState);
  const operationCompared = await compareOperation(rendered, headState);
  return {
    kind: 'next',
    values: { ...rendered, headState, operationCompared },
    cache: { failingSince: undefined, ...cachedComparison(headState) },
  };
}

async function compareOperation(
  rendered: RenderedApplication,
  headState: ComparedState,
): Promise<ComparedApplication['operationCompared']> {
  const { operationTargets: operation, head } = rendered;
  if (operation === undefined || operation.kind === 'fault') return operation;
  const { targets } = operation;
  if (targets === head) return { kind: 'compared', targets, comparedState: headState };
  try {
    return { kind: 'compared', targets, comparedState: await compareTargets(rendered, targets, headState) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'fault', fault: error };
  }
}
