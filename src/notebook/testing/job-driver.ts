import { applyMergePatch } from '../../model/patch/index.js';
import { clone, isObject, put, type Json, type JsonObject } from '../../model/json/index.js';
import { parseDuration } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { NotebookImage } from '../../model/settings/index.js';
import { readJob, statusOf, timeText } from '../job/index.js';
import { planJob, type JobAction } from '../plan/index.js';
import { eventsOf, waveAnnotations } from '../effects/index.js';
import { nonceOf } from '../pod/index.js';
import { ReportReader } from '../report/index.js';

/** One thing that happens, and what must hold afterwards. */
export interface JobScenarioStep {
  /** Time that passes first, such as `61s`. */
  readonly wait?: string;
  /** Changes of the job; a new spec is a new generation, as with a server. */
  readonly job?: JsonObject;
  /** The status that the newest pod has now. */
  readonly pod?: JsonObject;
  /** Events of the runner; a text is a line of the notebook's own. */
  readonly log?: readonly Json[];
  /** The log is not available. */
  readonly logIsUnreadable?: boolean;
  readonly podIsGone?: boolean;
  readonly build?: JsonObject;
  /** Builds of others in the same namespace, by name. */
  readonly otherBuilds?: Readonly<Record<string, JsonObject>>;
  readonly references?: JsonObject;
  readonly mayStart?: boolean;
  /** As the administrator's settings are from now on. */
  readonly passesSimulated?: boolean;
  /** What the ref of the notebook means from now on. */
  readonly commit?: string;
  readonly refusal?: { readonly message: string; readonly isFinal: boolean };
  readonly expect?: JsonObject;
}

const START = Date.parse('2026-01-24T22:00:00Z');

/**
 * Plays a server, a node and time for one job: stores what must be stored, does what must be done, until nothing is
 * left to do.
 */
export class JobDriver {
  #now = START;
  #job: KubeObject;
  #pods: KubeObject[] = [];
  #builds: KubeObject[] | undefined;
  #lines: string[] = [];
  #log: 'reading' | 'whole' | 'unreadable' = 'reading';
  #references = new Map<string, readonly string[] | undefined>();
  #mayStart = true;
  #passesSimulated = false;
  #commit: string | undefined;
  #refusal: JobScenarioStep['refusal'];
  readonly made: string[] = [];
  readonly phases: string[] = [];
  readonly deleted: string[] = [];
  #at: number | undefined;
  #asks = 0;

