import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError, WatchCache, systemClock } from '../../src/cluster/index.js';
import { Fault } from '../../src/model/faults/index.js';
import { isArray, isObject, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Lab } from './lab.js';
import type { Attempt, NotebookLife } from './notebook-life.js';
import {
  BUILDS,
  BUILD_CONFIGS,
  NOTEBOOK_VALIDATION_JOBS,
  PODS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

/** A job as it was stored. */
export interface ObservedPhase {
  readonly run: string;
  readonly phase: string;
  readonly marks: readonly string[];
  readonly version: number;
}

const ATTEMPTS = 20;

/**
 * Runs the pods and builds of notebooks as nodes would, by their status, and knows what their runner would have said.
 */
export class NotebookPlayer {
  readonly #logs = new Map<string, string>();
  /** Pods of each job by name, in the order in which they came. */
  readonly #pods = new Map<string, string[]>();
  /** How each job goes, by `namespace/name`. */
  readonly lives = new Map<string, NotebookLife>();
  /** Every job as it was stored, one after another. */
  readonly noted = new Map<string, ObservedPhase[]>();
  /** Pods that are neither over nor gone, and the most that there ever were. */
  readonly running = new Set<string>();
  mostRunning = 0;
  /** Notebooks that may still end; others go on until they are let. */
  #mayEnd = Infinity;
  readonly #held: (() => void)[] = [];

  private constructor(readonly lab: Lab) {}

  static async start(lab: Lab): Promise<NotebookPlayer> {
    const player = new NotebookPlayer(lab);
    const world = { clock: systemClock, random: Math.random, report: (): void => undefined };
    const pods = new WatchCache(lab.cluster, PODS, world, { labelSelector: 'app=jupyter-notebook-validator' });
    pods.subscribe((change) => {
      player.#count(change.type === 'deleted' ? change.old : change.object, change.type === 'deleted');
      if (change.type !== 'deleted') void player.#run(change.object);
    });
    const jobs = new WatchCache(lab.cluster, NOTEBOOK_VALIDATION_JOBS, world);
    jobs.subscribe((change) => {
      if (change.type !== 'deleted') player.#note(change.object);
    });
    const caches = [pods, jobs];
    if (await lab.exists(BUILD_CONFIGS)) {
      const builds = new WatchCache(lab.cluster, BUILD_CONFIGS, world);
      builds.subscribe((change) => {
        if (change.type !== 'deleted') void player.#build(change.object);
      });
      caches.push(builds);
    }
    lab.onClose(() => {
      for (const cache of caches) cache.close();
      return Promise.resolve();
    });
    await Promise.all(caches.map((cache) => cache.waitForSync()));
    return player;
  }

  /** The whole log of a pod, by its name. */
  log(pod: string): string {
    return this.#logs.get(pod) ?? '';
  }

  #count({ metadata: { uid = '' }, status }: KubeObject, isGone: boolean): void {
    const isOver = isObject(status) && (status.phase === 'Succeeded' || status.phase === 'Failed');
    if (isGone || isOver) this.running.delete(uid);
    else this.running.add(uid);
    this.mostRunning = Math.max(this.mostRunning, this.running.size);
  }

  #note({ metadata: { namespace = '', name = '', annotations = {}, resourceVersion = '' }, status }: KubeObject): void {
    if (!isObject(status) || typeof status.phase !== 'string') return;
    const key = `${namespace}/${name}`;
    const seen = this.noted.get(key) ?? [];
    this.noted.set(key, seen);
    seen.push({
      run: String(status.runId),
      phase: status.phase,
      marks: Object.keys(annotations)
        .filter((mark) => mark.startsWith('mlops.dev/wave-') || mark === 'mlops.dev/completion-time')
        .sort(),
      version: Number(resourceVersion),
    });
  }

  async #run({
    metadata: { namespace = '', name = '', uid = '', labels = {} },
    spec,
    status,
  }: KubeObject): Promise<void> {
    const phase = isObject(status) ? status.phase : undefined;
    if (phase !== 'Pending') return;
    const job = `${namespace}/${labels['notebookvalidationjob'] ?? ''}`;
    const pods = this.#pods.get(job) ?? [];
    this.#pods.set(job, pods);
    if (!pods.includes(name)) pods.push(name);
    const attempt = this.lives.get(job)?.attempts[pods.indexOf(name)] ?? 'well';
    this.#logs.set(name, logOf(nonceIn(spec), attempt));
    for (const next of statesOf(attempt)) {
      if (next.phase !== 'Running') await this.#turn();
      if (!(await this.#store(PODS, { namespace, name, uid }, next))) return;
    }
  }

  /** So many notebooks may end from now on, and no more. */
  letEnd(count: number): void {
    for (this.#mayEnd = count; this.#mayEnd > 0 && this.#held.length > 0; this.#mayEnd--) this.#held.shift()?.();
  }

  #turn(): Promise<void> {
    if (this.#mayEnd > 0) {
      this.#mayEnd--;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#held.push(resolve);
    });
  }

  /** The first build of a configuration, as its controller makes it. */
  async #build({ metadata: { namespace = '', name = '', uid = '' }, spec }: KubeObject): Promise<void> {
    const ends = [...this.lives].find(([job]) => job.startsWith(`${namespace}/`))?.[1].build ?? 'Complete';
    const build = `${name}-1`;
    try {
      const made = await this.lab.cluster.create(BUILDS, {
        apiVersion: 'build.openshift.io/v1',
        kind: 'Build',
        spec: isObject(spec) ? spec : {},
        metadata: {
          namespace,
          name: build,
          ownerReferences: [{ apiVersion: 'build.openshift.io/v1', kind: 'BuildConfig', name, uid, controller: true }],
        },
      });
      const id = { namespace, name: build, uid: made.metadata.uid ?? '' };
      const end: JsonObject =
        ends === 'Complete'
          ? { phase: ends, outputDockerImageReference: `registry.example.com/${namespace}/${build}` }
          : { phase: ends, reason: 'AssembleFailed', message: 'the trial lets it fail' };
      for (const next of [{ phase: 'Running' }, end]) if (!(await this.#store(BUILDS, id, next))) return;
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.isAlreadyExists) throw error;
    }
  }

  async #store(
    kind: ResourceRef,
    { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
    status: JsonObject,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.lab.cluster.patch(
          kind,
          { namespace, name },
          { type: 'merge', body: { metadata: { uid }, status } },
          { subresource: 'status' },
        );
        return true;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error instanceof ClusterError && (error.isNotFound || error.isConflict || error.status === 422))
          return false;
        if (attempt === ATTEMPTS) throw error;
        await delay(100);
      }
    }
  }
}

