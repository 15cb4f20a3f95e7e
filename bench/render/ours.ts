import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { KUBE_VERSION, NAMESPACE, RELEASE } from '../../contracts/render/helm/real-helm.js';
import { folderTree } from '../../src/cli/local/folder-tree.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { Tree } from '../../src/model/formats/index.js';
import { RenderCache, renderSource, type RenderOutcome, type RenderRequest } from '../../src/render/index.js';
import { openSources, type Sources } from '../../src/source/index.js';
import type { MonorepoApplication } from './monorepo.js';
import type { Subject } from './subject.js';
import type { Answer, Task } from './task.js';

/** Our side, bundled as the product is: one process that renders for all applications. */
const HOST = { now: () => BigInt(Date.now()) * 1_000_000n, random: (count: number) => randomBytes(count), zone: 'UTC' };

/** Less than the monorepo changes in three rounds. */
const SMALL_CACHES = { cacheEntries: 4_000, cacheBytes: 1 << 20 };

type Work = Pick<Answer, 'rendered' | 'objects'> & Partial<Pick<Answer, 'memory'>>;

function requestFor(tree: Tree, source: JsonObject, name: string, namespace: string): RenderRequest {
  return {
    tree,
    source,
    refs: new Map(),
    application: { name, namespace: 'argocd', project: 'default' },
    destinationNamespace: namespace,
    kubeVersion: KUBE_VERSION,
    apiVersions: [],
    fetched: new Map(),
    host: HOST,
  };
}

function objectsOf(outcome: RenderOutcome, name: string): number {
  if (outcome.kind === 'needs') throw new Error(`${name} needs ${JSON.stringify(outcome.needs)}`);
  return outcome.manifests.length;
}

/**
 * Every repository is opened once in a pass, as all applications of a commit share its tree; files are read when they
 * are asked for.
 */
function pass(subjects: readonly Subject[]): Work {
  const trees = new Map<string, Tree>();
  let objects = 0;
  for (const { kind, name, root, path } of subjects) {
    const tree = trees.get(root) ?? folderTree(root);
    trees.set(root, tree);
    const source =
      kind === 'chart'
        ? { repoURL: tree.repository, path, helm: { releaseName: RELEASE, skipCrds: true } }
        : { repoURL: tree.repository, path };
    objects += objectsOf(renderSource(requestFor(tree, source, RELEASE, NAMESPACE)).outcome, name);
  }
  return { rendered: subjects.map(({ name }) => name), objects };
}

/** A repository and the results of its applications so far. */
class Follower {
  readonly #sources: Sources;
  readonly #url: string;
  readonly #applications: readonly MonorepoApplication[];
  #rendered: string[] = [];
  readonly #cache = new RenderCache({
    render: (request) => {
      this.#rendered.push(request.application.name);
      return renderSource(request);
    },
  });

  private constructor(sources: Sources, url: string, applications: readonly MonorepoApplication[]) {
    this.#sources = sources;
    this.#url = url;
    this.#applications = applications;
  }

  static async open({ url, data, applications, hasSmallCaches }: Extract<Task, { kind: 'open' }>): Promise<Follower> {
    const clock = {
      now: () => new Date(),
      steady: () => performance.now(),
      after: (milliseconds: number, callback: () => void) => {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    };
    const sources = await openSources({
      data,
      clock,
      random: Math.random,
      environment: process.env,
      report: (problem) => process.stderr.write(`${problem}\n`),
      fileRepositories: [fileURLToPath(url)],
      limits: hasSmallCaches ? SMALL_CACHES : {},
    });
    return new Follower(sources, url, applications);
  }

  async follow(): Promise<Work> {
    this.#rendered = [];
    const repository = { url: this.#url };
    const { commit } = await this.#sources.resolve(repository, 'main', { maxAge: 0 });
    const tree = await this.#sources.tree({ repository, commit, paths: [''] });
    let objects = 0;
    for (const { name, namespace, source, ref } of this.#applications) {
      const request = requestFor(tree, source, name, namespace);
      objects += objectsOf(
        this.#cache.render(ref === undefined ? request : { ...request, refs: new Map([[ref, tree]]) }),
        name,
      );
    }
    return { rendered: this.#rendered, objects };
  }

  close(): Promise<void> {
    return this.#sources.close();
  }
}

let follower: Follower | undefined;

async function work(task: Task): Promise<Work> {
  if (task.kind === 'pass') return pass(task.subjects);
  if (task.kind === 'open') {
    follower = await Follower.open(task);
    return { rendered: [], objects: 0 };
  }
  // Measured times would suffer from this: it throws compiled code away too.
  if (task.kind === 'weigh') return { rendered: [], objects: 0, memory: used() };
  if (follower === undefined) throw new Error('no repository was opened');
  return follower.follow();
}

async function answer(task: Task): Promise<Answer> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const done = await work(task);
  const [spent, all] = [process.cpuUsage(cpu), process.cpuUsage()];
  const elapsed = performance.now() - wall;
  return {
    memory: 0,
    ...done,
    wall: elapsed,
    cpu: (spent.user + spent.system) / 1000,
    total: (all.user + all.system) / 1000,
  };
}

function used(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', (task: Task) => {
  answer(task).then(
    (done) => process.send?.(done),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? String(error.stack) : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => void Promise.resolve(follower?.close()).then(() => process.exit(0)));
