import { createHash } from 'node:crypto';
import type { ImageGateSince } from '../../plan/index.js';
import { equal, isObject, type Json, type JsonObject } from '../../model/json/index.js';
import { formatTime, instantOf } from '../../model/formats/index.js';
import type { Application, Operation, OperationState, ResourceResult } from '../../model/argo/index.js';

const OPERATION_INFO = 'argosy.dev/operation';
const PRUNE_WAVES_INFO = 'argosy.dev/prune-waves';
const WAVE_APPLIED_INFO = 'argosy.dev/wave-applied-at';
const IMAGE_GATE_INFO = 'argosy.dev/waits-for-image';
const SUPERSEDED_INFO = 'argosy.dev/superseded';
const OWN_INFO: readonly string[] = [
  OPERATION_INFO,
  PRUNE_WAVES_INFO,
  WAVE_APPLIED_INFO,
  IMAGE_GATE_INFO,
  SUPERSEDED_INFO,
];

/** What the operation state has beside the operation itself. */
export interface StateChange
  extends Pick<
    OperationState,
    'phase' | 'message' | 'startedAt' | 'finishedAt' | 'retryCount' | 'revisions' | 'sources' | 'results'
  > {
  /** The waves of the objects to prune: after their deletion they cannot be read from them. */
  readonly pruneWaves?: readonly number[] | undefined;
  /** When the last wave was applied: timeouts count from then, also after a restart. */
  readonly waveAppliedAt?: Date | undefined;
  readonly imageGate?: ImageGateSince | undefined;
  /** It ends for a newer commit, and the next one begins as soon as its hooks are gone. */
  readonly isSuperseded?: boolean | undefined;
}

/** The identity of one attempt of an operation. Hooks carry it: none runs twice, and none of another attempt counts. */
export function operationId(
  application: Application,
  startedAt: string,
  retryCount: number,
  revisions: readonly string[],
): string {
  return createHash('sha256')
    .update(JSON.stringify([application.uid, startedAt, retryCount, revisions]))
    .digest('hex')
    .slice(0, 10);
}

/** `status.operationState` as it is written. */
export function writeOperationState(application: Application, operation: Operation, change: StateChange): JsonObject {
  const {
    phase,
    message,
    startedAt,
    finishedAt,
    retryCount,
    revisions,
    sources,
    results,
    pruneWaves,
    waveAppliedAt,
    imageGate,
    isSuperseded = false,
  } = change;
  const id = operationId(application, startedAt, retryCount, revisions);
  const info = operation.info.filter(({ name }) => !OWN_INFO.includes(name));
  const waves = pruneWaves === undefined ? [] : [{ name: PRUNE_WAVES_INFO, value: pruneWaves.join(',') }];
  const applied =
    waveAppliedAt === undefined
      ? []
      : [{ name: WAVE_APPLIED_INFO, value: formatTime(instantOf(waveAppliedAt.getTime())) }];
  const gate =
    imageGate === undefined
      ? []
      : [{ name: IMAGE_GATE_INFO, value: `${imageGate.place} ${formatTime(instantOf(imageGate.since.getTime()))}` }];
  const many = application.hasManySources;
  const metadata = namespaceMetadataOf(application);
  const rows = listResults(results);
  return {
    operation: {
      ...operation.raw,
      info: [
        ...info.map(({ name, value }) => ({ name, value })),
        { name: OPERATION_INFO, value: id },
        ...waves,
        ...applied,
        ...gate,
        ...(isSuperseded ? [{ name: SUPERSEDED_INFO, value: 'true' }] : []),
      ],
    },
    phase,
    message:
      rows.length === results.length
        ? truncate(message)
        : `${truncate(message)} (${rows.length} of ${results.length} results are listed)`,
    startedAt,
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(retryCount === 0 ? {} : { retryCount }),
    syncResult: {
      ...(many
        ? { revision: '', revisions: [...revisions], source: { repoURL: '' }, sources: [...sources] }
        : { revision: revisions[0] ?? '', source: sources[0] ?? { repoURL: '' } }),
      resources: rows,
      ...(isObject(metadata) ? { managedNamespaceMetadata: metadata } : {}),
    },
  };
}