function container(name: string, state: JsonObject): JsonObject {
  return { name, image: 'notebook', imageID: '', ready: false, restartCount: 0, state };
}

/** The states of a pod, one after another. */
function statesOf(attempt: Attempt): JsonObject[] {
  const running = { phase: 'Running', containerStatuses: [container('validator', { running: { startedAt: null } })] };
  const ended = (phase: string, exitCode: number, reason: string): JsonObject => ({
    phase,
    containerStatuses: [container('validator', { terminated: { exitCode, reason } })],
  });
  switch (attempt) {
    case 'well':
      return [running, ended('Succeeded', 0, 'Completed')];
    case 'bad':
      return [running, ended('Failed', 1, 'Error')];
    case 'unfetched':
      return [
        {
          phase: 'Failed',
          initContainerStatuses: [
            container('git-clone', { terminated: { exitCode: 14, reason: 'Error', message: 'no answer' } }),
          ],
        },
      ];
    case 'evicted':
      return [
        running,
        { ...ended('Failed', 137, 'Error'), reason: 'Evicted', message: 'the node has too little memory' },
      ];
  }
}

function nonceIn(spec: unknown): string {
  const containers = isObject(spec) && isArray(spec.containers) ? spec.containers : [];
  const environment = containers.flatMap((each) => (isObject(each) && isArray(each.env) ? each.env : []));
  const entry = environment.find((each) => isObject(each) && each.name === 'ARGOSY_NONCE');
  return isObject(entry) ? String(entry.value) : '';
}

function logOf(nonce: string, attempt: Attempt): string {
  const fails = attempt === 'bad';
  const begun: JsonObject[] = [
    { event: 'start', kernel: 'trial', cells: 2, codeCells: 2 },
    { event: 'cell', cell: 0, cellType: 'code', status: 'Success', seconds: 0.1 },
  ];
  const rest: JsonObject[] = [
    {
      event: 'cell',
      cell: 1,
      cellType: 'code',
      status: fails ? 'Failure' : 'Success',
      seconds: 0.1,
      ...(fails ? { errorType: 'ValueError', errorMessage: 'bad' } : {}),
    },
    {
      event: 'end',
      status: fails ? 'failed' : 'succeeded',
      category: fails ? 'notebook_execution_failed' : '',
      error: fails ? 'bad' : '',
      failedCell: fails ? 1 : null,
      seconds: 1,
    },
  ];
  return [...begun, ...(attempt === 'evicted' ? [] : rest)]
    .map((event) => `@argosy ${nonce} ${JSON.stringify(event)}\n`)
    .join('');
}
