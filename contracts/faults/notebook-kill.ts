import { mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject, type JsonObject } from '../../src/model/json/index.js';
import type { ApiCall } from './api-call.js';
import type { Damage } from './api-proxy.js';
import { ApplicationHandle, CONTROL_NAMESPACE } from './application.js';
import type { Audited } from './audit-log.js';
import { Lab, type ControllerIdentity } from './lab.js';
import {
  killPoints,
  KillableController,
  plannedKills,
  reference,
  type KillSchedule,
  type KillPoint,
} from './killable-controller.js';
import { verifyNotebookLife, readLifeState, missingIn, type LifeState } from './verify-notebook-life.js';
import { initiatorOf, hasApplication, jobOf, lifeFiles, LIVES, refOf, type NotebookLife } from './notebook-life.js';
import { NotebookPlayer } from './notebook-player.js';
import type { TestRepository } from './repository.js';
import { findFakeTime, WallClock } from './wall-clock.js';
import {
  BUILDS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  IMAGE_STREAMS,
  NOTEBOOK_VALIDATION_JOBS,
  PODS,
  REPLICA_SETS,
  ROLES,
  ROLE_BINDINGS,
} from '../../src/model/resources/index.js';

export interface NotebookKillPlan {
  readonly life: NotebookLife;
  readonly kills: readonly KillPoint[];
}

export interface NotebookKillOutcome {
  readonly wrong: readonly string[];
  readonly boundaries: readonly string[];
  readonly ms: number;
}

const DONE_WITHIN = 90_000;
const WORLD = resolve(import.meta.dirname, '../../world/controllers');

/**
 * Controllers that are killed while notebooks run; what they do is counted in the API server's audit log and on what
 * they do it to.
 */
export class NotebookKillLab {
  #serial = 0;
  #ahead = 0;
  readonly #mortal: KillableController;
  readonly #reference = reference((life: NotebookLife) => this.#run({ life, kills: [] }));

