import { ourLabelSelector, isPodOver, statusOf } from '../../notebook/index.js';
import { type Change, ClusterError, WatchCache } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { reportTo } from '../../model/logging/index.js';
import { createWorkQueue } from '../queue/index.js';
import { ApplicationAnnotator } from './application-annotator.js';
import { JobEventRecorder } from './job-event-recorder.js';
import { JobContext } from './job-context.js';
import { ModelClient } from './model-client.js';
import { NotebookCommits } from './notebook-commits.js';
import { NotebookMetrics } from './notebook-metrics.js';
import type { NotebookOptions } from './operator-options.js';
import { reconcileJob } from './reconcile-job.js';
import { ServedKinds } from './served-kinds.js';
import { BUILDS, CRDS, NOTEBOOK_VALIDATION_JOBS, PODS } from '../../model/resources/index.js';
import type { WorkQueue } from '../../model/queue/index.js';

const WORKERS = 8;
/** Several changes of one pod arrive together. */
const BATCH_DELAY = 20;
/** Between two writes of growing results. */
const PROGRESS_INTERVAL = 500;
/** Between two looks for commits where the settings say nothing. */
const POLL_INTERVAL = 120_000;

/** Reconciles every NotebookValidationJob when something about it may have changed. Idle until it is opened. */
export class NotebookOperator {
  readonly #options: NotebookOptions;
  readonly #queue: WorkQueue;
  readonly #jobs: WatchCache;
  readonly #pods: WatchCache;
  readonly #context: JobContext;
  readonly #applications: ApplicationAnnotator;

