import { type Cluster, ClusterError, type ResourceKind } from '../../src/cluster/index.js';
import { Fault } from '../../src/model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../src/model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import { gitHas } from './git-files.js';
import { readOutside } from './outside/open-outside.js';
import type { Story, StoryRef, StorySign, StoryStep } from './story.js';
import { EVENTS } from '../../src/model/resources/index.js';

export interface PlayOptions {
  readonly cluster: Cluster;
  /** Time for waiting; a test may let it run faster. */
  pause(milliseconds: number): Promise<void>;
  /** Looks before a sign that does not come is given up. */
  readonly maxPolls: number;
  /** Is told of each symptom as soon as it was seen. */
  onSymptom?(symptom: StorySign): void;
}

const POLL_INTERVAL = 250;

/** Sets a story's scene, breaks it, heals it, and looks for what can be seen. */
export class StoryPlayer {
  readonly #options: PlayOptions;
  #kinds: Promise<readonly ResourceKind[]> | undefined;
  /** Events up to this version of the cluster are of earlier plays. */
  #since = 0n;

  constructor(options: PlayOptions) {
    this.#options = options;
  }

  /** Gives the signs as they were seen. */
  async break(written: Story, told: (line: string) => void): Promise<void> {
    const story = await this.#filled(written);
    await this.#begin();
    await this.#play(story.scene, told);
    await this.#see(story.healthy, told);
    await this.#begin();
    await this.#play(story.break, told);
    await this.#see(story.symptoms, told, (symptom) => {
      this.#options.onSymptom?.(symptom);
    });
  }

  async heal(written: Story, told: (line: string) => void): Promise<void> {
    const story = await this.#filled(written);
    await this.#begin();
    await this.#play(story.heal, told);
    await this.#see(story.healthy, told);
  }

  /** From now on only new Events count, and old ones that happen again. */
  async #begin(): Promise<void> {
    this.#since = BigInt((await this.#options.cluster.list(EVENTS, { namespace: 'default' })).resourceVersion);
  }

  /** A story may name what lies outside of the cluster: `${outside.gitRepository}`. */
  async #filled(story: Story): Promise<Story> {
    const outside = await readOutside(this.#options.cluster);
    return withTexts(story, (text) =>
      text.replace(/\$\{outside\.(\w+)\}/g, (_, name: string) => {
        const value = outside.get(name);
        if (value === undefined)
          throw new Fault('STORY_FAILED', `this story needs ${name} from outside; start the cluster with argosy up`, {
            where: `stories/${story.name}.yaml`,
          });
        return value;
      }),
    );
  }

  async #play(steps: readonly StoryStep[], told: (line: string) => void): Promise<void> {
    for (const step of steps) {
      if (step.kind !== 'until') told(stepText(step));
      await this.#step(step);
    }
  }

  async #step(step: StoryStep): Promise<void> {
    const { cluster } = this.#options;
    switch (step.kind) {
      case 'apply':
        await cluster.apply(await this.#kind(step.object), step.object, { force: true });
        return;
      case 'until':
        return this.#await(step.sign);
      case 'patch': {
        const found = await this.#find(step.of);
        // Waiting for signs of it would only take a minute to say the same.
        if (found.length === 0 && !step.of.name.endsWith('*'))
          throw new Fault(
            'STORY_FAILED',
            `${refText(step.of)} is not there; argosy demo break sets the scene of a story`,
            { where: cluster.server },
          );
        for (const { metadata } of found) {
          await cluster.patch(
            await this.#kind(step.of),
            { namespace: metadata.namespace, name: metadata.name ?? '' },
            { type: 'merge', body: step.patch },
            step.subresource === undefined ? {} : { subresource: step.subresource },
          );
        }
        return;
      }
      case 'delete':
        for (const { metadata } of await this.#find(step.of)) {
          await cluster.remove(
            await this.#kind(step.of),
            { namespace: metadata.namespace, name: metadata.name ?? '' },
            { uid: metadata.uid ?? '', propagation: 'Background' },
          );
        }
    }
  }

  async #see(
    signs: readonly StorySign[],
    told: (line: string) => void,
    alsoSee?: (sign: StorySign) => void,
  ): Promise<void> {
    for (const sign of signs) {
      await this.#await(sign);
      alsoSee?.(sign);
      told(`  seen: ${signText(sign)}`);
    }
  }

  async #await(sign: StorySign): Promise<void> {
    for (let look = 0; ; look++) {
      const seen = await this.#look(sign);
      if (seen === true) return;
      if (look >= this.#options.maxPolls)
        throw new Fault('STORY_FAILED', `${signText(sign)} was not seen; there is: ${seen}`, {
          where: this.#options.cluster.server,
        });
      await this.#options.pause(POLL_INTERVAL);
    }
  }

  /** True, or what is there instead. */
  async #look(sign: StorySign): Promise<true | string> {
    switch (sign.kind) {
      case 'shows':
        return some(
          await this.#find(sign.of),
          (object) => hasAll(object, sign.shows),
          (object) => JSON.stringify(likewise(object, sign.shows)),
        );
      case 'absent':
        return (await this.#find(sign.of)).length === 0 || `${refText(sign.of)} is there`;
      case 'row':
        return this.#row(sign.of, sign.columns);
      case 'event':
        return some(
          await this.#events(sign.of),
          ({ type, reason, message }) =>
            type === sign.type && reason === sign.reason && isText(sign.message, String(message)),
          ({ type, reason, message }) => `${String(type)} ${String(reason)}: ${String(message)}`,
        );
      case 'refused':
        return this.#refusal(sign.object, sign.message);
      case 'log':
        return this.#log(sign.of, sign.container, sign.message);
      case 'git':
        return this.#git(sign.of, sign.file, sign.has);
    }
  }

  async #log(of: StoryRef, container: string, message: string): Promise<true | string> {
    const logs = await Promise.all(
      (await this.#find(of)).map(({ metadata: { namespace = '', name = '' } }) =>
        this.#text(`/api/v1/namespaces/${namespace}/pods/${name}/log?container=${container}`),
      ),
    );
    return some(
      logs,
      (text) => text.includes(message),
      (text) => text.slice(-300),
    );
  }

  /** A container that has not started yet has no log, and the server says so. */
  async #text(path: string): Promise<string> {
    try {
      return await this.#options.cluster.text(path);
    } catch (error) {
      if (error instanceof ClusterError) return error.message;
      throw error;
    }
  }

  async #git(of: StoryRef, file: string, wanted: boolean): Promise<true | string> {
    const [application] = await this.#find(of);
    if (application === undefined) return `${refText(of)} is not there`;
    const found = await gitHas(application, file, await readOutside(this.#options.cluster));
    return found === wanted || (typeof found === 'string' ? found : `git ${found ? 'has' : 'lacks'} it`);
  }

  async #row(of: StoryRef, columns: Readonly<Record<string, string>>): Promise<true | string> {
    const table = await this.#options.cluster.table(
      await this.#kind(of),
      of.namespace === undefined ? {} : { namespace: of.namespace },
    );
    const heads = table.columns.map((head) => head.toUpperCase());
    const cell = (cells: readonly Json[], head: string): string =>
      String(cells[heads.indexOf(head.toUpperCase())] ?? '');
    const shown = (cells: readonly Json[]): string =>
      Object.keys(columns)
        .map((head) => `${head}=${cell(cells, head)}`)
        .join(' ');
    return some(
      table.rows.filter(({ name }) => isNamed(of, name)),
      ({ cells }) => Object.entries(columns).every(([head, text]) => cell(cells, head) === text),
      ({ name, cells }) => `${name} ${shown(cells)}`,
    );
  }

  async #events({ apiVersion, kind, namespace, name }: StoryRef): Promise<KubeObject[]> {
    // Events about what is in no namespace are in this one.
    const { items } = await this.#options.cluster.list(EVENTS, { namespace: namespace ?? 'default' });
    return items.filter(
      ({ metadata, involvedObject: of }) =>
        BigInt(metadata.resourceVersion ?? '0') > this.#since &&
        isObject(of) &&
        of.apiVersion === apiVersion &&
        of.kind === kind &&
        (of.namespace ?? '') === (namespace ?? '') &&
        isNamed({ name }, String(of.name)),
    );
  }

  async #refusal(object: KubeObject, message: string): Promise<true | string> {
    try {
      await this.#options.cluster.apply(await this.#kind(object), object, { force: true, dryRun: true });
      return 'the server accepts it';
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return error.message.includes(message) || error.message;
    }
  }

  async #find(ref: StoryRef): Promise<KubeObject[]> {
    const kind = await this.#kind(ref);
    if (ref.name.endsWith('*'))
      return (
        await this.#options.cluster.list(kind, ref.namespace === undefined ? {} : { namespace: ref.namespace })
      ).items.filter(({ metadata }) => isNamed(ref, metadata.name ?? ''));
    const found = await this.#options.cluster.get(kind, { namespace: ref.namespace, name: ref.name });
    return found === undefined ? [] : [found];
  }

  async #kind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): Promise<ResourceKind> {
    this.#kinds ??= this.#options.cluster.discover().then(({ kinds }) => kinds);
    const { group, version } = splitApiVersion(apiVersion);
    const found = (await this.#kinds).find(
      (each) => each.group === group && each.version === version && each.kind === kind,
    );
    if (found === undefined)
      throw new Fault('KIND_UNKNOWN', `the cluster has no kind ${kind} of ${apiVersion}`, {
        where: this.#options.cluster.server,
      });
    return found;
  }
}

