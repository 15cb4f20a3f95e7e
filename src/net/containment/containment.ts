import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, objectsAt, parseJson, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { WorkFile } from './work-file.js';

export interface ContainmentOptions {
  readonly directory: string;
  /** The process before this one died of itself, and nobody ended it. */
  readonly isAfterCrash: boolean;
  readonly now: () => number;
}

/** An object of the cluster in one version, as `workName` writes it. */
export type WorkName = string;

/** `pods shop/web 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed.3`: an object that changes, or is made anew, has a new name. */
export function workName({ group, plural }: { group: string; plural: string }, { metadata }: KubeObject): WorkName {
  const { namespace, name = '', uid = '', generation = 0 } = metadata;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `${group === '' ? plural : `${plural}.${group}`} ${place} ${uid}.${generation}`;
}

export interface SetAside {
  readonly name: WorkName;
  readonly why: string;
}

interface Strikes {
  readonly name: WorkName;
  readonly count: number;
  readonly why: string;
  readonly at: number;
}

/** The first failure may be chance. */
const MAX_STRIKES = 2;
const FORGET_AFTER = 60 * 60_000;
const KEEP_FOR = 30 * 24 * FORGET_AFTER;

/**
 * Which objects were worked on when something broke that should not: work on an object that broke twice is skipped,
 * also after a restart, until the object changes or a month has passed.
 */
export class Containment {
  readonly #options: ContainmentOptions;
  readonly #path: string;
  readonly #work = new AsyncLocalStorage<WorkName>();
  readonly #file: WorkFile;
  readonly #strikes = new Map<WorkName, Strikes>();
  /** What was under way when the last process died: worked on one after the other, so that the next death names one. */
  readonly #suspects: Set<WorkName>;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #listeners = new Set<(one: SetAside) => void>();

  constructor(options: ContainmentOptions) {
    this.#options = options;
    this.#path = join(options.directory, 'set-aside.json');
    for (const one of readStrikes(this.#path))
      if (options.now() - one.at < (one.count >= MAX_STRIKES ? KEEP_FOR : FORGET_AFTER))
        this.#strikes.set(one.name, one);
    this.#file = new WorkFile(join(options.directory, 'working'));
    this.#suspects = new Set(options.isAfterCrash ? this.#blame(this.#file.left) : []);
  }

  /** What the failure happened in; undefined where it belongs to no object. */
  get current(): WorkName | undefined {
    return this.#work.getStore();
  }

  isSetAside(name: WorkName): boolean {
    return (this.#strikes.get(name)?.count ?? 0) >= MAX_STRIKES;
  }

  /** Works on an object; nothing happens for one that is set aside. */
  async run<T>(name: WorkName, act: () => Promise<T>): Promise<T | undefined> {
    if (this.isSetAside(name)) return undefined;
    if (!this.#suspects.has(name)) return await this.#keep(name, act);
    const turn = this.#turn.then(() => this.#keep(`${ALONE}${name}`, act, name));
    this.#turn = turn.then(
      () => this.#suspects.delete(name),
      () => this.#suspects.delete(name),
    );
    return await turn;
  }

  /** Counts a failure against an object. Says whether it is set aside now. */
  strike(name: WorkName, why: string): boolean {
    const count = (this.#strikes.get(name)?.count ?? 0) + 1;
    this.#strikes.set(name, { name, count, why: why.slice(0, MAX_REASON), at: this.#options.now() });
    this.#save();
    if (count === MAX_STRIKES) for (const listener of this.#listeners) listener({ name, why });
    return count >= MAX_STRIKES;
  }

  /** Calls back for each object that is set aside, and for each that will be. */
  onSetAside(listener: (one: SetAside) => void): { close(): void } {
    for (const { name, why } of this.#strikes.values()) if (this.isSetAside(name)) listener({ name, why });
    this.#listeners.add(listener);
    return {
      close: () => {
        this.#listeners.delete(listener);
      },
    };
  }

  close(): void {
    this.#file.close();
  }

  async #keep<T>(entry: string, act: () => Promise<T>, name = entry): Promise<T> {
    const end = this.#file.begin(entry);
    try {
      return await this.#work.run(name, act);
    } finally {
      end();
    }
  }

  /** What ran alone when the process died is what killed it; of several, nobody knows yet. */
  #blame(left: readonly string[]): string[] {
    const alone = left.filter((entry) => entry.startsWith(ALONE)).map((entry) => entry.slice(ALONE.length));
    for (const name of alone) {
      this.strike(name, DIED);
      if (!this.isSetAside(name)) this.strike(name, DIED);
    }
    return left.filter((entry) => !entry.startsWith(ALONE));
  }

  #save(): void {
    try {
      writeFileSync(`${this.#path}.new`, `${JSON.stringify({ objects: [...this.#strikes.values()] })}\n`, {
        mode: 0o600,
      });
      renameSync(`${this.#path}.new`, this.#path);
    } catch {
      // It holds for this process; after a restart it is found out again.
    }
  }
}

const ALONE = '!';
const DIED = 'the process ended while it worked on this object';
const MAX_REASON = 500;

function readStrikes(path: string): Strikes[] {
  try {
    const read = parseJson(readFileSync(path, 'utf8'));
    if (!isObject(read)) return [];
    return objectsAt(read, 'objects').map((one) => ({
      name: textAt(one, 'name'),
      count: typeof one.count === 'number' ? one.count : 0,
      why: textAt(one, 'why'),
      at: typeof one.at === 'number' ? one.at : 0,
    }));
  } catch {
    // None yet, or not readable: what is wrong is found out again.
    return [];
  }
}