  private constructor(options: NotebookOptions) {
    const { cluster, world, metrics, namespace, log } = options;
    this.#options = options;
    this.#queue = createWorkQueue({
      clock: world.clock,
      random: world.random,
      workers: WORKERS,
      reconcile: (key) => this.#reconcile(key),
      report: (key, error) => {
        log.warn('reconcile failed', { object: `${NOTEBOOK_VALIDATION_JOBS.kind} ${key}`, error });
      },
    });
    this.#jobs = new WatchCache(cluster, NOTEBOOK_VALIDATION_JOBS, world);
    this.#pods = new WatchCache(cluster, PODS, world, { labelSelector: ourLabelSelector() });
    this.#applications = new ApplicationAnnotator({
      cluster,
      world,
      namespaces: [...new Set([namespace, 'argocd', 'openshift-gitops'])],
      jobs: () => this.#jobs.list(),
    });
    this.#context = new JobContext({
      options,
      jobs: this.#jobs,
      pods: this.#pods,
      kinds: new ServedKinds(cluster, world.clock),
      events: new JobEventRecorder(cluster, world.clock, reportTo(log)),
      metrics: new NotebookMetrics(metrics, () => this.#pods.list()),
      models: new ModelClient(cluster, world.clock),
      commits: new NotebookCommits({
        cluster,
        now: () => world.clock.now().getTime(),
        resolve: options.resolve,
        period: () => options.pollInterval?.() ?? POLL_INTERVAL,
        requeue: (key) => this.#queue.add(key, 'event'),
        report: (key, error) => {
          log.warn('the commit of a notebook cannot be found', {
            object: `${NOTEBOOK_VALIDATION_JOBS.kind} ${key}`,
            error,
          });
        },
      }),
      openBuilds: () => this.#openBuilds(),
      requeue: (key, milliseconds) => {
        this.#queue.addAfter(key, milliseconds, 'event');
      },
      progressInterval: PROGRESS_INTERVAL,
    });
    this.#jobs.subscribe((change) => {
      this.#onJob(change);
    });
    this.#pods.subscribe((change) => {
      this.#onPod(change);
    });
  }

  /** Nothing where the cluster has another definition of the kind: then another operator is at work there. */
  static async start(options: NotebookOptions): Promise<NotebookOperator | undefined> {
    if (!(await hasOurDefinition(options))) return undefined;
    return new NotebookOperator(options);
  }

  /** This process leads: everything is reconciled. */
  open(): void {
    for (const job of this.#jobs.list()) this.#queue.add(keyOf(job), 'event');
    this.#queue.open();
    this.#applications.open();
  }

  /** What was held or allowed may be decided otherwise now. */
  settingsChanged(): void {
    for (const job of this.#jobs.list()) this.#queue.add(keyOf(job), 'event');
  }

  async pause(): Promise<void> {
    await Promise.all([this.#queue.pause(), this.#applications.pause()]);
  }

  async close(): Promise<void> {
    // Ends the waits for these.
    this.#jobs.close();
    this.#pods.close();
    this.#context.close();
    await Promise.all([this.#queue.close(), this.#applications.close()]);
  }

  async #reconcile(key: string): Promise<void> {
    const { clock } = this.#options.world;
    if (!this.#options.mayWrite()) return;
    // Without all its pods the state of a job is unknown.
    await Promise.all([this.#jobs.waitForSync(), this.#pods.waitForSync()]);
    const unread = [this.#jobs, this.#pods].find(({ status }) => status.lists === 0);
    if (unread !== undefined)
      throw new Fault('CLUSTER_REFUSED', `${unread.kind.plural} cannot be read: ${unread.status.reason}`);
    const [namespace = ''] = key.split('/');
    const started = clock.steady();
    try {
      const after = await reconcileJob(key, this.#context);
      if (after !== undefined) this.#queue.addAfter(key, after, 'timer');
      this.#context.metrics.reconciled(namespace, (clock.steady() - started) / 1000);
    } catch (error) {
      this.#context.metrics.reconciled(namespace, (clock.steady() - started) / 1000, error);
      // A conflict: the new version is about to arrive.
      if (!(error instanceof ClusterError) || !error.isConflict) throw error;
      this.#queue.addAfter(key, BATCH_DELAY * 5, 'event');
    }
  }

  #onJob(change: Change): void {
    const job = change.type === 'deleted' ? change.old : change.object;
    if (change.type !== 'updated' || statusOf(change.old).phase !== statusOf(job).phase)
      this.#applications.changed(job);
    if (change.type === 'deleted') {
      this.#queue.forget(keyOf(job));
      this.#context.forget(job);
      this.#context.wakeNext();
      return;
    }
    this.#queue.add(keyOf(job), change.type === 'added' ? 'event' : 'user');
  }

  #onPod(change: Change): void {
    const pod = change.type === 'deleted' ? change.old : change.object;
    const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === NOTEBOOK_VALIDATION_JOBS.kind);
    if (owner === undefined) return;
    if (change.type === 'deleted' || isPodOver(pod)) this.#context.wakeNext();
    this.#queue.addAfter(`${pod.metadata.namespace ?? ''}/${owner.name}`, BATCH_DELAY, 'event');
  }

  #openBuilds(): WatchCache {
    const builds = new WatchCache(this.#options.cluster, BUILDS, this.#options.world);
    builds.subscribe((change) => {
      const { metadata } = change.type === 'deleted' ? change.old : change.object;
      for (const job of this.#jobs.list({ namespace: metadata.namespace ?? '' })) {
        if (statusOf(job).buildStatus?.buildName === metadata.name)
          this.#queue.addAfter(keyOf(job), BATCH_DELAY, 'event');
      }
    });
    return builds;
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}

/** Our CRD stores the state of a run; with another one every reconcile would start over. */
async function hasOurDefinition({ cluster, log }: NotebookOptions): Promise<boolean> {
  const name = `${NOTEBOOK_VALIDATION_JOBS.plural}.${NOTEBOOK_VALIDATION_JOBS.group}`;
  let found: KubeObject | undefined;
  try {
    found = await cluster.get(CRDS, { name });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    log.warn(`notebooks are not run: cannot determine the owner of CustomResourceDefinition ${name} is unknown`, {
      error,
    });
    return false;
  }
  if (found === undefined) {
    log.warn(`notebooks are not run: the cluster has no CustomResourceDefinition ${name}`);
    return false;
  }
  const versions = isObject(found.spec) && isArray(found.spec.versions) ? found.spec.versions : [];
  const version = versions.find((each) => isObject(each) && each.name === NOTEBOOK_VALIDATION_JOBS.version);
  const runId = ['schema', 'openAPIV3Schema', 'properties', 'status', 'properties', 'runId'].reduce<Json | undefined>(
    (inside, part) => (isObject(inside) ? own(inside, part) : undefined),
    version,
  );
  if (runId !== undefined) return true;
  log.warn(
    `notebooks are not run: CustomResourceDefinition ${name} belongs to another operator. To let ` +
      'Argosy run them, stop that one and apply crds/notebookvalidationjob.yaml',
  );
  return false;
}