/** Whether a text is the one that is asked; `<any>` stands for anything in it. */
export function isText(asked: string, text: string): boolean {
  const [first = '', ...others] = asked.split('<any>');
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}

function withTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => withTexts(item, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withTexts<unknown>(item, change)])) as T;
}

function some<T>(
  candidates: readonly T[],
  holds: (candidate: T) => boolean,
  text: (candidate: T) => string,
): true | string {
  if (candidates.some(holds)) return true;
  return candidates.length === 0 ? 'nothing of that name is there' : candidates.slice(-3).map(text).join('; ');
}

export function isNamed({ name }: Pick<StoryRef, 'name'>, actual: string): boolean {
  return name.endsWith('*') ? actual.startsWith(name.slice(0, -1)) : actual === name;
}

/** Whether a value has all that is asked; of a list, whether each item that is asked is somewhere in it. */
export function hasAll(value: Json | undefined, asked: Json): boolean {
  if (isObject(asked))
    return isObject(value) && Object.keys(asked).every((key) => hasAll(own(value, key), own(asked, key) ?? null));
  if (isArray(asked)) return isArray(value) && asked.every((item) => value.some((each) => hasAll(each, item)));
  if (typeof asked === 'string' && asked.startsWith('*'))
    return typeof value === 'string' && value.includes(asked.slice(1));
  return value === asked || (asked === null && value === undefined);
}