  constructor(
    job: JsonObject,
    hasBuilds: boolean,
    readonly gitImage = '',
    readonly allowed?: NotebookImage,
  ) {
    const { metadata } = job;
    this.#job = {
      apiVersion: 'mlops.mlops.dev/v1alpha1',
      kind: 'NotebookValidationJob',
      ...job,
      metadata: { namespace: 'ml', uid: 'u-1', generation: 1, ...(isObject(metadata) ? metadata : {}) },
    };
    this.#builds = hasBuilds ? [] : undefined;
  }

  run(play: JobScenarioStep): void {
    this.#now += play.wait === undefined ? 0 : Number(parseDuration(play.wait) / 1_000_000n);
    if (play.job !== undefined) this.#change(play.job);
    for (const [name, keys] of Object.entries(play.references ?? {}))
      this.#references.set(name, Array.isArray(keys) ? keys.map(String) : undefined);
    this.#mayStart = play.mayStart ?? this.#mayStart;
    this.#passesSimulated = play.passesSimulated ?? this.#passesSimulated;
    this.#commit = play.commit ?? this.#commit;
    this.#refusal = play.refusal;
    // Changes of a pod apply after its creation.
    if (play.pod !== undefined || play.build !== undefined) this.#settle();
    this.#happen(play);
    this.#settle();
  }

  #happen({
    pod: status,
    log = [],
    logIsUnreadable = false,
    podIsGone = false,
    build,
    otherBuilds = {},
  }: JobScenarioStep): void {
    const pod = this.#pods.at(-1);
    if (status !== undefined && pod !== undefined) put(pod, 'status', clone(status));
    if (pod !== undefined)
      this.#lines.push(
        ...log.map((line) => (typeof line === 'string' ? line : `@argosy ${nonceOf(pod)} ${JSON.stringify(line)}`)),
      );
    const phase = isObject(pod?.status) ? pod.status.phase : undefined;
    const readable = phase === 'Succeeded' || phase === 'Failed' ? 'whole' : 'reading';
    this.#log = logIsUnreadable ? 'unreadable' : readable;
    if (podIsGone) this.#pods.pop();
    const builds = {
      ...otherBuilds,
      ...(build === undefined ? {} : { [statusOf(this.#job).buildStatus?.buildName ?? '']: build }),
    };
    if (Object.keys(builds).length > 0)
      this.#builds = Object.entries(builds).map(([name, state]) => ({
        apiVersion: 'build.openshift.io/v1',
        kind: 'Build',
        metadata: { name },
        status: state,
      }));
  }

  /** What a case may check. */
  get state(): JsonObject {
    return {
      status: statusOf(this.#job),
      pods: this.#pods.map((pod) => pod.metadata.name ?? ''),
      made: this.made.length,
      deleted: this.deleted.length,
      phases: this.phases,
      pod: this.#pods.at(-1) ?? null,
      after: this.#at === undefined ? null : `${(this.#at - this.#now) / 1000}s`,
      notices: Object.fromEntries(
        eventsOf(readJob(this.#job), statusOf(this.#job), this.#now).map(({ type, reason, message }) => [
          reason,
          `${type} ${message}`,
        ]),
      ),
      marks: waveAnnotations(readJob(this.#job), statusOf(this.#job)) ?? null,
      conditions: Object.fromEntries(
        (statusOf(this.#job).conditions ?? []).map((each) => [
          String(each.type),
          `${String(each.status)} ${String(each.reason)}`,
        ]),
      ),
    };
  }

  #change(change: JsonObject): void {
    const generation = (this.#job.metadata.generation ?? 1) + (change.spec === undefined ? 0 : 1);
    this.#job = applyMergePatch(this.#job, change) as KubeObject;
    this.#job = { ...this.#job, metadata: { ...this.#job.metadata, generation } };
  }

  #settle(): void {
    for (let turn = 0; turn < 30; turn++) {
      const step = this.#ask();
      this.#at = step.requeueAt;
      if (step.status !== statusOf(this.#job)) {
        if (step.status.phase !== this.phases.at(-1)) this.phases.push(step.status.phase ?? '');
        this.#job = { ...this.#job, status: clone(step.status) };
      } else if (
        step.actions.length === 0 ||
        !step.actions.map((action) => this.#act(action)).some((changed) => changed)
      )
        return;
    }
    throw new Error('the job never settles');
  }

  #ask(): ReturnType<typeof planJob> {
    const pod = this.#pods.at(-1);
    const reader = new ReportReader(pod === undefined ? '' : nonceOf(pod));
    for (const line of this.#lines) reader.take(line);
    return planJob(readJob(this.#job, this.allowed), {
      now: this.#now,
      pods: this.#pods,
      report: reader.report,
      log: this.#log,
      references: this.#references,
      mayStart: this.#mayStart,
      passesSimulated: this.#passesSimulated,
      nonce: `n${++this.#asks}`,
      runner: 'runner',
      gitImage: this.gitImage,
      ...(this.#builds === undefined ? {} : { builds: this.#builds }),
      ...(this.#commit === undefined ? {} : { commit: this.#commit }),
      ...(this.#refusal === undefined ? {} : { rejection: this.#refusal }),
    });
  }

  /** Whether it changed anything. */
  #act(action: JobAction): boolean {
    switch (action.kind) {
      case 'create-pod':
        if (this.#refusal !== undefined) return false;
        this.made.push(action.pod.metadata.name ?? '');
        this.#lines = [];
        this.#pods.push({
          ...clone(action.pod),
          metadata: { ...action.pod.metadata, uid: `p-${this.made.length}`, creationTimestamp: timeText(this.#now) },
          status: { phase: 'Pending' },
        });
        return true;
      case 'delete-pod':
        this.deleted.push(action.pod.metadata.name ?? '');
        this.#pods = this.#pods.filter(({ metadata }) => metadata.uid !== action.pod.metadata.uid);
        return true;
      case 'create-build':
        return false;
      case 'cancel-build':
        this.#builds = this.#builds?.map((build) => ({
          ...build,
          status: { phase: 'Cancelled', reason: 'CancelledBuild', message: 'cancelled' },
        }));
        return true;
      default:
        return action satisfies never;
    }
  }
}
