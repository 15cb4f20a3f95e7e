import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError, systemClock, WatchCache, type ResourceRef } from '../../src/cluster/index.js';
import { Fault, isArray, isObject, type JsonObject, type KubeObject } from '../../src/model/index.js';
import { PODS } from './kinds.js';
import type { Lab } from './lab.js';

export const NOTEBOOKS: ResourceRef = { group: 'mlops.mlops.dev', version: 'v1alpha1', kind: 'NotebookValidationJob', plural: 'notebookvalidationjobs', namespaced: true };

/** Runs the pods of notebooks as a node would, by their status, and knows what their runner would have said. */
export class NotebookPlayer {
  readonly #logs = new Map<string, string>();
  /** Names of jobs whose notebook fails. */
  readonly failing = new Set<string>();
  /** Every phase of every job as it was stored, with its run. */
  readonly phases = new Map<string, { readonly run: string; readonly phase: string }[]>();

  private constructor(readonly lab: Lab) {}

  static async start(lab: Lab): Promise<NotebookPlayer> {
    const player = new NotebookPlayer(lab);
    const world = { clock: systemClock, random: Math.random, report: (): void => undefined };
    const pods = new WatchCache(lab.cluster, PODS, world, { labelSelector: 'app=jupyter-notebook-validator' });
    pods.subscribe((change) => { if (change.type !== 'deleted') void player.#run(change.object); });
    const jobs = new WatchCache(lab.cluster, NOTEBOOKS, world);
    jobs.subscribe((change) => { if (change.type !== 'deleted') player.#note(change.object); });
    lab.onClose(() => {
      pods.close();
      jobs.close();
      return Promise.resolve();
    });
    await Promise.all([pods.settled(), jobs.settled()]);
    return player;
  }

  /** The whole log of a pod, by its name. */
  log(pod: string): string {
    return this.#logs.get(pod) ?? '';
  }

  #note({ metadata: { namespace = '', name = '' }, status }: KubeObject): void {
    if (!isObject(status) || typeof status.phase !== 'string') return;
    const key = `${namespace}/${name}`;
    const seen = this.phases.get(key) ?? [];
    this.phases.set(key, [...seen, { run: String(status.runId), phase: status.phase }]);
  }

  async #run({ metadata: { namespace = '', name = '', uid = '', labels = {} }, spec, status }: KubeObject): Promise<void> {
    const phase = isObject(status) ? status.phase : undefined;
    if (phase !== 'Pending') return;
    const fails = this.failing.has(`${namespace}/${labels['notebookvalidationjob'] ?? ''}`);
    this.#logs.set(name, logOf(nonceIn(spec), fails));
    const running = { phase: 'Running', containerStatuses: [container({ running: { startedAt: null } })] };
    const ended = { phase: fails ? 'Failed' : 'Succeeded', containerStatuses: [container({ terminated: { exitCode: fails ? 1 : 0, reason: fails ? 'Error' : 'Completed' } })] };
    for (const next of [running, ended]) if (!await this.#patch(namespace, name, uid, next)) return;
  }

  async #patch(namespace: string, name: string, uid: string, status: JsonObject): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.lab.cluster.patch(PODS, { namespace, name }, { type: 'merge', body: { metadata: { uid }, status } }, { subresource: 'status' });
        return true;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error instanceof ClusterError && (error.isNotFound || error.isConflict || error.status === 422)) return false;
        if (attempt === 20) throw error;
        await delay(100);
      }
    }
  }
}

function container(state: JsonObject): JsonObject {
  return { name: 'validator', image: 'notebook', imageID: '', ready: false, restartCount: 0, state };
}

function nonceIn(spec: unknown): string {
  const containers = isObject(spec) && isArray(spec.containers) ? spec.containers : [];
  const environment = containers.flatMap((each) => (isObject(each) && isArray(each.env) ? each.env : []));
  const entry = environment.find((each) => isObject(each) && each.name === 'ARGOSY_NONCE');
  return isObject(entry) ? String(entry.value) : '';
}

function logOf(nonce: string, fails: boolean): string {
  const events: JsonObject[] = [
    { event: 'start', kernel: 'trial', cells: 2, codeCells: 2 }, { event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 },
    { event: 'cell', cell: 1, cellType: 'code', status: fails ? 'Failure' : 'Success', seconds: 0.1, ...(fails ? { errorType: 'ValueError', errorMessage: 'bad' } : {}) },
    { event: 'end', status: fails ? 'failed' : 'succeeded', category: fails ? 'notebook_execution_failed' : '', error: fails ? 'bad' : '', failedCell: fails ? 1 : null, seconds: 1 },
  ];
  return events.map((event) => `@argosy ${nonce} ${JSON.stringify(event)}\n`).join('');
}
