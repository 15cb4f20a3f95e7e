import type { CauseView, HealthEvalResponse, TriageResponse } from '../../model/api/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { CheckoutRef, ControlServices } from '../services/index.js';
import type { Report } from '../../triage/index.js';
import { collectInto, type SnapshotSink } from '../triage/index.js';
import { WorkerThread, type BackgroundOptions } from './worker-thread.js';
import { causesOf, toCauseView, toTriageResponse, type PatchSearch } from './cause-view.js';
import type { PatchesView } from './patches-view.js';

/** An older report is replaced at the next request. */
const REPORT_MAX_AGE = 5000;
/** A large fleet is not read all the time: a report is kept at least ten times as long as it took. */
const AGE_FACTOR = 10;
const TRIAGE_TIMEOUT = 300_000;
/** The next report waits for the patches of this one, so not for ever. */
const PATCHES_TIMEOUT = 60_000;
const FIND_TIMEOUT = 15_000;
const ASSESSMENT_TIMEOUT = 3000;
const BATCH_SIZE = 200;

/** Triage of the control plane's cluster and evaluation of health checks, in worker threads. */
export class TriageService {
  readonly #services: ControlServices;
  readonly #triage: WorkerThread;
  readonly #health: WorkerThread;
  #last: { readonly report: Report; readonly at: number; readonly took: number } | undefined;
  #running: Promise<Report> | undefined;
  #searching: Promise<void> | undefined;
  /** Of which causes and commits the patches are. */
  #searched: { readonly key: string; readonly patches: ReadonlyMap<string, PatchesView> } = {
    key: '',
    patches: new Map(),
  };

  constructor(services: ControlServices, options: BackgroundOptions) {
    this.#services = services;
    this.#triage = new WorkerThread(options);
    this.#health = new WorkerThread(options);
  }

  /** The last report, whatever its age; undefined before the first. */
  get latest(): Report | undefined {
    return this.#last?.report;
  }

  /** Patches of the last report; a known cause keeps its patches while new ones are computed. */
  get #search(): PatchSearch {
    return { patches: this.#searched.patches, isSearched: this.#last !== undefined && this.#searching === undefined };
  }

  /** A report that is new enough; concurrent callers share one. */
  report(): Promise<Report> {
    const last = this.#last;
    if (
      last !== undefined &&
      this.#services.clock.steady() - last.at < Math.max(REPORT_MAX_AGE, last.took * AGE_FACTOR)
    )
      return Promise.resolve(last.report);
    return (this.#running ??= this.#createReport().finally(() => {
      this.#running = undefined;
    }));
  }

  /** The last report at once, while a newer one is created; only the first one is awaited. */
  async latestReport(): Promise<Report> {
    const fresh = this.report();
    if (this.#last === undefined) return fresh;
    fresh.catch((error: unknown) => {
      this.#services.report(`triage failed: ${error instanceof Error ? error.message : String(error)}`);
    });
    return this.#last.report;
  }

  /** The causes of the whole cluster, in the order of repair. */
  async response(): Promise<TriageResponse> {
    return toTriageResponse(await this.latestReport(), this.#search);
  }

  /** The causes that affect one application. */
  async causesOf(application: KubeObject): Promise<{ readonly causes: CauseView[]; readonly isSearched: boolean }> {
    const report = await this.latestReport();
    const { patches, isSearched } = this.#search;
    return { causes: causesOf(application, report).map((cause) => toCauseView(cause, patches)), isSearched };
  }

  async assess(object: string, lua: string): Promise<HealthEvalResponse> {
    const answer = await this.#health.request(
      (id) => ({ kind: 'health', id, object, lua, now: this.#services.clock.now().getTime() }),
      ASSESSMENT_TIMEOUT,
    );
    if (!('assessment' in answer)) throw new Error('the worker sent no assessment');
    return answer.assessment;
  }

  close(): void {
    this.#triage.close();
    this.#health.close();
  }

  async #createReport(): Promise<Report> {
    await this.#searching;
    const begun = this.#services.clock.steady();
    const sink = this.#sink();
    await collectInto(this.#services.cluster, sink);
    sink.flush();
    const answer = await this.#triage.request(
      (id) => ({ kind: 'triage', id, now: this.#services.clock.now().getTime() }),
      TRIAGE_TIMEOUT,
    );
    if (!('report' in answer)) throw new Error('the worker sent no report');
    const now = this.#services.clock.steady();
    this.#last = { report: answer.report, at: now, took: now - begun };
    this.#searching = this.#searchPatches(answer.report)
      .catch((error: unknown) => {
        this.#services.report(
          `patches could not be computed: ${error instanceof Error ? error.message : String(error)}`,
        );
      })
      .finally(() => {
        this.#searching = undefined;
      });
    return answer.report;
  }

  /** The same causes and the same commits have the same patches. */
  async #searchPatches({ causes }: Report): Promise<void> {
    const refs = causes.some(({ confidence }) => confidence === 'sure')
      ? await this.#withTimeout(this.#services.repositories.checkouts())
      : [];
    const key = searchKey(causes, refs);
    if (refs.length === 0 || key === this.#searched.key) {
      if (refs.length === 0) this.#searched = { key, patches: new Map() };
      this.#triage.post({ kind: 'forget' });
      return;
    }
    // What takes too long once would take too long again.
    this.#searched = { key, patches: this.#searched.patches };
    const checkouts = await this.#services.repositories.readCheckouts(refs);
    const answer = await this.#triage.request(
      (id) => ({ kind: 'patches', id, checkouts, now: this.#services.clock.now().getTime() }),
      PATCHES_TIMEOUT,
    );
    if ('patches' in answer) this.#searched = { key, patches: answer.patches };
  }

  /** Servers that do not answer cost nobody more than this. */
  #withTimeout(refs: Promise<CheckoutRef[]>): Promise<CheckoutRef[]> {
    return new Promise((resolve, reject) => {
      const cancel = this.#services.clock.after(FIND_TIMEOUT, () => {
        resolve([]);
      });
      refs.then(resolve, reject).finally(cancel);
    });
  }

  #sink(): SnapshotSink & { flush(): void } {
    let [batch, from]: [KubeObject[], string] = [[], ''];
    const flush = (): void => {
      if (batch.length > 0) this.#triage.post({ kind: 'objects', objects: batch, where: from });
      batch = [];
    };
    return {
      flush,
      add: (object, where) => {
        from = where;
        batch.push(object as KubeObject);
        if (batch.length >= BATCH_SIZE) flush();
      },
      addLog: (log) => {
        this.#triage.post({ kind: 'log', log });
      },
      listing: (listing) => {
        this.#triage.post({ kind: 'listing', listing });
      },
      problem: (message) => {
        this.#triage.post({ kind: 'problem', message });
      },
      loss: (message) => {
        this.#triage.post({ kind: 'loss', message });
      },
    };
  }
}

function searchKey(causes: Report['causes'], refs: readonly CheckoutRef[]): string {
  return JSON.stringify(
    [
      causes.map(({ id, objects, field, fix }) => [id, objects, field, fix?.edits, fix?.adds]),
      refs.map(({ url, revision, commit }) => [url, revision, commit]),
    ],
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
}
