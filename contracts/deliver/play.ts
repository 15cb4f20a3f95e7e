import { setTimeout as delay } from 'node:timers/promises';
import { pollDelays } from '../harness/poll-delays.js';
import { isArray, isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';
import { objectName, type Api, type ObjectName } from './api.js';
import type { Case, Expectation, CaseStep, CaseSync } from './case.js';
import type { DeliverCluster } from './clusters.js';
import { project, writeSettings, type Controller } from './controller.js';
import { GitRepository } from '../harness/git-repository.js';
import { valueIn, findObject, compareWithExpectation, type CaseTarget } from './compare-with-expectation.js';

/** Twice as long as Argo CD's own tests wait for what they expect: they have a machine of their own. */
const WITHIN = 40_000;
/** How long something that must not happen is given to happen. */
const STEADY = 1_500;
const AGAIN = 40;

/** Plays one case; throws with the step and with what is different. */
export async function playCase(cluster: DeliverCluster, controller: Controller, one: Case, id: string): Promise<void> {
  const repository = await GitRepository.open(one.root, one.folders, cluster.rewrite);
  if (one.served) await repository.serve();
  const player = new Player(cluster.api, controller.namespace, one, id, repository);
  try {
    await player.prepare();
    for (const [index, step] of one.steps.entries()) {
      await player.play(step).catch((error: unknown) => {
        const what = error instanceof Error ? error.message : String(error);
        throw new Error(`step ${index + 1} of ${one.steps.length} (${Object.keys(step).join(', ')}): ${what}`, {
          cause: error,
        });
      });
    }
  } finally {
    await player.clear();
    await repository.close();
  }
}

class Player {
  readonly #api: Api;
  readonly #place: CaseTarget;
  readonly #words: Map<string, string>;
  readonly #folder: string;
  #isCreated = false;

  constructor(
    api: Api,
    private readonly control: string,
    private readonly one: Case,
    id: string,
    private readonly repository: GitRepository,
  ) {
    this.#api = api;
    const app: ObjectName = { kind: 'Application', group: 'argoproj.io', namespace: control, name: id };
    this.#place = { api, app, namespace: `${id}-ns` };
    this.#folder = one.folders[0] ?? '.';
    this.#words = new Map([
      ['NS', this.#place.namespace],
      ['APP', id],
      ['REPO', repository.url],
      ['CONTROL', control],
      ['PATH', this.#folder],
    ]);
  }

  async prepare(): Promise<void> {
    await this.#api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#place.namespace } }, '');
    // Pods are refused until their account is there.
    await this.#wait(
      'the service account default',
      async () =>
        (await this.#api.get({ kind: 'ServiceAccount', namespace: this.#place.namespace, name: 'default' })) !==
        undefined,
    );
    if (this.one.project !== undefined)
      await this.#api.create(project(this.#place.app.name, this.#fill(this.one.project)), this.control);
    for (const object of this.one.given) await this.#api.create(this.#fill(object), this.#place.namespace);
  }

  async play(step: CaseStep): Promise<void> {
    if (step.write !== undefined)
      return this.repository.write(this.#file(step.write.file), this.#text(step.write.text));
    if (step.patch !== undefined)
      return this.repository.patch(this.#file(step.patch.file), this.#fill(step.patch.with));
    if (step.remove !== undefined) return this.repository.remove(this.#file(step.remove));
    if (step.repository !== undefined) return this.repository.move(step.repository);
    const head = await this.repository.commit();
    this.#words.set('HEAD', head).set('SHORT', head.slice(0, 7));
    await this.#playOnCluster(step);
  }

  async #playOnCluster(step: CaseStep): Promise<void> {
    const { app, namespace } = this.#place;
    if (step.create !== undefined) await this.#create(isObject(step.create) ? step.create : {});
    if (step.edit !== undefined)
      await this.#api.patch(app, this.#fill(step.edit), isArray(step.edit) ? 'json' : 'merge');
    if (step.settings !== undefined)
      for (const [name, data] of Object.entries(step.settings))
        await writeSettings(this.#api, this.control, name, data);
    if (step.project !== undefined)
      await this.#api.patch(
        { kind: 'AppProject', namespace: this.control, name: app.name },
        { spec: this.#fill(step.project) },
      );
    if (step.make !== undefined) await this.#api.create(this.#fill(step.make), namespace, step.manager);
    if (step.change !== undefined) await this.#change(step.change);
    if (step.drop !== undefined) await this.#api.delete(objectName(this.#text(step.drop), namespace));
    if (step.deletion !== undefined) await this.#deletion(step.deletion);
    if (step.refresh !== undefined) await this.#refresh(step.refresh);
    if (step.sync !== undefined) await this.#sync(step.sync);
    if (step.terminate === true) await this.#api.patch(app, { status: { operationState: { phase: 'Terminating' } } });
    if (step.confirm === true)
      await this.#api.patch(app, {
        metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': new Date().toISOString() } },
      });
    if (step.delete !== undefined) await this.#delete(step.delete);
    if (step.remember !== undefined) await this.#remember(step.remember);
    if (step.expect !== undefined) await this.#until(step.expect);
    if (step.steady !== undefined) await this.#steady(step.steady);
  }

  async #create(more: JsonObject): Promise<void> {
    const given = this.#fill(this.one.app);
    const spec = isObject(given.spec) ? given.spec : given;
    const source =
      spec.sources === undefined
        ? { repoURL: this.repository.url, path: this.#folder, ...(isObject(spec.source) ? spec.source : {}) }
        : undefined;
    const metadata = isObject(given.metadata) ? given.metadata : {};
    await this.#api.create(
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { ...metadata, name: this.#place.app.name },
        spec: {
          project: this.one.project === undefined ? 'default' : this.#place.app.name,
          destination: { server: 'https://kubernetes.default.svc', namespace: this.#place.namespace },
          ...spec,
          ...(source && { source }),
        },
        ...this.#fill(more),
      },
      this.control,
    );
    this.#isCreated = true;
  }

  async #change({ object, merge, json, apply, status }: NonNullable<CaseStep['change']>): Promise<void> {
    const name = objectName(this.#text(object), this.#place.namespace);
    const more = status === true ? '/status' : '';
    if (merge !== undefined) await this.#api.patch(name, this.#fill(merge), 'merge', more);
    if (json !== undefined) await this.#api.patch(name, this.#fill(json), 'json', more);
    if (apply !== undefined)
      await this.#api.patch(name, this.#fill(apply), 'apply', '?fieldManager=somebody&force=true');
  }

  async #deletion({ of, isRefused }: NonNullable<CaseStep['deletion']>): Promise<void> {
    const name = objectName(this.#text(of), this.#place.namespace);
    await this.#wait(
      `the deletion of ${of} is ${isRefused ? 'refused' : 'allowed'}`,
      async () => (await this.#api.refusesDeletion(name)) === isRefused,
    );
  }

  /** The annotation goes when the refresh is done. */
  async #refresh(kind: 'normal' | 'hard'): Promise<void> {
    await this.#api.patch(this.#place.app, { metadata: { annotations: { 'argocd.argoproj.io/refresh': kind } } });
    await this.#wait('the refresh is done', async () => {
      const app = await this.#api.get(this.#place.app);
      return valueIn(app, 'metadata', 'annotations', 'argocd.argoproj.io/refresh') === undefined;
    });
  }

  /** Asks as `argocd app sync` does: source, options and retries of the Application go into the operation. */
  async #sync(step: CaseSync): Promise<void> {
    const app = await this.#api.get(this.#place.app);
    const before = valueIn(app, 'status', 'operationState', 'startedAt');
    const operation = step.operation === undefined ? operationOf(step, valueIn(app, 'spec')) : step.operation;
    // Times have whole seconds: an operation that starts in the second of the one before could not be told apart.
    if (typeof before === 'string') await delay(Math.max(0, Date.parse(before) + 1_000 - Date.now()));
    await this.#api.patch(this.#place.app, { operation: this.#fill(operation) });
    if (step.async === true) return;
    await this.#wait('the operation ends', async () => {
      const now = await this.#api.get(this.#place.app);
      const state = valueIn(now, 'status', 'operationState');
      return (
        now?.operation === undefined &&
        valueIn(state, 'finishedAt') !== undefined &&
        valueIn(state, 'startedAt') !== before &&
        valueIn(state, 'phase') !== 'Running'
      );
    });
  }

  async #delete(how: 'foreground' | 'background' | 'no cascade'): Promise<void> {
    const app = await this.#api.get(this.#place.app);
    // Deletions have whole seconds: an approval of the same second would count for this one too.
    const approved = valueIn(app, 'metadata', 'annotations', 'argocd.argoproj.io/deletion-approved');
    if (typeof approved === 'string') await delay(Math.max(0, Date.parse(approved) + 1_000 - Date.now()));
    const finalizers = valueIn(app, 'metadata', 'finalizers');
    const others = isArray(finalizers)
      ? finalizers.filter((one) => !String(one).startsWith('resources-finalizer.argocd.argoproj.io'))
      : [];
    const cascade =
      how === 'no cascade'
        ? []
        : [
            how === 'background'
              ? 'resources-finalizer.argocd.argoproj.io/background'
              : 'resources-finalizer.argocd.argoproj.io',
          ];
    await this.#api.patch(this.#place.app, { metadata: { finalizers: [...others, ...cascade] } });
    await this.#api.delete(this.#place.app);
  }

  async #remember(words: Readonly<Record<string, string>>): Promise<void> {
    for (const [word, text] of Object.entries(words)) {
      const [object = '', path = ''] = this.#text(text).split(' ');
      const found =
        object === 'app'
          ? await this.#api.get(this.#place.app)
          : await findObject(this.#api, objectName(object, this.#place.namespace));
      const value = valueIn(found, ...path.split('.'));
      if (value === undefined) throw new Error(`${text} is not there to be remembered`);
      this.#words.set(word, String(value));
      if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value))
        this.#words.set(`${word}Seconds`, String(Date.parse(value) / 1_000));
    }
  }

  async #until(expected: Expectation): Promise<void> {
    const wanted = this.#fill(expected as Json) as Expectation;
    const deadline = Date.now() + WITHIN;
    for (;;) {
      const wrong = await compareWithExpectation(this.#place, wanted);
      if (wrong.length === 0) return;
      if (Date.now() > deadline) throw new Error(wrong.join('\n  '));
      await delay(AGAIN);
    }
  }

  async #steady(expected: Expectation): Promise<void> {
    await this.#until(expected);
    const wanted = this.#fill(expected as Json) as Expectation;
    for (const end = Date.now() + STEADY, next = pollDelays(); Date.now() < end; await next()) {
      const wrong = await compareWithExpectation(this.#place, wanted);
      if (wrong.length > 0) throw new Error(`it did not stay so: ${wrong.join('\n  ')}`);
    }
  }

  async #wait(what: string, isDone: () => Promise<boolean>, about = this.#place.app): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      if (await isDone()) return;
      const { status } = Date.now() > end ? ((await this.#api.get(about)) ?? {}) : {};
      if (Date.now() > end)
        throw new Error(
          `not within ${WITHIN / 1000} s: ${what}: ${JSON.stringify(valueIn(status, 'operationState') ?? status)}`,
        );
    }
  }

  /** Leaves nothing behind that another case could meet; what only takes its time is not waited for. */
  async clear(): Promise<void> {
    const { app, namespace } = this.#place;
    if (this.#isCreated && (await this.#api.get(app)) !== undefined) {
      await this.#api.patch(app, { metadata: { finalizers: null } }).catch(() => undefined);
      await this.#api.delete(app);
    }
    for (const text of this.one.shared) {
      const name = objectName(this.#text(text), namespace);
      await this.#api.delete(name);
      await this.#wait(`${text} is gone`, async () => (await this.#api.get(name)) === undefined, name);
    }
    await this.#api.delete({ kind: 'Namespace', name: namespace });
  }

  #file(name: string): string {
    return name.startsWith('/') ? name.slice(1) : `${this.#folder}/${name}`;
  }

  /** Fills in `${WORD}` everywhere in texts and keys. */
  #fill<T extends Json>(value: T): T {
    const filled = (inner: Json): Json => {
      if (typeof inner === 'string') return this.#text(inner);
      if (isArray(inner)) return inner.map(filled);
      if (!isObject(inner)) return inner;
      const copy: JsonObject = {};
      for (const key of Object.keys(inner)) put(copy, this.#text(key), filled(own(inner, key) ?? null));
      return copy;
    };
    return filled(value) as T;
  }

  #text(text: string): string {
    return text.replaceAll(/\$\{([A-Za-z]\w*)\}/g, (whole, word: string) => this.#words.get(word) ?? whole);
  }
}

function operationOf(step: CaseSync, spec: Json | undefined): JsonObject {
  const { source, sources, syncPolicy } = isObject(spec) ? spec : {};
  const policy = isObject(syncPolicy) ? syncPolicy : {};
  const { prune = true, dryRun, force, strategy = 'hook', revision, resources, options, retry, info } = step;
  const syncOptions = options === undefined ? policy.syncOptions : [...options];
  return {
    initiatedBy: { username: 'case' },
    ...(info && { info }),
    sync: {
      prune,
      syncStrategy: { [strategy]: force === true ? { force } : {} },
      ...(source !== undefined && sources === undefined && { source }),
      ...(dryRun === true && { dryRun }),
      ...(revision !== undefined && { revision }),
      ...(syncOptions !== undefined && { syncOptions }),
      ...(resources && { resources: resources.map(chosen) }),
    },
    ...(retry === undefined ? policy.retry !== undefined && { retry: policy.retry } : { retry }),
  };
}

function chosen(text: string): JsonObject {
  const [group = '', kind = '', name = ''] = text.split(':');
  const [namespace, inner] = name.split('/');
  return { group, kind, ...(inner === undefined ? { name } : { namespace: namespace ?? '', name: inner }) };
}
