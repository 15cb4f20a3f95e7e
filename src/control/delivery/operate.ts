import { isCompleted } from '../../model/argo/index.js';
import { advanceOperation, type OperationProgress } from './advance-operation.js';
import { cachedComparison, compareTargets } from './compare-targets.js';
import { giveWay } from './give-way.js';
import { revisionsOf } from './render-targets.js';
import type {
  ComparedTargets,
  DecidedApplication,
  Decision,
  OperatedApplication,
  SubResult,
} from './sub-reconciler.js';
import { operationStateOf, retryOperation, startOperation, terminateOperation } from './write-operation.js';

/**
 * Starts or continues the operation and runs it until it is over or has to wait. The only sub-reconciler that changes
 * objects of the destination, and the only one that writes the operation slot.
 */
export async function operate(decided: DecidedApplication): Promise<SubResult<OperatedApplication>> {
  const { decision, head, headState, operation: slot } = decided;
  if (decision.kind === 'nothing') {
    const { conditions, requeueAt } = decision;
    const values = { ...decided, conditions, ...(requeueAt === undefined ? {} : { requeueAt }) };
    return { kind: 'next', values };
  }
  const progress = await runOperation(decided, decision);
  const next = await giveWay(progress, head, slot);
  if (next !== undefined) return { kind: 'again', object: next.application.object };
  const { reconciliation, state, parsed, requeueAt } = progress;
  const compared =
    progress.targets === head ? progress.comparedState : await compareTargets(reconciliation, head, headState);
  if (isCompleted(parsed.phase)) slot.running = undefined;
  return {
    kind: 'next',
    values: {
      ...decided,
      application: reconciliation.application,
      headState: compared,
      conditions: decision.kind === 'start' ? decision.conditions : [],
      operationUpdate: { state, parsed },
      ...(requeueAt === undefined ? {} : { requeueAt }),
    },
    cache: cachedComparison(compared),
  };
}

async function runOperation(
  decided: DecidedApplication,
  decision: Exclude<Decision, { kind: 'nothing' }>,
): Promise<OperationProgress> {
  const { head, headState, operation: slot } = decided;
  if (decision.kind === 'start') {
    const compared = operationTargetsOf(decided);
    const started = await startOperation(decided, decision.operation, compared.targets, decision.sources);
    return advanceOperation(started, compared, slot);
  }
  const { next } = decision;
  const state = operationStateOf(decided);
  switch (next.kind) {
    case 'continue':
      return advanceOperation(decided, operationTargetsOf(decided), slot);
    case 'wait':
      return {
        reconciliation: decided,
        state: state.raw,
        parsed: state,
        targets: head,
        comparedState: headState,
        requeueAt: next.until,
      };
    case 'terminate': {
      const terminating = await terminateOperation(decided, next.message, slot.running);
      return advanceOperation(terminating, operationTargetsOf(decided), slot);
    }
    case 'attempt': {
      const retried = await retryOperation(
        decided,
        next.message,
        next.dropRevisions ? revisionsOf(head) : state.revisions,
      );
      return advanceOperation(retried, operationTargetsOf(decided), slot);
    }
    default:
      return next satisfies never;
  }
}

/** Throws the Fault that rendering or comparing them gave. An automated sync delivers the head. */
function operationTargetsOf({ operationCompared: compared, head, headState }: DecidedApplication): ComparedTargets {
  if (compared === undefined) return { targets: head, comparedState: headState };
  if (compared.kind === 'fault') throw compared.fault;
  return compared;
}
