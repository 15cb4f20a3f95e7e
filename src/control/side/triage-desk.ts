import type { HealthVerdict, KubeObject } from '../../model/index.js';
import type { CheckoutRef } from '../front/checkouts.js';
import type { Report } from '../../triage/index.js';
import type { FrontDesk } from '../front/front-desk.js';
import { collectInto, type SnapshotSink } from '../triage/collect-cluster.js';
import { SideThread, type SideOptions } from './side-thread.js';
import type { ToldPatches } from './tell-patches.js';

/** A report is made anew for whoever asks after this time. */
const FRESH = 5000;
/** A large fleet is not read all the time: a report is kept at least ten times as long as it took. */
const PATIENCE = 10;
const TRIAGE_WITHIN = 300_000;
/** The next report waits for the patches of this one, so not for ever. */
const PATCHES_WITHIN = 60_000;
const FIND_WITHIN = 15_000;
const VERDICT_WITHIN = 3000;
const BATCH = 200;

/** What is known of the patches, by the ids of their causes. */
export interface Searched {
  readonly patches: ReadonlyMap<string, ToldPatches>;
  /** False while repositories are still searched. */
  readonly isSearched: boolean;
}

/** Triage of the cluster of the control plane and verdicts on objects, made by threads beside the one that answers. */
export class TriageDesk {
  readonly #desk: FrontDesk;
  readonly #triage: SideThread;
  readonly #health: SideThread;
  #last: { readonly report: Report; readonly at: number; readonly took: number } | undefined;
  #running: Promise<Report> | undefined;
  #searching: Promise<void> | undefined;
  /** Of which causes and commits the patches are. */
  #searched: { readonly key: string; readonly patches: ReadonlyMap<string, ToldPatches> } = {
    key: '',
    patches: new Map(),
  };

  constructor(desk: FrontDesk, options: SideOptions) {
    this.#desk = desk;
    this.#triage = new SideThread(options);
    this.#health = new SideThread(options);
  }

  /** The last report, whatever its age; undefined before the first. */
  get latest(): Report | undefined {
    return this.#last?.report;
  }

  /** Patches of the last report; a cause that was there before keeps its own while they are made anew. */
  get searched(): Searched {
    return { patches: this.#searched.patches, isSearched: this.#last !== undefined && this.#searching === undefined };
  }

  /** A report that is new enough; everybody who asks meanwhile waits for the same one. */
  report(): Promise<Report> {
    const last = this.#last;
    if (last !== undefined && this.#desk.steady() - last.at < Math.max(FRESH, last.took * PATIENCE))
      return Promise.resolve(last.report);
    return (this.#running ??= this.#make().finally(() => {
      this.#running = undefined;
    }));
  }

  /** The last report at once, while a newer one is made; the first is waited for. */
  async soon(): Promise<Report> {
    const made = this.report();
    if (this.#last === undefined) return made;
    made.catch((error: unknown) => {
      this.#desk.report(`triage failed: ${error instanceof Error ? error.message : String(error)}`);
    });
    return this.#last.report;
  }

  async verdict(object: string, lua: string): Promise<HealthVerdict> {
    const answer = await this.#health.ask(
      (id) => ({ kind: 'health', id, object, lua, now: this.#desk.now() }),
      VERDICT_WITHIN,
    );
    if (!('verdict' in answer)) throw new Error('no verdict came');
    return answer.verdict;
  }

  close(): void {
    this.#triage.close();
    this.#health.close();
  }

  async #make(): Promise<Report> {
    await this.#searching;
    const begun = this.#desk.steady();
    const sink = this.#sink();
    await collectInto(this.#desk.cluster, sink);
    sink.flush();
    const answer = await this.#triage.ask((id) => ({ kind: 'triage', id, now: this.#desk.now() }), TRIAGE_WITHIN);
    if (!('report' in answer)) throw new Error('no report came');
    const now = this.#desk.steady();
    this.#last = { report: answer.report, at: now, took: now - begun };
    this.#searching = this.#search(answer.report)
      .catch((error: unknown) => {
        this.#desk.report(`patches could not be made: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => {
        this.#searching = undefined;
      });
    return answer.report;
  }

  /** The same causes and the same commits have the same patches. */
  async #search({ causes }: Report): Promise<void> {
    const refs = causes.some(({ confidence }) => confidence === 'sure')
      ? await this.#soonEnough(this.#desk.checkouts())
      : [];
    const key = searchKey(causes, refs);
    if (refs.length === 0 || key === this.#searched.key) {
      if (refs.length === 0) this.#searched = { key, patches: new Map() };
      this.#triage.tell({ kind: 'forget' });
      return;
    }
    // What takes too long once would take too long again.
    this.#searched = { key, patches: this.#searched.patches };
    const checkouts = await this.#desk.readCheckouts(refs);
    const answer = await this.#triage.ask(
      (id) => ({ kind: 'patches', id, checkouts, now: this.#desk.now() }),
      PATCHES_WITHIN,
    );
    if ('patches' in answer) this.#searched = { key, patches: answer.patches };
  }

  /** Servers that do not answer cost nobody more than this. */
  #soonEnough(refs: Promise<CheckoutRef[]>): Promise<CheckoutRef[]> {
    return new Promise((resolve, reject) => {
      const cancel = this.#desk.after(FIND_WITHIN, () => {
        resolve([]);
      });
      refs.then(resolve, reject).finally(cancel);
    });
  }

  #sink(): SnapshotSink & { flush(): void } {
    let [batch, from]: [KubeObject[], string] = [[], ''];
    const flush = (): void => {
      if (batch.length > 0) this.#triage.tell({ kind: 'objects', objects: batch, where: from });
      batch = [];
    };
    return {
      flush,
      add: (object, where) => {
        from = where;
        batch.push(object as KubeObject);
        if (batch.length >= BATCH) flush();
      },
      addLog: (log) => {
        this.#triage.tell({ kind: 'log', log });
      },
      listing: (listing) => {
        this.#triage.tell({ kind: 'listing', listing });
      },
      problem: (says) => {
        this.#triage.tell({ kind: 'problem', says });
      },
      loss: (says) => {
        this.#triage.tell({ kind: 'loss', says });
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
