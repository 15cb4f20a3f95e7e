import { isObject, own } from '../../model/json/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { REFRESH, rerunsOnCommit, type NotebookJob } from '../../notebook/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { RepositoryAccess } from '../../source/index.js';
import { SECRETS } from '../../model/resources/index.js';

interface CommitOptions {
  readonly cluster: Pick<Cluster, 'get'>;
  readonly now: () => number;
  /** The commit that a ref of a repository means now. */
  readonly resolve: (url: string, ref: string, access: RepositoryAccess) => Promise<string>;
  /** Milliseconds between two questions. */
  readonly period: () => number;
  /** Reconciles the job again: its commit is known, or otherwise. */
  readonly requeue: (key: string) => void;
  readonly report: (key: string, error: unknown) => void;
}

interface Answer {
  /** What was asked, and the annotation by which somebody asked for it. */
  readonly question: string;
  readonly commit: string | undefined;
  readonly time: number;
}

/**
 * The commits that the notebooks of jobs with `mlops.dev/rerun-on: commit` stand at. Git servers are asked beside the
 * reconciles, so that one that hangs holds nothing up.
 */
export class NotebookCommits {
  readonly #answers = new Map<string, Answer>();
  readonly #asking = new Set<string>();

  constructor(private readonly options: CommitOptions) {}

  /** Undefined where the job does not ask for it, or nobody knows it; `waits` until the first answer has come. */
  commitOf(key: string, job: NotebookJob): { readonly commit: string | undefined; readonly waits: boolean } {
    if (!rerunsOnCommit(job)) return { commit: undefined, waits: false };
    const known = this.#answers.get(job.uid);
    const question = questionOf(job);
    if (known?.question !== question || this.options.now() >= known.time + this.options.period())
      void this.#ask(key, job, question);
    return { commit: known?.commit, waits: known === undefined };
  }

  /** When the git server is asked again. */
  nextLook(job: NotebookJob): number | undefined {
    const known = rerunsOnCommit(job) ? this.#answers.get(job.uid) : undefined;
    return known && known.time + this.options.period();
  }

  forget({ metadata: { uid = '' } }: KubeObject): void {
    this.#answers.delete(uid);
  }

  async #ask(key: string, job: NotebookJob, question: string): Promise<void> {
    if (this.#asking.has(job.uid)) return;
    this.#asking.add(job.uid);
    const before = this.#answers.get(job.uid)?.commit;
    let commit = before;
    try {
      const { url, ref, secret } = job.notebook;
      commit = await this.options.resolve(url, ref, await this.#accessOf(job.namespace, secret));
    } catch (error) {
      // The run itself tells what is wrong with its repository; here the next question may be answered.
      this.options.report(key, error);
    }
    this.#asking.delete(job.uid);
    this.#answers.set(job.uid, { question, commit, time: this.options.now() });
    this.options.requeue(key);
  }

  async #accessOf(namespace: string, name: string): Promise<RepositoryAccess> {
    if (name === '') return {};
    const secret = await this.options.cluster.get(SECRETS, { namespace, name });
    if (secret === undefined)
      throw new Fault('VALUE_INVALID', `Secret ${name} does not exist`, { where: `${namespace}/${name}` });
    const value = (field: string): string | undefined => {
      const text = isObject(secret.data) ? own(secret.data, field) : undefined;
      return typeof text === 'string' ? Buffer.from(text, 'base64').toString('utf8') : undefined;
    };
    const sshPrivateKey = value('ssh-privatekey');
    if (sshPrivateKey !== undefined) return { sshPrivateKey };
    const [username, password] = [value('username'), value('password') ?? value('token')];
    return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
  }
}

function questionOf({ notebook: { url, ref, secret }, annotations }: NotebookJob): string {
  return JSON.stringify([url, ref, secret, annotations[REFRESH] ?? '']);
}
