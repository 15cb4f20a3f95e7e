import { setTimeout as pause } from 'node:timers/promises';
import type { Explanation, CauseView, TriageResponse } from '../../src/model/api/index.js';
import { isNamed, type Story, type StoryRef } from '../../world/demo/index.js';
import { startArgosy, type ArgosyUp } from './argosy-up.js';
import { openBrowser, type Browser } from './browser.js';
import { signIn } from './sign-in.js';

const POLL_INTERVAL = 500;
const MAX_POLLS = 120;
/** What is asked in several places is asked one after the other, and something may have come between. */
const MAX_COMPARISONS = 10;

/** What every place says of a cause. */
interface Told {
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly kind?: string;
  readonly fix?: { readonly say: string; readonly commands: readonly string[] } | null;
}

/** What became of one story; `wrong` is empty where every place told its cause and it was gone after the repair. */
export interface StoryResult {
  readonly wrong: readonly string[];
  readonly isExplained: boolean;
  /** Applications of the story that were not well and told it. */
  readonly applications: number;
}

/** One Argosy and one browser for as many stories as are wanted: each is broken, read where people read, and healed. */
export class StoryCauses {
  readonly #argosy: ArgosyUp;
  readonly #browser: Browser;

  private constructor(argosy: ArgosyUp, browser: Browser) {
    this.#argosy = argosy;
    this.#browser = browser;
  }

  static async open(): Promise<StoryCauses> {
    const [argosy, browser] = await Promise.all([startArgosy(['--no-fleet']), openBrowser()]);
    browser.page.setDefaultTimeout(60_000);
    await signIn(browser.page, argosy);
    return new StoryCauses(argosy, browser);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#argosy.close();
  }

  async play(story: Story): Promise<StoryResult> {
    await this.#argosy.run('demo', 'break', story.name);
    const { told } = story.cause;
    const found = told.kind === 'told' ? await this.#told(story) : undefined;
    const wrong = typeof found === 'string' ? [found] : [];
    const tellers = typeof found === 'object' ? await this.#tellers(story, found, wrong) : 0;
    if (typeof found === 'object') wrong.push(...(await this.#onPage(found)));
    await this.#argosy.run('demo', 'heal', story.name);
    if (typeof found === 'object' && told.kind === 'told' && told.lingers === undefined)
      wrong.push(...(await this.#gone(found)));
    return {
      wrong: [...wrong, ...this.#browser.complaints().map((line) => `the page complains: ${line}`)],
      isExplained: found !== undefined,
      applications: tellers,
    };
  }

  /** The cause that names the object and has the words; else what is told instead. */
  async #told({ cause: { object, told } }: Story): Promise<CauseView | string> {
    if (told.kind !== 'told') throw new Error('nothing is expected');
    let causes: readonly CauseView[] = [];
    for (let look = 0; look < MAX_POLLS; look++) {
      ({ causes } = await this.#ask<TriageResponse>('/api/v1/triage'));
      const found = causes.find(
        (cause) =>
          names(cause, told.object ?? object) && told.words.every((word) => textOf(cause).includes(word.toLowerCase())),
      );
      if (found !== undefined) return found;
      await pause(POLL_INTERVAL);
    }
    return (
      `no cause names ${refText(told.object ?? object)} with ${told.words.join(', ')}; the causes are: ` +
      (causes.map(({ title }) => title).join(' | ') || 'nothing')
    );
  }

  /** The page has the cause, its object, and what to do. */
  async #onPage({ id, title, objects: [root], fix }: CauseView): Promise<string[]> {
    const { page } = this.#browser;
    await page.goto(`${this.#argosy.url}/triage?cause=${encodeURIComponent(id)}`);
    const article = page.locator('.cause-detail');
    await article.waitFor();
    const shown = (await article.innerText()).toLowerCase();
    const expected = [title, root?.name ?? '', (fix?.say ?? '').replace(/ \([^()]*, application [^()]*\)$/, '')].filter(
      (text) => !shown.includes(text.toLowerCase()),
    );
    return expected.map((text) => `the page does not show: ${text}`);
  }

  /** An application that is not well tells its causes. How many tell this one, on their page and in `app get`. */
  async #tellers(story: Story, { id, title }: CauseView, wrong: string[]): Promise<number> {
    let tellers = 0;
    for (const name of await this.#unwell(story)) {
      const { causes } = await this.#ask<Explanation>(`/api/v1/applications/${name}/explain`);
      if (causes.length === 0) wrong.push(`no cause explains the application ${name}`);
      if (!causes.some((cause) => cause.id === id)) continue;
      tellers++;
      await this.#browser.page.goto(`${this.#argosy.url}/applications/argocd/${name}`);
      await this.#browser.page.getByRole('region', { name: 'Why' }).getByText(title.slice(1, 80)).first().waitFor();
      const { stdout } = await this.#argosy.run('app', 'get', name);
      // The terminal has room for the worst of them.
      if (!causes.some((cause) => plain(stdout).includes(plain(cause.title).slice(0, 60))))
        wrong.push(`app get ${name} does not say "${title}": ${stdout}`);
      wrong.push(...(await this.#differences(name)));
    }
    return tellers;
  }

  /** The page, triage, check and drift say the same of an application: causes, ids and what to do. */
  async #differences(name: string): Promise<string[]> {
    let wrong: string[] = [];
    for (let look = 0; look < MAX_COMPARISONS; look++) {
      const { causes } = await this.#ask<Explanation>(`/api/v1/applications/${name}/explain`);
      const wanted = toldOf(causes);
      const { causes: all } = await this.#json<TriageResponse>('triage');
      const { applications } = await this.#json<{ applications: { causes: Told[] }[] }>('check', name);
      const rows = await this.#json<{ causes: Told[] }[]>('drift', name);
      const others: Readonly<Record<string, readonly Told[]>> = {
        triage: all.filter(({ reach }) => reach.names.includes(name)),
        check: applications.flatMap(({ causes: own }) => own),
        drift: rows.flatMap(({ causes: own }) => own),
      };
      wrong = Object.entries(others)
        .filter(([, told]) => toldOf(told) !== wanted)
        .map(([command, told]) => `${command} of ${name} says\n${toldOf(told)}\nand the page\n${wanted}`);
      if (wrong.length === 0) return [];
      await pause(POLL_INTERVAL);
    }
    return wrong;
  }

  /** Of a command, whatever its exit code says. */
  async #json<T>(...words: string[]): Promise<T> {
    const { stdout } = await this.#argosy.run(...words, '-o', 'json').catch((error: unknown) => {
      if (typeof error === 'object' && error !== null && 'stdout' in error) return { stdout: String(error.stdout) };
      throw error;
    });
    return JSON.parse(stdout) as T;
  }

  async #unwell(story: Story): Promise<string[]> {
    const own = [...story.scene, ...story.break].flatMap((step) =>
      step.kind === 'apply' && step.object.kind === 'Application' ? [step.object.metadata.name ?? ''] : [],
    );
    const { items } = await this.#ask<{ items: { name: string; sync: string; health: string }[] }>('/api/v1/fleet');
    return items
      .filter(({ name, sync, health }) => own.includes(name) && (sync !== 'Synced' || health !== 'Healthy'))
      .map(({ name }) => name);
  }