export function namespaceMetadataOf({ object: { spec } }: Application): Json | undefined {
  return isObject(spec) && isObject(spec.syncPolicy) ? spec.syncPolicy.managedNamespaceMetadata : undefined;
}

/** Whether labels or annotations of the namespace have changed since the last sync. */
export function hasNewNamespaceMetadata(application: Application): boolean {
  const result = application.operationState?.raw.syncResult;
  const wanted = namespaceMetadataOf(application);
  return isObject(wanted) && isObject(result) && !equal(wanted, result.managedNamespaceMetadata ?? null);
}

export function readPruneWaves({ info }: Operation): readonly number[] | undefined {
  return info
    .find(({ name }) => name === PRUNE_WAVES_INFO)
    ?.value.split(',')
    .filter((wave) => wave !== '')
    .map(Number)
    .filter(Number.isInteger);
}

export function readWaveApplied({ info }: Operation): Date | undefined {
  const at = Date.parse(info.find(({ name }) => name === WAVE_APPLIED_INFO)?.value ?? '');
  return Number.isNaN(at) ? undefined : new Date(at);
}

export function readImageGate({ info }: Operation): ImageGateSince | undefined {
  const [place = '', at = ''] = info.find(({ name }) => name === IMAGE_GATE_INFO)?.value.split(' ') ?? [];
  const since = new Date(at);
  return Number.isNaN(since.getTime()) ? undefined : { place, since };
}

export function readSuperseded({ info }: Operation): boolean {
  return info.some(({ name }) => name === SUPERSEDED_INFO);
}

/** What the status has room for. */
const MAX_RESULT_BYTES = 350_000;
const MAX_MESSAGE_LENGTH = 20_000;

function truncate(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message;
}

/**
 * All results. If they are too many, those of plainly applied objects are left out: after a restart such an object is
 * found Synced, and nothing is done.
 */
function listResults(results: readonly ResourceResult[]): JsonObject[] {
  const rows = results.map(writeResult);
  if (Buffer.byteLength(JSON.stringify(rows)) <= MAX_RESULT_BYTES) return rows;
  const kept: JsonObject[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (
      row.status === 'Synced' &&
      row.hookType === undefined &&
      row.hookPhase !== 'Failed' &&
      row.hookPhase !== 'Error'
    )
      continue;
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    if (bytes > MAX_RESULT_BYTES) break;
    kept.push(row);
  }
  return kept;
}

function writeResult({
  group,
  version,
  kind,
  namespace,
  name,
  status,
  message,
  hookType,
  hookPhase,
  syncPhase,
  images,
}: ResourceResult): JsonObject {
  return {
    group,
    version,
    kind,
    namespace,
    name,
    ...(status === undefined ? {} : { status }),
    message,
    ...(hookType === undefined ? {} : { hookType }),
    ...(hookPhase === undefined ? {} : { hookPhase }),
    syncPhase,
    ...(images === undefined || images.length === 0 ? {} : { images: [...images] }),
  };
}

/** The history with one more deployment, unless it was a dry run or a sync of selected resources. */
export function addToHistory(application: Application, state: OperationState, finishedAt: string): JsonObject[] {
  const known = application.history.map(({ raw }) => raw);
  const { sync } = state.operation;
  if (sync.dryRun || sync.resources.length > 0) return known;
  const id = application.history.reduce((most, each) => Math.max(most, each.id + 1), 0);
  const by = isObject(state.operation.raw.initiatedBy) ? state.operation.raw.initiatedBy : {};
  const what = application.hasManySources
    ? { revisions: [...state.revisions], sources: [...state.sources] }
    : { revision: state.revisions[0] ?? '', source: state.sources[0] ?? {} };
  return [...known, { id, ...what, deployStartedAt: state.startedAt, deployedAt: finishedAt, initiatedBy: by }].slice(
    application.revisionHistoryLimit <= 0 ? Infinity : -application.revisionHistoryLimit,
  );
}
