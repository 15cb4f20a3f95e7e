import { digest, hasBegun, isPodOver, type NotebookJob } from '../../notebook/index.js';
import type { WatchCache } from '../../cluster/index.js';
import type { KubeObject } from '../../model/index.js';
import type { EventWriter } from './event-writer.js';
import { BUILDS, IMAGE_STREAMS } from './kinds.js';
import { LogReader } from './log-reader.js';
import type { ModelAsker } from './model-asker.js';
import type { NotebookMetrics } from './notebook-metrics.js';
import type { NotebookOptions } from './operator-options.js';
import type { ServedKinds } from './served-kinds.js';
import { StartPlaces } from './start-places.js';

export interface JobDeskParts {
  readonly options: NotebookOptions;
  readonly jobs: WatchCache;
  readonly pods: WatchCache;
  readonly kinds: ServedKinds;
  readonly events: EventWriter;
  readonly metrics: NotebookMetrics;
  readonly models: ModelAsker;
  readonly openBuilds: () => WatchCache;
  /** Look at a job again after so many milliseconds. */
  readonly wake: (key: string, milliseconds: number) => void;
  readonly progress: number;
}

export interface Refusal {
  readonly message: string;
  readonly isFinal: boolean;
}

/** Everything that a pass over a job works with. What is kept here can be thrown away at any time. */
export class JobDesk {
  readonly #readers = new Map<string, LogReader>();
  readonly #places = new StartPlaces();
  readonly #refusals = new Map<string, Refusal>();
  /** ConfigMaps that are there, by owner and name. */
  readonly #runners = new Set<string>();
  readonly runnerVersion: string;
  #builds: WatchCache | undefined;

  constructor(readonly parts: JobDeskParts) {
    this.runnerVersion = digest(...[...parts.options.runner].sort(([a], [b]) => (a < b ? -1 : 1)).flat());
  }

  get metrics(): NotebookMetrics {
    return this.parts.metrics;
  }

  /** The log of the pod of an attempt, followed as soon as there is one. */
  reader(key: string, pod: KubeObject): LogReader | undefined {
    const uid = pod.metadata.uid ?? '';
    const known = this.#readers.get(uid);
    known?.look(pod);
    if (known !== undefined || !hasBegun(pod)) return known;
    const {
      options: { cluster, world },
      pods,
      wake,
      progress,
    } = this.parts;
    const reader = new LogReader(pod, {
      cluster,
      clock: world.clock,
      pod: () => pods.byUid(uid),
      onNews: () => {
        wake(key, reader.state === 'reading' ? progress : 0);
      },
    });
    this.#readers.set(uid, reader);
    return reader;
  }

  /** The run is over, or the pod is another one: nobody listens any more. */
  stopReading(pods: readonly KubeObject[], except?: string): void {
    for (const {
      metadata: { uid = '' },
    } of pods) {
      if (uid === except) continue;
      this.#readers.get(uid)?.close();
      this.#readers.delete(uid);
    }
  }

  /** Whether one more pod may run: then its place is kept until `leave`. Whoever may not is told when one can. */
  mayStart(key: string): boolean {
    const running = this.parts.pods.list().filter((pod) => !isPodOver(pod)).length;
    return this.#places.take(key, running, this.parts.options.settings.mostPods);
  }

  /** The pod is made and known, or is not made after all. Whether a place was kept. */
  leave(key: string): boolean {
    return this.#places.leave(key);
  }

  wakeWaiting(): void {
    const next = this.#places.next();
    if (next !== undefined) this.parts.wake(next, 0);
  }

  refusal(uid: string): Refusal | undefined {
    return this.#refusals.get(uid);
  }

  refuse(uid: string, refusal: Refusal | undefined): void {
    if (refusal === undefined) this.#refusals.delete(uid);
    else this.#refusals.set(uid, refusal);
  }

  hasRunner(job: NotebookJob): boolean {
    return this.#runners.has(job.uid);
  }

  madeRunner(job: NotebookJob): void {
    this.#runners.add(job.uid);
  }

  /** The builds of the cluster; undefined where it has none. */
  async builds(): Promise<WatchCache | undefined> {
    if (this.#builds !== undefined) return this.#builds;
    const { kinds } = this.parts;
    const served = await Promise.all(
      [BUILDS, IMAGE_STREAMS].map(({ group, version, kind }) => kinds.find(group, version, kind)),
    );
    if (served.includes(undefined)) return undefined;
    this.#builds ??= this.parts.openBuilds();
    await this.#builds.settled();
    return this.#builds;
  }

  forget({ metadata: { uid = '', namespace = '', name = '' } }: KubeObject): void {
    this.stopReading(this.parts.pods.ownedBy(uid));
    this.#places.forget(`${namespace}/${name}`);
    this.#refusals.delete(uid);
    this.#runners.delete(uid);
    this.parts.models.forget(uid);
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    this.#builds?.close();
    this.parts.models.close();
  }
}
