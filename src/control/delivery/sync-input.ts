import { respectIgnoreDifferences } from '../../diff/index.js';
import { equal } from '../../model/json/index.js';
import {
  readOperationState,
  type Operation,
  type OperationState,
  type ResourceResult,
} from '../../model/argo/index.js';
import { keyText } from '../../model/kubernetes/index.js';
import { waitTimeoutOf, waveImagesOf, waveTimeoutsOf, type SyncInput } from '../../plan/index.js';
import type { ComparedState, ManagedResource } from '../comparison/index.js';
import { isOurs, writeOperationState, type RunningOperation } from '../operation/index.js';
import { formatNow } from './reconcile-context.js';
import type { Reconciliation } from './reconciliation.js';
import { revisionsOf, type RenderedTargets } from './render-targets.js';

/** What the plan of an operation is computed from. */
export interface OperationInput {
  readonly state: OperationState;
  readonly results: readonly ResourceResult[];
  readonly targets: RenderedTargets;
  readonly comparedState: ComparedState;
  readonly running: RunningOperation | undefined;
}

export function syncInput(
  reconciliation: Reconciliation,
  { state, results, targets, comparedState, running }: OperationInput,
): SyncInput {
  const { application, clusterCache, context } = reconciliation;
  const { settings } = context.controlPlane;
  const respects = respectsIgnored(reconciliation, state);
  const timeout = waitTimeoutOf(application.object);
  const approved = application.object.metadata.annotations?.['argocd.argoproj.io/deletion-approved'];
  const { waveAppliedAt, pruneWaves, imageGate } = running ?? {};
  return {
    // An object that only carries a copy of our tracking id is not ours to prune.
    resources: comparedState.resources
      .filter(({ target, requiresPruning }) => target !== undefined || requiresPruning)
      .map((resource) => syncResource(resource, reconciliation, respects)),
    find: (key) => clusterCache.get(key),
    assess: reconciliation.assess,
    kindOf: (object) => clusterCache.kindOf(object),
    servedInstead: (object) => clusterCache.servedInstead(object),
    findViolation: reconciliation.findViolation,
    request: state.operation.sync,
    syncOptions: plannedOptions(reconciliation, state),
    destinationNamespace: application.destination.namespace,
    ...(application.syncPolicy.managedNamespaceMetadata === undefined
      ? {}
      : { namespaceMetadata: application.syncPolicy.managedNamespaceMetadata }),
    state: {
      operationId: running?.id ?? '',
      revision: targets.rendered.sources[0]?.revision ?? '',
      startedAt: new Date(state.startedAt),
      results,
      isTerminating: state.phase === 'Terminating',
      isChecked: running?.isChecked === true,
      ...(waveAppliedAt === undefined ? {} : { waveAppliedAt }),
      ...(pruneWaves === undefined ? {} : { pruneWaves }),
      ...(imageGate === undefined ? {} : { imageGate }),
    },
    ...(approved === undefined ? {} : { deletionApprovedAt: new Date(approved) }),
    improvements: settings.improvements,
    ungatedKinds: settings.ungatedKinds,
    waveDelay: settings.waveDelay,
    now: context.clock.now(),
    ...(settings.gateTimeout === 0 ? {} : { gateTimeout: settings.gateTimeout }),
    waveTimeouts: waveTimeoutsOf(application.object),
    ...(timeout === undefined ? {} : { waitTimeout: timeout }),
    waveImages: waveImagesOf(application.object, application.destination.namespace),
    imageTimeout: timeout ?? settings.imageTimeout,
  };
}

/** The input of a sync that would start now, to show its plan. */
export function plannedInput(
  reconciliation: Reconciliation,
  operation: Operation,
  targets: RenderedTargets,
  comparedState: ComparedState,
): SyncInput {
  const { application, context } = reconciliation;
  const state = readOperationState(
    writeOperationState(application, operation, {
      phase: 'Running',
      message: '',
      startedAt: formatNow(context),
      retryCount: 0,
      revisions: revisionsOf(targets),
      sources: application.sources,
      results: [],
    }),
  );
  return syncInput(reconciliation, { state, results: [], targets, comparedState, running: undefined });
}

function syncResource(
  resource: ManagedResource,
  { rules }: Reconciliation,
  respects: boolean,
): SyncInput['resources'][number] {
  const { key, target, live, status, isChecked, rejection } = resource;
  const wanted =
    target !== undefined && live !== undefined && respects ? respectIgnoreDifferences(target, live, rules) : target;
  return {
    key,
    isModified: status !== 'Synced',
    isChecked: isUnchanged(resource, rules, respects) || (isChecked && !respects),
    ...(wanted === undefined ? {} : { target: wanted }),
    ...(live === undefined ? {} : { live }),
    ...(rejection === undefined || respects ? {} : { rejection }),
  };
}

export function syncOptionsOf({ application }: Reconciliation, { operation }: OperationState): readonly string[] {
  return [...application.syncPolicy.syncOptions, ...operation.sync.syncOptions];
}

/** A cluster that is managed by namespace has those that its Secret names; whether they exist may be unreadable. */
function plannedOptions(reconciliation: Reconciliation, state: OperationState): readonly string[] {
  const { application, clusterCache } = reconciliation;
  const options = syncOptionsOf(reconciliation, state);
  const { namespace: name } = application.destination;
  const isOutside = clusterCache.findScopeViolation({ kind: 'Namespace', namespace: '', name }) !== undefined;
  return isOutside && application.syncPolicy.managedNamespaceMetadata === undefined
    ? options.filter((option) => option !== 'CreateNamespace=true')
    : options;
}

function respectsIgnored(reconciliation: Reconciliation, state: OperationState): boolean {
  return syncOptionsOf(reconciliation, state).includes('RespectIgnoreDifferences=true');
}

/** Objects that we applied and that match git: applying them again would change nothing. */
export function unchangedKeys(
  { resources }: ComparedState,
  reconciliation: Reconciliation,
  state: OperationState,
): ReadonlySet<string> {
  const respects = respectsIgnored(reconciliation, state);
  return new Set(
    resources
      .filter(
        (resource) =>
          resource.live !== undefined && isOurs(resource.live) && isUnchanged(resource, reconciliation.rules, respects),
      )
      .map(({ key }) => keyText(key)),
  );
}

/** Whether an apply would change nothing. An ignored difference is applied unless the sync respects it. */
function isUnchanged(
  { status, target, live }: ManagedResource,
  rules: Reconciliation['rules'],
  respects: boolean,
): boolean {
  if (status !== 'Synced') return false;
  return (
    respects ||
    target === undefined ||
    live === undefined ||
    equal(respectIgnoreDifferences(target, live, rules), target)
  );
}