  private constructor(
    readonly lab: Lab,
    seat: ControllerIdentity,
    readonly player: NotebookPlayer,
    readonly repository: TestRepository,
    readonly clock: WallClock | undefined,
  ) {
    this.#mortal = new KillableController(lab, seat, {
      counts: (call) => this.#isOurs(call),
      otherwise: (call) => this.#logOf(call),
      ...(clock === undefined ? {} : { environment: clock.environment }),
    });
  }

  static async open(): Promise<NotebookKillLab> {
    const lab = await Lab.open();
    try {
      for (const operator of ['openshift-build', 'openshift-image'])
        await lab.define(join(WORLD, operator, 'crds.yaml'));
      for (const kind of [NOTEBOOK_VALIDATION_JOBS, BUILDS, IMAGE_STREAMS])
        await lab.until(`${kind.plural} are served`, () => lab.exists(kind));
      await lab.cluster.create(ROLES, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'sync', namespace: CONTROL_NAMESPACE },
        rules: [{ apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['patch'] }],
      });
      const repository = lab.repository();
      repository.commit(lifeFiles());
      const library = findFakeTime();
      const clock = library === undefined ? undefined : new WallClock(mkdtempSync(join(lab.dir, 'clock-')), library);
      return new NotebookKillLab(lab, await lab.createIdentity(), await NotebookPlayer.start(lab), repository, clock);
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Without libfaketime nobody can wait for another attempt. */
  get lives(): readonly NotebookLife[] {
    return LIVES.filter(({ attempts, runs }) => this.clock !== undefined || attempts.length <= runs);
  }

  /**
   * Lives take turns until each was killed once at every call that it makes; then they are killed several times, at
   * random.
   */
  async plan(index: number, seed: number): Promise<NotebookKillPlan> {
    for (let turn = 0, left = index; ; turn++) {
      const lives = turn === 0 ? this.lives : await this.#unfinished(turn);
      const life = lives[left];
      if (life !== undefined) return { life, kills: plannedKills((await this.#reference(life)).points, turn, seed) };
      left -= lives.length;
    }
  }

  /** Lives with calls that nobody was killed at in so many turns; all of them where there is none. */
  async #unfinished(turn: number): Promise<readonly NotebookLife[]> {
    const unfinished: NotebookLife[] = [];
    for (const life of this.lives) if (turn < (await this.#reference(life)).points.length) unfinished.push(life);
    return unfinished.length === 0 ? this.lives : unfinished;
  }

  async play(plan: NotebookKillPlan): Promise<NotebookKillOutcome> {
    const begin = performance.now();
    const { wrong, boundaries } = await this.#run(plan);
    return { wrong, boundaries, ms: performance.now() - begin };
  }

  async #run({
    life,
    kills,
  }: NotebookKillPlan): Promise<{ wrong: string[]; boundaries: readonly string[]; points: readonly KillPoint[] }> {
    const { lab, player } = this;
    const mortal = this.#mortal;
    await mortal.running();
    const namespace = await lab.namespace(`notebook-${++this.#serial}`);
    player.lives.set(`${namespace}/train`, life);
    const application = await this.#stage(life, namespace);
    const mark = (await lab.settle(0)).length;
    mortal.seat.proxy.forget();
    const doom = mortal.arm(kills);
    for (let run = 1; run <= life.runs; run++) {
      await this.#begin(life, namespace, run, application);
      await this.#finish(life, namespace, run, doom);
    }
    mortal.disarm();
    const audited = (await lab.settle(mark)).filter((each) => isOf(each, namespace, mortal.seat.user));
    const wrong = await verifyNotebookLife(lab, life, {
      namespace,
      audited,
      noted: player.noted.get(`${namespace}/train`) ?? [],
    });
    const points = killPoints(mortal.calls);
    await this.#clear(namespace, application);
    return {
      wrong: wrong.map((line) => `${life.name}: ${line} [killed at ${doom.boundaries.join('; ')}]`),
      boundaries: doom.boundaries,
      points,
    };
  }

  /** The job is made or changed, by whoever does that in such a life. */
  async #begin(
    life: NotebookLife,
    namespace: string,
    run: number,
    application: ApplicationHandle | undefined,
  ): Promise<void> {
    const { lab, repository } = this;
    if (life.isDelivered) {
      if (run > 1) repository.commit(lifeFiles(run), namespace);
      await application?.sync(initiatorOf(run));
    } else if (run === 1) await lab.cluster.create(NOTEBOOK_VALIDATION_JOBS, jobOf(life, namespace));
    else
      await lab.cluster.patch(
        NOTEBOOK_VALIDATION_JOBS,
        { namespace, name: 'train' },
        { type: 'merge', body: { spec: { notebook: { git: { ref: refOf(run) } } } } },
      );
  }

  /** What the triggers are about, and the Application. */
  async #stage(life: NotebookLife, namespace: string): Promise<ApplicationHandle | undefined> {
    if (life.triggers === 'restart') await this.#stageWorkloads(namespace);
    if (!hasApplication(life)) return undefined;
    const { lab, repository } = this;
    repository.setBranch(namespace, repository.head());
    const application = await ApplicationHandle.create(lab, {
      name: namespace,
      namespace,
      repoURL: repository.url,
      path: life.isDelivered ? 'waves' : 'served',
      revision: namespace,
    });
    await application.until('it was compared', ({ sync }) => sync !== '');
    if (life.isDelivered) return application;
    await lab.cluster.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'told', namespace },
    });
    await lab.cluster.create(ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: namespace, namespace: CONTROL_NAMESPACE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'sync' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    });
    return application;
  }

  async #stageWorkloads(namespace: string): Promise<void> {
    const { lab } = this;
    const spec = (app: string, replicas: number): JsonObject => ({
      replicas,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    });
    await lab.cluster.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: spec('rolled', 0),
    });
    await lab.cluster.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'served', namespace },
      spec: spec('served', 1),
    });
    await lab.until(
      'a pod is served',
      async () => (await lab.cluster.list(PODS, { namespace, labelSelector: 'app=served' })).items.length === 1,
    );
  }

  async #finish(life: NotebookLife, namespace: string, run: number, doom: KillSchedule): Promise<void> {
    const look = async (): Promise<LifeState> => {
      const seen = await readLifeState(this.lab, life, namespace);
      await this.#letTimePass(namespace, seen);
      return seen;
    };
    await this.#mortal.until(
      doom,
      DONE_WITHIN,
      look,
      (seen) => missingIn(life, run, seen) === '',
      (seen) =>
        `${life.name} [killed at ${doom.boundaries.join('; ')}]: ${missingIn(life, run, seen)}; ` +
        JSON.stringify(seen.job?.status),
    );
  }

  /** Where an attempt waits for its time, that time comes; whoever sleeps is woken by a change of the job. */
  async #letTimePass(namespace: string, { job }: LifeState): Promise<void> {
    const next = isObject(job?.status) ? job.status.nextRetryTime : undefined;
    if (this.clock === undefined || typeof next !== 'string') return;
    const wanted = Math.ceil((Date.parse(next) - Date.now()) / 1000) + 1;
    if (wanted > this.#ahead) this.clock.set(`+${(this.#ahead = wanted)}`);
    await this.lab.cluster.patch(
      NOTEBOOK_VALIDATION_JOBS,
      { namespace, name: 'train' },
      { type: 'merge', body: { metadata: { annotations: { 'faults.argosy.dev/woken': String(performance.now()) } } } },
    );
  }

  async #clear(namespace: string, application: ApplicationHandle | undefined): Promise<void> {
    const { lab } = this;
    await application?.remove();
    if (this.repository.has(namespace)) this.repository.setBranch(namespace, undefined);
    const job = await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace, name: 'train' });
    if (job !== undefined)
      await lab.cluster.remove(
        NOTEBOOK_VALIDATION_JOBS,
        { namespace, name: 'train' },
        { uid: job.metadata.uid ?? '', propagation: 'Background' },
      );
  }

  /**
   * Everything that the operator asks of the server for the job of this trial, and whatever is asked about its
   * Application.
   */
  #isOurs({ verb, namespace, resource, name }: ApiCall): boolean {
    const current = `notebook-${this.#serial}`;
    if (verb === 'watch' || verb === 'discovery') return false;
    return (
      namespace === current ||
      resource === 'subjectaccessreviews' ||
      (namespace === CONTROL_NAMESPACE && resource === 'applications' && name === current)
    );
  }

  /** There is no node that the server could ask for a log. */
  #logOf(call: ApiCall): Damage {
    if (call.resource !== 'pods' || call.subresource !== 'log') return { kind: 'none' };
    return { kind: 'answer', status: 200, headers: { 'content-type': 'text/plain' }, body: this.player.log(call.name) };
  }
}

function isOf({ user, namespace, resource, name }: Audited, ours: string, controller: string): boolean {
  return user === controller && (namespace === ours || (resource === 'applications' && name === ours));
}