/** The part of a value that has the shape of another. */
function likewise(value: Json | undefined, shape: Json): Json {
  if (!isObject(shape) || !isObject(value)) return value ?? null;
  return Object.fromEntries(Object.keys(shape).map((key) => [key, likewise(own(value, key), own(shape, key) ?? null)]));
}

function refText({ kind, namespace, name }: StoryRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function stepText(step: Exclude<StoryStep, { kind: 'until' }>): string {
  if (step.kind === 'apply') {
    const {
      apiVersion,
      kind,
      metadata: { namespace, name = '' },
    } = step.object;
    return `apply ${refText({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) })}`;
  }
  return `${step.kind} ${refText(step.of)}`;
}

function signText(sign: StorySign): string {
  switch (sign.kind) {
    case 'shows':
      return `${refText(sign.of)} shows ${JSON.stringify(sign.shows)}`;
    case 'absent':
      return `${refText(sign.of)} is gone`;
    case 'row':
      return `${refText(sign.of)} ${Object.entries(sign.columns)
        .map(([head, text]) => `${head}=${text}`)
        .join(' ')}`;
    case 'event':
      return `${refText(sign.of)} ${sign.type} ${sign.reason}: ${sign.message}`;
    case 'log':
      return `${refText(sign.of)} writes: ${sign.message}`;
    case 'git':
      return `git ${sign.has ? 'has' : 'lacks'} ${sign.file} for ${refText(sign.of)}`;
    case 'refused':
      return `the server refuses ${sign.object.kind} ${sign.object.metadata.name ?? ''}: ${sign.message}`;
  }
}
