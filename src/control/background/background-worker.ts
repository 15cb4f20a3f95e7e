import { parentPort, workerData } from 'node:worker_threads';
import { openCatalogue, type CatalogueFile } from '../../health/index.js';
import { Fault } from '../../model/faults/index.js';
import { SnapshotBuilder, type Report, type Snapshot } from '../../triage/index.js';
import { makePatches, openTriage, openWhatIf } from '../triage/index.js';
import { assessObject } from './assess-object.js';
import type { BackgroundResult, BackgroundTask } from './task.js';
import { toPatchesView, type PatchesView } from './patches-view.js';

/**
 * Runs in a worker thread: one task after the other. The snapshot of a triage is kept until its patches are computed or
 * dropped.
 */
const catalogue = openCatalogue((workerData as { readonly catalogue: readonly CatalogueFile[] }).catalogue);
let builder = new SnapshotBuilder();
let last: { readonly snapshot: Snapshot; readonly report: Report } | undefined;

function runTask(task: BackgroundTask): BackgroundResult | undefined {
  switch (task.kind) {
    case 'objects':
      for (const object of task.objects) builder.add(object, task.where);
      return undefined;
    case 'log':
      builder.addLog(task.log);
      return undefined;
    case 'listing':
      builder.listing(task.listing);
      return undefined;
    case 'problem':
      builder.problem(task.message);
      return undefined;
    case 'loss':
      builder.loss(task.message);
      return undefined;
    case 'triage': {
      const snapshot = builder.build(task.now);
      builder = new SnapshotBuilder();
      const report = openTriage(catalogue, () => task.now)(snapshot);
      last = { snapshot, report };
      return { id: task.id, report };
    }
    case 'patches':
      return { id: task.id, patches: patchesOf(task) };
    case 'forget':
      last = undefined;
      return undefined;
    case 'health':
      return { id: task.id, assessment: assessObject(task.object, task.lua, catalogue, () => task.now) };
    default:
      return task satisfies never;
  }
}

/** As `argosy triage --fix` computes them: causes that are not proved are never patched. */
function patchesOf({ checkouts, now }: Extract<BackgroundTask, { kind: 'patches' }>): ReadonlyMap<string, PatchesView> {
  if (last === undefined) return new Map();
  const { snapshot, report } = last;
  last = undefined;
  const trial = openWhatIf(catalogue, () => now)(snapshot, report);
  const sets = makePatches(
    report.causes.filter(({ confidence }) => confidence === 'sure'),
    snapshot,
    checkouts,
    (cause, repair) => trial.expect(cause, repair),
  );
  // Git is the desired state: where the cluster is only behind, git must not be reverted.
  const behind = new Set(
    report.causes.filter(({ impact, fix }) => impact === 'drift' && fix?.where === 'cluster').map(({ id }) => id),
  );
  return new Map(
    sets
      .filter(({ asIn, cause }) => asIn === undefined || !behind.has(cause.id))
      .map((set) => [set.cause.id, toPatchesView(set)]),
  );
}

function runSafely(task: BackgroundTask): BackgroundResult | undefined {
  try {
    return runTask(task);
  } catch (error) {
    const id = 'id' in task ? task.id : 0;
    if (error instanceof Fault) return { id, fault: { code: error.code, message: error.message, where: error.where } };
    return { id, defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

parentPort?.on('message', (task: BackgroundTask) => {
  const answer = runSafely(task);
  if (answer !== undefined) parentPort?.postMessage(answer);
});
