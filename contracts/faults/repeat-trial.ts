import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { isObject, own } from '../../src/model/json/index.js';
import { callText, isDelivery } from './api-call.js';
import { ApplicationHandle, isDone, statusText } from './application.js';
import { auditedText, isAcceptedWrite, isCreation, type Audited } from './audit-log.js';
import { Lab, type ControllerIdentity } from './lab.js';
import { giveAddress, hasAddress, notLive, Versions } from './simple-app.js';
import { CONFIG_MAPS, DEPLOYMENTS, SERVICES } from '../../src/model/resources/index.js';

export interface RepeatOutcome {
  readonly wrong: readonly string[];
  readonly lostReplies: number;
  /** Writes to delivered objects while nothing was to be done. */
  readonly repeatedWrites: number;
}

/** Operations that are done again, and answers that are lost after the server did what it was asked. */
export class RepeatLab {
  #application: ApplicationHandle | undefined;
  #serial = 0;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly versions: Versions,
  ) {}

  static async open(): Promise<RepeatLab> {
    const lab = await Lab.open();
    return new RepeatLab(lab, await lab.createIdentity(), new Versions(lab.repository(), 'app'));
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(seed: number): Promise<RepeatOutcome> {
    const application = (this.#application ??= await this.#begin());
    const random = seededRandom(seed);
    const lost = await this.#loseReply(application, 1 + random.integer(8));
    const repeated = await this.#repeat(application);
    return { wrong: [...lost.wrong, ...repeated.wrong], lostReplies: lost.count, repeatedWrites: repeated.writes };
  }

  /** The n-th write of a sync is done, and its answer never comes. */
  async #loseReply(application: ApplicationHandle, nth: number): Promise<{ wrong: string[]; count: number }> {
    const revision = this.versions.commit();
    const mark = (await this.lab.settle(0)).length;
    let count = 0;
    let lost = '';
    this.seat.proxy.decide = (call) => {
      if (!isDelivery(call) || ++count !== nth) return { kind: 'none' };
      lost = callText(call);
      return { kind: 'reset', when: 'after' };
    };
    const by = await this.#sync(application, revision);
    this.seat.proxy.decide = () => ({ kind: 'none' });
    const shown = await application.status();
    const wrong: string[] = [];
    if (shown.phase !== 'Succeeded' || shown.by !== by)
      wrong.push(`after the answer to "${lost}" was lost: ${statusText(shown)}`);
    wrong.push(
      ...(await notLive(this.lab, 'repeat', this.versions.newest, this.versions.newest)).map(
        (line) => `after the answer to "${lost}" was lost: ${line}`,
      ),
    );
    const audited = this.#delivered(await this.lab.settle(mark));
    for (const [object, changes] of changesOf(audited))
      if (changes > 1)
        wrong.push(`${object} was changed ${changes} times by one sync after the answer to "${lost}" was lost`);
    return { wrong, count: lost === '' ? 0 : 1 };
  }

  /** The same operation again: nothing changes, nothing is made. */
  async #repeat(application: ApplicationHandle): Promise<{ wrong: string[]; writes: number }> {
    const before = await this.#resourceVersions();
    const mark = (await this.lab.settle(0)).length;
    const by = await this.#sync(application);
    const shown = await application.status();
    const after = await this.#resourceVersions();
    const audited = this.#delivered(await this.lab.settle(mark));
    const wrong = [...before]
      .filter(([object, version]) => after.get(object) !== version)
      .map(([object]) => `${object} was changed by an operation that had nothing to do`);
    wrong.push(...audited.filter(isCreation).map((each) => `made again: ${auditedText(each)}`));
    if (shown.phase !== 'Succeeded' || shown.by !== by) wrong.push(`the same operation again: ${statusText(shown)}`);
    return { wrong, writes: audited.length };
  }

  async #sync(application: ApplicationHandle, revision = this.versions.repository.head()): Promise<string> {
    const by = `trial-${++this.#serial}`;
    await application.sync(by, { revision });
    await application.until('the sync ends', (shown) => shown.by === by && isDone(shown), 60_000);
    return by;
  }

  async #begin(): Promise<ApplicationHandle> {
    const { lab, versions } = this;
    versions.commit();
    await lab.startController(this.seat);
    await lab.namespace('repeat');
    const application = await ApplicationHandle.create(lab, {
      name: 'repeat',
      namespace: 'repeat',
      repoURL: versions.repository.url,
      path: 'app',
    });
    await application.sync('first');
    await lab.until(
      'the Service is there',
      async () => (await lab.cluster.get(SERVICES, { namespace: 'repeat', name: 'web' })) !== undefined,
    );
    if (!(await hasAddress(lab, 'repeat'))) await giveAddress(lab, 'repeat');
    await application.until('the first sync ends', (shown) => shown.by === 'first' && isDone(shown));
    return application;
  }

  #delivered(audited: readonly Audited[]): Audited[] {
    return audited.filter(
      (each) =>
        each.user === this.seat.user &&
        each.namespace === 'repeat' &&
        each.resource !== 'events' &&
        isAcceptedWrite(each),
    );
  }

  async #resourceVersions(): Promise<Map<string, string>> {
    const lists = await Promise.all(
      [CONFIG_MAPS, SERVICES, DEPLOYMENTS].map(
        async (kind) => (await this.lab.cluster.list(kind, { namespace: 'repeat' })).items,
      ),
    );
    // A Deployment's own controller writes its status; only what git says is looked at there.
    return new Map(
      lists
        .flat()
        .map(({ kind, metadata }) => [
          `${kind}/${metadata.name ?? ''}`,
          kind === 'Deployment' ? String(metadata.generation) : (metadata.resourceVersion ?? ''),
        ]),
    );
  }
}

/** How many different versions of each ConfigMap came out of writes. */
function changesOf(audited: readonly Audited[]): Map<string, number> {
  const versions = new Map<string, Set<unknown>>();
  for (const { resource, name, response } of audited) {
    if (resource !== 'configmaps' || !isObject(response?.metadata)) continue;
    const key = `${resource}/${name}`;
    const seen = versions.get(key) ?? new Set();
    seen.add(own(response.metadata, 'resourceVersion'));
    versions.set(key, seen);
  }
  return new Map([...versions].map(([key, seen]) => [key, seen.size]));
}
