import { readFileSync } from 'node:fs';
import { isObject, writeJson } from '../../src/model/json/index.js';
import { ApplicationHandle } from './application.js';
import type { ControllerProcess } from './controller-process.js';
import { Lab } from './lab.js';
import { jobOf, LIVES } from './notebook-life.js';
import { NotebookPlayer } from './notebook-player.js';
import type { TestRepository } from './repository.js';
import { CONFIG_MAPS, NOTEBOOK_VALIDATION_JOBS } from '../../src/model/resources/index.js';

export interface CrowdPlan {
  readonly jobs: number;
  /** Jobs that run before them, to compare the memory with. */
  readonly few: number;
  /** Notebooks that may run at a time. */
  readonly most: number;
}

export interface CrowdOutcome {
  readonly wrong: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

const WITHIN = 300_000;
const DELIVERED_WITHIN = 60_000;
const WAITING = 'Waiting: the limit of concurrent notebooks is reached';
/** So many times a share of the notebooks ends while a commit is delivered: no more may end before it is. */
const ROUNDS = 4;
const MEGABYTE = 1024;
/**
 * Jobs in a cache cost something: 200 of them with their pods are a few megabytes, the rest is what a collector leaves
 * lying about.
 */
const MORE_MEGABYTES = 128;

/** Many notebooks at once on one controller, which delivers an Application meanwhile. */
export class NotebookCrowd {
  #version = 0;

  private constructor(
    readonly lab: Lab,
    readonly player: NotebookPlayer,
    readonly controller: ControllerProcess,
    readonly repository: TestRepository,
    readonly plan: CrowdPlan,
  ) {}

  static async open(plan: CrowdPlan): Promise<NotebookCrowd> {
    const lab = await Lab.open({ audit: false });
    try {
      await lab.until('notebooks are served', () => lab.exists(NOTEBOOK_VALIDATION_JOBS));
      const [player, seat] = [await NotebookPlayer.start(lab), await lab.createIdentity()];
      // There is no node that the server could ask for a log.
      seat.proxy.decide = (call) =>
        call.subresource === 'log'
          ? { kind: 'answer', status: 200, headers: { 'content-type': 'text/plain' }, body: player.log(call.name) }
          : { kind: 'none' };
      const controller = await lab.launchController(seat, [], { ARGOSY_NOTEBOOK_PODS: String(plan.most) });
      await controller.ready();
      return new NotebookCrowd(lab, player, controller, lab.repository(), plan);
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(log: (line: string) => void): Promise<CrowdOutcome> {
    const { jobs, few, most } = this.plan;
    await this.#create('few', few);
    await this.lab.until('the few have ended', () => this.#ended('few') === few, WITHIN, 50);
    const before = this.#peak();
    const wrong: string[] = [];
    this.player.letEnd(0);
    await this.#create('many', jobs);
    await this.lab.until(
      'as many run as may, and all others wait',
      async () => this.player.running.size === most && (await this.#waiting()) === jobs - most,
      WITHIN,
      200,
    );
    log(`${most} notebooks run, ${jobs - most} wait`);
    const application = await this.#deliverWhileAllWait();
    if (this.#ended('many') > 0) wrong.push('a notebook ended although none could');
    const between = await this.#deliverWhileTheyEnd(application, log);
    const after = this.#peak();
    wrong.push(...this.#judge(between, after - before));
    return {
      wrong,
      figures: {
        notebooks: jobs,
        'most at a time': this.player.mostRunning,
        'commits delivered meanwhile': between.length,
        'most notebooks ended between commit and delivery': Math.max(0, ...between),
        [`peak megabytes with ${few}`]: Math.round(before),
        [`peak megabytes with ${jobs}`]: Math.round(after),
      },
    };
  }

  #judge(between: readonly number[], grown: number): string[] {
    const { jobs, most } = this.plan;
    return [
      ...(this.player.mostRunning === most ? [] : [`${this.player.mostRunning} notebooks ran at a time, not ${most}`]),
      ...between
        .filter((count) => count > Math.ceil(jobs / ROUNDS))
        .map((count) => `${count} notebooks ended before a commit was delivered`),
      ...(grown <= MORE_MEGABYTES ? [] : [`memory grew by ${Math.round(grown)} MB, ${MORE_MEGABYTES} are allowed`]),
    ];
  }

  async #create(namespace: string, count: number): Promise<void> {
    const [life] = LIVES;
    if (life === undefined) throw new Error('there are no lives');
    await this.lab.namespace(namespace);
    const job = jobOf({ ...life, triggers: 'none' }, namespace);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.lab.cluster.create(NOTEBOOK_VALIDATION_JOBS, { ...job, metadata: { ...job.metadata, name: `n${index}` } }),
      ),
    );
  }

  /** Nothing moves but the delivery. */
  async #deliverWhileAllWait(): Promise<ApplicationHandle> {
    const { lab, repository } = this;
    await lab.namespace('shop');
    this.#commit();
    const application = await ApplicationHandle.create(lab, {
      name: 'shop',
      namespace: 'shop',
      repoURL: repository.url,
      path: 'app',
      automated: {},
    });
    await this.#delivered();
    await this.#commitAndDeliver(application);
    return application;
  }

  /**
   * Each commit must arrive although no more than a share of the notebooks may end meanwhile; how many did during each
   * delivery.
   */
  async #deliverWhileTheyEnd(application: ApplicationHandle, log: (line: string) => void): Promise<number[]> {
    const { jobs } = this.plan;
    const between: number[] = [];
    for (let left = jobs; left > 0; ) {
      const share = Math.min(left, Math.ceil(jobs / ROUNDS));
      this.player.letEnd(share);
      await this.#commitAndDeliver(application);
      between.push(this.#ended('many') - (jobs - left));
      log(`a commit after the end of ${jobs - left} notebooks was delivered after the end of ${this.#ended('many')}`);
      left -= share;
      await this.lab.until(`all but ${left} have ended`, () => this.#ended('many') === jobs - left, WITHIN, 50);
    }
    return between;
  }

  async #commitAndDeliver(application: ApplicationHandle): Promise<void> {
    // Who asks while an earlier wish is being granted asks for the same.
    await application.refreshed(DELIVERED_WITHIN);
    this.#commit();
    await application.refresh();
    await this.#delivered();
  }

  #commit(): void {
    this.repository.commit({
      'app/map.json':
        writeJson({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'version' },
          data: { version: String(++this.#version) },
        }) + '\n',
    });
  }

  async #delivered(): Promise<void> {
    await this.lab.until(
      `version ${this.#version} is delivered`,
      async () => {
        const data = (await this.lab.cluster.get(CONFIG_MAPS, { namespace: 'shop', name: 'version' }))?.data;
        return isObject(data) && data.version === String(this.#version);
      },
      DELIVERED_WITHIN,
      20,
    );
  }

  async #waiting(): Promise<number> {
    return (await this.lab.cluster.list(NOTEBOOK_VALIDATION_JOBS, { namespace: 'many' })).items.filter(
      ({ status }) => isObject(status) && status.message === WAITING,
    ).length;
  }

  #ended(namespace: string): number {
    return [...this.player.noted].filter(
      ([key, noted]) => key.startsWith(`${namespace}/`) && noted.at(-1)?.phase === 'Succeeded',
    ).length;
  }

  /** The most memory that the controller ever had, in megabytes. */
  #peak(): number {
    const [, kilobytes = '0'] =
      /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${this.controller.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / MEGABYTE;
  }
}
