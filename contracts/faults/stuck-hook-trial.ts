import { systemClock, watchKinds } from '../../src/cluster/index.js';
import { textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  APPLICATIONS,
  JOBS,
  NAMESPACES,
  NODES,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../src/model/resources/index.js';
import { isDelivery } from './api-call.js';
import { ApplicationHandle, CONTROL_NAMESPACE, readStatus, type ApplicationStatus } from './application.js';
import { KillableController, killPoints, plannedKills, reference, type KillPoint } from './killable-controller.js';
import { Lab } from './lab.js';
import type { Files, TestRepository } from './repository.js';
import { hookText, STUCK_REASONS, stuckFiles, TAINT, TAINTED, WORKS, type StuckReason } from './stuck-hook.js';

/** What ends the waiting. */
export const REMEDIES = ['fixed', 'removed', 'deleted by hand', 'terminated', 'superseded'] as const;
type Remedy = (typeof REMEDIES)[number];

/** One application of a round. */
export interface StuckTrial {
  readonly wrong: readonly string[];
  readonly reasonMs: number;
  /** From the remedy to the end, without the time in which no controller ran. */
  readonly endMs: number;
  readonly doubled: number;
}

export interface StuckRound {
  readonly trials: readonly StuckTrial[];
  readonly wrong: readonly string[];
  readonly boundaries: readonly string[];
  readonly points: readonly KillPoint[];
}

/** Rounds of each remedy with one kill. */
const SINGLE_KILLS = 4;
const NAMED_WITHIN = 60_000;
const ENDS_WITHIN = 10_000;
/** Longer than that nobody looks: the limit itself is judged afterwards. */
const GIVES_UP = 90_000;

/** An application that waits for its hook, and what was seen of it. */
interface Patient {
  readonly reason: StuckReason;
  readonly name: string;
  readonly handle: ApplicationHandle;
  readonly wrong: string[];
  /** Undefined until the reason is named. */
  reasonMs: number | undefined;
  remediedAt: number;
  endMs: number | undefined;
}

/** Applications whose hooks wait, one for each reason, on the embedded cluster, and a controller that is killed. */
export class StuckHookLab {
  #serial = 0;
  readonly #jobs = new Map<string, Set<string>>();
  readonly #starts = new Map<string, Set<string>>();
  readonly #reference = reference((remedy: Remedy) => this.#run(remedy, []));

  private constructor(
    readonly lab: Lab,
    readonly mortal: KillableController,
    readonly repository: TestRepository,
  ) {}

  static async open(): Promise<StuckHookLab> {
    const lab = await Lab.openEmbedded();
    try {
      const mortal = new KillableController(lab, await lab.createIdentity(), { counts: isDelivery });
      const repository = lab.repository();
      repository.commit({ 'empty.txt': '' });
      await lab.until('the tainted node is there', () => exists(lab, NODES, TAINTED));
      await lab.cluster.patch(NODES, { name: TAINTED }, { type: 'merge', body: { spec: { taints: [TAINT] } } });
      await mortal.running();
      await lab.until('Applications are served', () => lab.exists(APPLICATIONS));
      const made = new StuckHookLab(lab, mortal, repository);
      await made.#count();
      return made;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  /** Remedies take turns. In the first rounds of each there is one kill, later there are several at random. */
  async play(round: number, seed: number): Promise<StuckRound> {
    const remedy = REMEDIES[round % REMEDIES.length] ?? 'fixed';
    const { points } = await this.#reference(remedy);
    const turn = Math.floor(round / REMEDIES.length);
    return this.#run(remedy, plannedKills(points, turn < SINGLE_KILLS ? turn : points.length, seed));
  }

  /** Every Job and every start of an operation that ever was. */
  async #count(): Promise<void> {
    const fleet = watchKinds(this.lab.cluster, [JOBS, APPLICATIONS], {
      clock: systemClock,
      random: Math.random,
      report: () => undefined,
    });
    const add = (map: Map<string, Set<string>>, name: string, what: string): void => {
      map.set(name, (map.get(name) ?? new Set()).add(what));
    };
    fleet.subscribe((change) => {
      if (change.type === 'deleted') return;
      const { kind, metadata } = change.object;
      if (kind === 'Job') add(this.#jobs, metadata.namespace ?? '', metadata.uid ?? '');
      const started = textAt(change.object, 'status', 'operationState', 'startedAt');
      if (kind === 'Application' && started !== '') add(this.#starts, metadata.name ?? '', started);
    });
    this.lab.onClose(() => Promise.resolve(fleet.close()));
    await fleet.waitForSync(10_000);
  }

  async #run(remedy: Remedy, kills: readonly KillPoint[]): Promise<StuckRound> {
    const { mortal } = this;
    // A kill at the very last answer of the round before left none.
    await mortal.running();
    const serial = ++this.#serial;
    const patients = await this.#admit(serial);
    try {
      await this.#untilNamed(patients);
      mortal.seat.proxy.forget();
      const doom = mortal.arm(kills);
      await this.#treat(remedy, serial, patients);
      let [dead, killed, looked] = [0, 0, performance.now()];
      await mortal.until(
        doom,
        GIVES_UP,
        async () => {
          const seen = await this.#look(patients);
          const now = performance.now();
          if (doom.boundaries.length > killed) dead += now - looked;
          [killed, looked] = [doom.boundaries.length, now];
          for (const [patient, status] of seen)
            if (patient.endMs === undefined && isEnded(remedy, status, this.repository.head(branchOf(remedy, serial))))
              patient.endMs = now - patient.remediedAt - dead;
          return patients;
        },
        (all) => all.every(({ endMs }) => endMs !== undefined),
        async () => [...(await this.#look(patients))].map(([{ name }, seen]) => `${name}: ${seen.message}`).join('\n'),
      );
      mortal.disarm();
      const trials = await Promise.all(patients.map((patient) => this.#judge(remedy, patient)));
      const wrong = trials.flatMap((trial) => trial.wrong).map((line) => `${remedy}: ${line}`);
      return { trials, wrong, boundaries: doom.boundaries, points: killPoints(mortal.calls) };
    } finally {
      mortal.disarm();
      await this.#discharge(patients);
    }
  }

  async #admit(serial: number): Promise<Patient[]> {
    const { lab, repository } = this;
    const nameOf = ({ name }: StuckReason): string => `t${serial}-${name}`;
    repository.commit(Object.assign({}, ...STUCK_REASONS.map((reason) => stuckFiles(nameOf(reason), reason))) as Files);
    return Promise.all(
      STUCK_REASONS.map(async (reason) => {
        const name = nameOf(reason);
        await lab.cluster.create(NAMESPACES, {
          apiVersion: 'v1',
          kind: 'Namespace',
          metadata: { name, labels: { ...reason.namespaceLabels } },
        });
        await lab.until(`${name} has an account`, () => exists(lab, SERVICE_ACCOUNTS, 'default', name));
        for (const object of reason.given) await this.#give(object, name);
        const plan = { name, namespace: name, repoURL: repository.url, path: name };
        const handle = await ApplicationHandle.create(lab, {
          ...plan,
          automated: { prune: true },
          retry: { limit: 0 },
        });
        return { reason, name, handle, wrong: [], reasonMs: undefined, remediedAt: 0, endMs: undefined };
      }),
    );
  }

  async #give(object: KubeObject, namespace: string): Promise<void> {
    const plural = object.kind === 'ResourceQuota' ? 'resourcequotas' : 'persistentvolumeclaims';
    await this.lab.request('POST', `/api/v1/namespaces/${namespace}/${plural}`, object);
  }

  async #look(patients: readonly Patient[]): Promise<Map<Patient, ApplicationStatus>> {
    const { items } = await this.lab.cluster.list(APPLICATIONS, { namespace: CONTROL_NAMESPACE });
    const byName = new Map(items.map((each) => [each.metadata.name ?? '', each]));
    return new Map(patients.map((patient) => [patient, readStatus(byName.get(patient.name))]));
  }

  /** Nothing but the right reason is ever said, in the message and in the row of the hook. */
  async #untilNamed(patients: readonly Patient[]): Promise<void> {
    const begin = performance.now();
    await this.lab.until(
      'every reason is named',
      async () => {
        for (const [patient, { message, results }] of await this.#look(patients)) {
          const said = / since \S+?(: .*)$/.exec(message)?.[1];
          if (said === undefined || patient.reasonMs !== undefined) continue;
          const row = results.find((each) => textAt(each, 'kind') === 'Job');
          const isRight = patient.reason.says(patient.name).test(said);
          if (isRight && said.includes(textAt(row, 'message'))) patient.reasonMs = performance.now() - begin;
          else if (!isRight && !WORKS.test(said)) patient.wrong.push(`${patient.name} says ${said}`);
        }
        return patients.every(({ reasonMs, wrong }) => reasonMs !== undefined || wrong.length > 0);
      },
      NAMED_WITHIN,
    );
  }

  async #treat(remedy: Remedy, serial: number, patients: readonly Patient[]): Promise<void> {
    const { repository } = this;
    const branch = branchOf(remedy, serial);
    if (branch !== 'main') repository.setBranch(branch, repository.head());
    for (const patient of patients) patient.remediedAt = performance.now();
    if (remedy === 'deleted by hand' || remedy === 'terminated') {
      await Promise.all(patients.map((patient) => this.#end(remedy, patient)));
      return;
    }
    const files = Object.fromEntries(
      patients.map(({ name }) => [`${name}/hook.json`, remedy === 'removed' ? undefined : hookText(undefined)]),
    );
    repository.commit(files, branch);
    if (branch !== 'main')
      await Promise.all(patients.map(({ handle }) => handle.patch({ spec: { source: { targetRevision: branch } } })));
  }

  async #end(remedy: Remedy, patient: Patient): Promise<void> {
    const { cluster } = this.lab;
    patient.remediedAt = performance.now();
    if (remedy === 'terminated') {
      await patient.handle.patch({ status: { operationState: { phase: 'Terminating' } } });
      return;
    }
    const job = await cluster.get(JOBS, { namespace: patient.name, name: 'migrate' });
    await cluster.remove(
      JOBS,
      { namespace: patient.name, name: 'migrate' },
      { uid: job?.metadata.uid ?? '', propagation: 'Background' },
    );
  }

  async #judge(remedy: Remedy, { name, handle, wrong, reasonMs = 0, endMs = Infinity }: Patient): Promise<StuckTrial> {
    const isNext = remedy !== 'deleted by hand' && remedy !== 'terminated';
    const jobs = this.#jobs.get(name)?.size ?? 0;
    const wanted = isNext && remedy !== 'removed' ? 2 : 1;
    const starts = this.#starts.get(name)?.size ?? 0;
    const left = await this.lab.cluster.get(JOBS, { namespace: name, name: 'migrate' });
    const isLeft = left !== undefined;
    if (jobs !== wanted) wrong.push(`${name} made ${jobs} hooks, not ${wanted}`);
    if (starts !== (isNext ? 2 : 1)) wrong.push(`${name} began ${starts} operations`);
    if (isLeft !== (isNext && remedy !== 'removed'))
      wrong.push(`${name}: the hook is ${isLeft ? 'still there' : 'gone'}`);
    if (endMs > ENDS_WITHIN) wrong.push(`${name} ended ${Math.round(endMs)} ms after its remedy`);
    const { phase, message } = await handle.status();
    if (phase !== (isNext ? 'Succeeded' : 'Failed')) wrong.push(`${name} is ${phase}: ${message}`);
    return { wrong, reasonMs, endMs, doubled: Math.max(0, jobs - wanted) };
  }

  /** Nobody waits for what goes. */
  async #discharge(patients: readonly Patient[]): Promise<void> {
    const { cluster } = this.lab;
    for (const { name } of patients) {
      for (const [kind, id] of [
        [APPLICATIONS, { namespace: CONTROL_NAMESPACE, name }],
        [NAMESPACES, { name }],
      ] as const) {
        const found = await cluster.get(kind, id);
        if (found !== undefined)
          await cluster.remove(kind, id, { uid: found.metadata.uid ?? '', propagation: 'Background' });
      }
    }
  }
}

/** A superseded sync goes on with another branch; every other remedy stays on the same one. */
function branchOf(remedy: Remedy, serial: number): string {
  return remedy === 'superseded' ? `next-${serial}` : 'main';
}

function isEnded(remedy: Remedy, { phase, message, revision, sync }: ApplicationStatus, head: string): boolean {
  switch (remedy) {
    case 'deleted by hand':
      return phase === 'Failed' && message.includes('the hook was deleted before it completed');
    case 'terminated':
      return phase === 'Failed' && message === 'Operation terminated';
    default:
      return phase === 'Succeeded' && sync === 'Synced' && revision === head;
  }
}

async function exists(lab: Lab, kind: ResourceRef, name: string, namespace?: string): Promise<boolean> {
  return (await lab.cluster.get(kind, { name, ...(namespace === undefined ? {} : { namespace }) })) !== undefined;
}