  async #gone({ id, title }: CauseView): Promise<string[]> {
    for (let look = 0; look < MAX_POLLS; look++) {
      const { causes } = await this.#ask<TriageResponse>('/api/v1/triage');
      if (causes.every((cause) => cause.id !== id)) return [];
      await pause(POLL_INTERVAL);
    }
    return [`healed, and still told: ${title}`];
  }

  /** With the session of the page. */
  async #ask<T>(path: string): Promise<T> {
    const response = await this.#browser.context.request.get(`${this.#argosy.url}${path}`);
    if (!response.ok()) throw new Error(`${path} answers ${response.status()}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** In one text: notes are for triage alone, and so is what nobody can explain beside what somebody can. */
function toldOf(causes: readonly Told[]): string {
  const own = causes.filter(({ severity }) => severity !== 'P3');
  const explained = own.filter(({ kind }) => kind !== 'unexplained');
  return (explained.length > 0 ? explained : own)
    .map(({ id, title, fix }) => `${id} ${title}: ${fix?.say ?? ''} ${(fix?.commands ?? []).join('; ')}`)
    .sort()
    .join('\n');
}

/** Spaces and line ends are the terminal's. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').toLowerCase();
}

function names({ objects, chain }: CauseView, ref: StoryRef): boolean {
  return (
    objects.some(
      ({ kind, namespace, name }) => kind === ref.kind && namespace === (ref.namespace ?? '') && isNamed(ref, name),
    ) || chain.some(({ object }) => object === refText(ref))
  );
}

function refText({ kind, namespace, name }: StoryRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function textOf({ title, evidence, fix, chain }: CauseView): string {
  return [title, ...evidence.map(({ value }) => value), ...chain.map(({ says }) => says), fix?.say ?? '']
    .join('\n')
    .toLowerCase();
}
