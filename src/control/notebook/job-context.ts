import { digest, hasStarted, isPodOver, type NotebookJob } from '../../notebook/index.js';
import type { WatchCache } from '../../cluster/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { JobEventRecorder } from './job-event-recorder.js';
import { LogReader } from './log-reader.js';
import type { ModelClient } from './model-client.js';
import type { NotebookCommits } from './notebook-commits.js';
import type { NotebookMetrics } from './notebook-metrics.js';
import type { NotebookOptions } from './operator-options.js';
import type { ServedKinds } from './served-kinds.js';
import { PodSlots } from './pod-slots.js';
import { BUILDS, IMAGE_STREAMS } from '../../model/resources/index.js';

export interface JobDependencies {
  readonly options: NotebookOptions;
  readonly jobs: WatchCache;
  readonly pods: WatchCache;
  readonly kinds: ServedKinds;
  readonly events: JobEventRecorder;
  readonly metrics: NotebookMetrics;
  readonly models: ModelClient;
  readonly commits: NotebookCommits;
  readonly openBuilds: () => WatchCache;
  /** Requeues a job after so many milliseconds. */
  readonly requeue: (key: string, milliseconds: number) => void;
  readonly progressInterval: number;
}

export interface PodRejection {
  readonly message: string;
  readonly isFinal: boolean;
}

/** What a reconcile of a job works with. Its caches can be dropped at any time. */
export class JobContext {
  readonly #readers = new Map<string, LogReader>();
  readonly #slots = new PodSlots();
  readonly #rejections = new Map<string, PodRejection>();
  /** ConfigMaps that are there, by owner and name. */
  readonly #runners = new Set<string>();
  readonly runnerVersion: string;
  #builds: WatchCache | undefined;

  constructor(readonly dependencies: JobDependencies) {
    this.runnerVersion = digest(...[...dependencies.options.runner].sort(([a], [b]) => (a < b ? -1 : 1)).flat());
  }

  get metrics(): NotebookMetrics {
    return this.dependencies.metrics;
  }

  /** The log of the pod of an attempt, followed as soon as there is one. */
  reader(key: string, pod: KubeObject): LogReader | undefined {
    const uid = pod.metadata.uid ?? '';
    const known = this.#readers.get(uid);
    known?.observe(pod);
    if (known !== undefined || !hasStarted(pod)) return known;
    const {
      options: { cluster, world },
      pods,
      requeue,
      progressInterval,
    } = this.dependencies;
    const reader = new LogReader(pod, {
      cluster,
      clock: world.clock,
      pod: () => pods.byUid(uid),
      onEvent: () => {
        requeue(key, reader.state === 'reading' ? progressInterval : 0);
      },
    });
    this.#readers.set(uid, reader);
    return reader;
  }

  /** The run is over, or there is a new pod: the log is no longer followed. */
  stopReading(pods: readonly KubeObject[], except?: string): void {
    for (const {
      metadata: { uid = '' },
    } of pods) {
      if (uid === except) continue;
      this.#readers.get(uid)?.close();
      this.#readers.delete(uid);
    }
  }

  /**
   * Whether one more pod may run: its slot is reserved until `leave`. Otherwise the job is requeued when a slot is
   * free.
   */
  acquireSlot(key: string): boolean {
    const running = this.dependencies.pods.list().filter((pod) => !isPodOver(pod)).length;
    return this.#slots.acquire(key, running, this.dependencies.options.settings.maxPods);
  }

  /** The pod exists in the cache, or was not created. Returns whether a slot was reserved. */
  releaseSlot(key: string): boolean {
    return this.#slots.release(key);
  }

  wakeNext(): void {
    const next = this.#slots.next();
    if (next !== undefined) this.dependencies.requeue(next, 0);
  }

  podRejection(uid: string): PodRejection | undefined {
    return this.#rejections.get(uid);
  }

  setPodRejection(uid: string, rejection: PodRejection | undefined): void {
    if (rejection === undefined) this.#rejections.delete(uid);
    else this.#rejections.set(uid, rejection);
  }

  hasRunner(job: NotebookJob): boolean {
    return this.#runners.has(job.uid);
  }

  recordRunner(job: NotebookJob): void {
    this.#runners.add(job.uid);
  }

  /** The builds of the cluster; undefined where it has none. */
  async builds(): Promise<WatchCache | undefined> {
    if (this.#builds !== undefined) return this.#builds;
    const { kinds } = this.dependencies;
    const served = await Promise.all(
      [BUILDS, IMAGE_STREAMS].map(({ group, version, kind }) => kinds.find(group, version, kind)),
    );
    if (served.includes(undefined)) return undefined;
    this.#builds ??= this.dependencies.openBuilds();
    await this.#builds.waitForSync();
    return this.#builds;
  }

  forget(object: KubeObject): void {
    const { uid = '', namespace = '', name = '' } = object.metadata;
    this.stopReading(this.dependencies.pods.ownedBy(uid));
    this.#slots.forget(`${namespace}/${name}`);
    this.#rejections.delete(uid);
    this.#runners.delete(uid);
    this.dependencies.models.forget(uid);
    this.dependencies.commits.forget(object);
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    this.#builds?.close();
    this.dependencies.models.close();
  }
}
