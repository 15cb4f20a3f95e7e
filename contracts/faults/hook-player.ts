import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError, systemClock, watchKinds, type CacheSet } from '../../src/cluster/index.js';
import { Fault } from '../../src/model/faults/index.js';
import { isArray, isObject, own, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { objectIn } from './application.js';
import type { Lab } from './lab.js';
import { JOBS, PODS } from '../../src/model/resources/index.js';

/** On a Job or Pod: `fail` lets it fail; anything else lets it succeed. */
export const OUTCOME = 'faults.argosy.dev/outcome';
/**
 * The real job controller leaves Jobs alone that somebody else manages; here that is the test, which finishes them at
 * once.
 */
export const MANAGED_BY = 'faults.argosy.dev/player';

const ATTEMPTS = 50;

/** Finishes Jobs and Pods as nodes would, by their status, straight at the server. */
export class HookPlayer {
  private constructor(
    readonly lab: Lab,
    readonly fleet: CacheSet,
  ) {}

  static async start(lab: Lab): Promise<HookPlayer> {
    const fleet = watchKinds(lab.cluster, [JOBS, PODS], {
      clock: systemClock,
      random: Math.random,
      report: () => undefined,
    });
    const player = new HookPlayer(lab, fleet);
    fleet.subscribe((change) => {
      if (change.type !== 'deleted') void player.#finish(change.object);
    });
    lab.onClose(() => Promise.resolve(fleet.close()));
    await fleet.waitForSync(10_000);
    return player;
  }

  async #finish(object: KubeObject): Promise<void> {
    if (
      object.kind === 'Job'
        ? isFinishedJob(object) || objectIn(object, 'spec').managedBy !== MANAGED_BY
        : isFinishedPod(object)
    )
      return;
    const fails = object.metadata.annotations?.[OUTCOME] === 'fail';
    const [kind, status] = object.kind === 'Job' ? [JOBS, jobStatus(fails)] : [PODS, podStatus(fails)];
    const id = { namespace: object.metadata.namespace ?? '', name: object.metadata.name ?? '' };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.lab.cluster.patch(
          kind,
          id,
          { type: 'merge', body: { metadata: { uid: object.metadata.uid ?? '' }, status } },
          { subresource: 'status' },
        );
        return;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        // Deleted, made anew, or finished by an earlier look.
        if (error instanceof ClusterError && (error.isNotFound || error.isConflict || error.status === 422)) return;
        if (attempt === ATTEMPTS) throw error;
        await delay(200);
      }
    }
  }
}

function isFinishedJob(job: KubeObject): boolean {
  const conditions = own(objectIn(job, 'status'), 'conditions');
  return (
    isArray(conditions) &&
    conditions.some((each) => isObject(each) && (each.type === 'Complete' || each.type === 'Failed'))
  );
}

function isFinishedPod(pod: KubeObject): boolean {
  const { phase } = objectIn(pod, 'status');
  return phase === 'Succeeded' || phase === 'Failed';
}

function jobStatus(fails: boolean): JsonObject {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = (type: string): JsonObject => ({
    type,
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: fails ? 'BackoffLimitExceeded' : 'CompletionsReached',
    message: fails ? 'the trial lets it fail' : '',
  });
  return fails
    ? { startTime: now, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] }
    : {
        startTime: now,
        completionTime: now,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      };
}

function podStatus(fails: boolean): JsonObject {
  return { phase: fails ? 'Failed' : 'Succeeded', ...(fails ? { message: 'the trial lets it fail' } : {}) };
}
