import { parentPort, workerData } from 'node:worker_threads';
import { openCatalogue, type CatalogueFile } from '../../health/index.js';
import { Fault } from '../../model/index.js';
import { SnapshotBuilder } from '../../triage/index.js';
import { openTriage } from '../triage/open-triage.js';
import { judgeObject } from './judge-object.js';
import type { SideAnswer, SideTask } from './side-task.js';

/** The inside of a side worker: one task after the other. What it gathers for a triage is gone with its answer. */
const catalogue = openCatalogue((workerData as { readonly catalogue: readonly CatalogueFile[] }).catalogue);
let builder = new SnapshotBuilder();

function work(task: SideTask): SideAnswer | undefined {
  switch (task.kind) {
    case 'objects': for (const object of task.objects) builder.add(object, task.where); return undefined;
    case 'log': builder.addLog(task.log); return undefined;
    case 'listing': builder.listing(task.listing); return undefined;
    case 'problem': builder.problem(task.says); return undefined;
    case 'loss': builder.loss(task.says); return undefined;
    case 'triage': {
      const snapshot = builder.build(task.now);
      builder = new SnapshotBuilder();
      return { id: task.id, report: openTriage(catalogue, () => task.now)(snapshot) };
    }
    case 'health': return { id: task.id, verdict: judgeObject(task.object, task.lua, catalogue, () => task.now) };
    default: return task satisfies never;
  }
}

function answer(task: SideTask): SideAnswer | undefined {
  try {
    return work(task);
  } catch (error) {
    const id = 'id' in task ? task.id : 0;
    if (error instanceof Fault) return { id, fault: { code: error.code, message: error.message, where: error.where } };
    return { id, defect: error instanceof Error ? error.stack ?? error.message : String(error) };
  }
}

parentPort?.on('message', (task: SideTask) => {
  const told = answer(task);
  if (told !== undefined) parentPort?.postMessage(told);
});
