import { Worker } from 'node:worker_threads';

export type PasswordTask =
  | { readonly id: number; readonly kind: 'hash'; readonly password: string; readonly cost: number }
  | { readonly id: number; readonly kind: 'check'; readonly password: string; readonly hash: string };

export interface PasswordResult {
  readonly id: number;
  readonly value: string | boolean;
}

/** Too many wait already. Whoever asks again in a moment is served. */
export class PasswordsBusy extends Error {
  constructor() {
    super('too many concurrent logins; try again later');
  }
}

/** Work factor of what we write; what others wrote keeps its own. */
const COST = 10;
/** bcrypt reads no further; longer passwords would fit by their beginning alone. */
const MAX_BYTES = 72;
/** As many as Argo CD lets log in at once. */
export const MAX_WAITING = 50;
/** Sources that are run as they are use the thread that was built. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('../../../../dist/password-worker.js', import.meta.url)
  : new URL('./password-worker.js', import.meta.url);
/** The hash of something that nobody knows, for names that nobody has: refusing them takes as long. */
const NOBODYS_HASH = '$2b$10$AWJ9nap8Y/.mI52MRLuyTeSgvwVo1ShElk7BruCJKNLRpVj/IfWpy';

type TaskWithoutId = PasswordTask extends infer T ? (T extends PasswordTask ? Omit<T, 'id'> : never) : never;

/** bcrypt in a thread of its own, which is started when it is needed and replaced when it ends. */
export class Passwords {
  readonly #waiting = new Map<number, { resolve(value: string | boolean): void; reject(error: Error): void }>();
  #worker: Worker | undefined;
  #next = 0;

  async hash(password: string): Promise<string> {
    return String(await this.#ask({ kind: 'hash', password, cost: COST }));
  }

  /** Takes the same time whether there is a hash or not. */
  async matches(password: string, hash: string): Promise<boolean> {
    const isUsable =
      /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(hash) && Number(hash.slice(4, 6)) <= 15 && isShortEnough(password);
    const answer = await this.#ask({
      kind: 'check',
      password: isUsable ? password : 'x',
      hash: isUsable ? hash : NOBODYS_HASH,
    });
    return isUsable && answer === true;
  }

  close(): void {
    void this.#worker?.terminate();
    this.#fail('the server is stopping');
  }

  #ask(task: TaskWithoutId): Promise<string | boolean> {
    if (this.#waiting.size >= MAX_WAITING) return Promise.reject(new PasswordsBusy());
    return new Promise((resolve, reject) => {
      const id = ++this.#next;
      this.#waiting.set(id, { resolve, reject });
      this.#thread().postMessage({ ...task, id });
    });
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(THREAD, { env: {}, stdin: false });
    // Whoever waits for an answer keeps the process alive by other means.
    worker.unref();
    worker.on('message', ({ id, value }: PasswordResult) => {
      this.#waiting.get(id)?.resolve(value);
      this.#waiting.delete(id);
    });
    const ended = (why: string): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#fail(why);
    };
    worker.on('error', (error) => {
      ended(`passwords cannot be checked: ${error.message}`);
    });
    worker.on('exit', () => {
      ended('passwords cannot be checked: the thread ended');
    });
    this.#worker = worker;
    return worker;
  }

  #fail(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }
}

export function isShortEnough(password: string): boolean {
  return Buffer.byteLength(password) <= MAX_BYTES;
}
