import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { JsonObject } from '../../../src/model/json/index.js';
import { Applications } from '../applications.js';
import type { Expectation } from '../case.js';
import type { DeliverCluster } from '../clusters.js';
import { startController, type Controller } from '../controller.js';
import { GitRepository } from '../../harness/git-repository.js';
import { countApplications, type Metrics } from './metrics.js';
import type { Seed } from './seed.js';
import { openWorld } from './world.js';

const CONTROL = 'openshift-gitops';
const DEMO = 'private-ai-demo';
const PARENT = 'stages';
const FOLDER = import.meta.dirname;
const MAIN = join(FOLDER, '../../../dist/main.js');
const run = promisify(execFile);
const STATUS_WITHIN = 90_000;
/** The repositories of the lab are folders. */
const ENVIRONMENT = { ...process.env, ARGOSY_ALLOW_FILE_REPOS: tmpdir() };

type Expected = Readonly<Record<string, Readonly<Record<string, Expectation>>>>;

interface Commit {
  readonly branch: string;
  readonly files?: string;
  readonly remove?: string;
}

/** The platform of the document: its repository, its applications, and the cluster that they are delivered to. */
export class Platform {
  readonly #applications: Applications;
  readonly #expected = parse(readFileSync(join(FOLDER, 'expected.yaml'), 'utf8')) as Expected;
  readonly #commits = parse(readFileSync(join(FOLDER, 'git.yaml'), 'utf8')) as Readonly<
    Record<string, readonly Commit[]>
  >;

  private constructor(
    private readonly cluster: DeliverCluster,
    private readonly controller: Controller,
    private readonly repository: GitRepository,
    private readonly seed: Seed,
  ) {
    this.#applications = new Applications(cluster.api, CONTROL);
  }

  static async open(seed: Seed): Promise<Platform> {
    const cluster = await openWorld();
    await cluster.api.create(parse(readFileSync(join(FOLDER, 'given.yaml'), 'utf8')) as JsonObject, DEMO);
    const controller = await startController(
      cluster,
      CONTROL,
      parse(readFileSync(join(FOLDER, 'settings.yaml'), 'utf8')) as Record<string, Record<string, string>>,
    );
    return new Platform(cluster, controller, await GitRepository.open(FOLDER, [], (text) => text), seed);
  }

  get kubeconfigPath(): string {
    return this.cluster.kubeconfigPath;
  }

  /** Everything delivered once. */
  async deliver(): Promise<void> {
    await this.#commit('start');
    await this.#applications.create(
      PARENT,
      parse(this.#fill(readFileSync(join(FOLDER, 'parent.yaml'), 'utf8'))) as JsonObject,
    );
    await this.#applications.sync(PARENT);
    // The namespace of all others comes with it.
    await this.#applications.sync('stage00-minio');
    await Promise.all(
      [
        'stage00-datasciencecluster',
        'stage00-gpu-infrastructure',
        'stage00-operators',
        'stage01-model-registry',
        'stage01-model-serving',
        'stage02-model-alignment',
      ].map((name) => this.#applications.sync(name)),
    );
    await this.verifyState('delivered');
  }

  /** Everything delivered once, then what the document found: branches moved on, and the operators did what they do. */
  async break(): Promise<void> {
    await this.deliver();
    await this.#commit('broken');
    await this.#refreshAll();
    await this.verifyState('before');
  }

  /**
   * Commits the fixes and syncs, as the document's deployment steps say; the next sync of stage02-model-alignment is
   * left to the runs.
   */
  async fix(): Promise<void> {
    await this.#commit('fixed');
    await this.#applications.sync(PARENT);
    for (const name of ['stage00-minio', 'stage01-model-serving']) await this.#applications.sync(name);
    await this.#refreshAll();
    await this.verifyState('after');
  }

  /** The rules as they were written: the application is Synced, and its next sync fails. */
  async syncAsWritten(): Promise<void> {
    await this.#applications.sync('stage02-model-alignment');
    await this.verifyState('rules as written');
  }

  async syncWithRespect(): Promise<void> {
    await this.#commit('respected');
    await this.#applications.sync(PARENT);
    await this.#applications.sync('stage02-model-alignment');
    await this.verifyState('respected');
  }

  /** The last step of the document: somebody deletes the Deployment, and it comes back as git has it. */
  async deleteDeployment(): Promise<void> {
    await this.cluster.api.delete({ kind: 'Deployment', namespace: DEMO, name: 'llama-stack-playground' });
    await this.verifyState('recreated');
  }

  /** A clone of the repository in which somebody has written the files of these moments, and not committed them. */
  async checkOut(folder: string, moments: readonly string[]): Promise<void> {
    await this.repository.git('switch', '-q', 'main');
    // The clone may push to the branch that is checked out: nobody reads the files beside it.
    await this.repository.git('config', 'receive.denyCurrentBranch', 'ignore');
    await this.repository.git('clone', '-q', this.repository.dir, folder);
    const commits = moments
      .flatMap((moment) => this.#commits[moment] ?? [])
      .filter(({ branch, files }) => branch === 'main' && files !== undefined);
    for (const { files = '' } of commits)
      for (const { path, text } of this.#filesOf(join(FOLDER, 'commits', files)))
        writeFileSync(join(folder, path), text);
  }

  /** An object that is in the cluster and not in git. */
  async create(object: JsonObject, namespace: string): Promise<void> {
    await this.cluster.api.create(object, namespace);
  }

  async verifyState(moment: string): Promise<void> {
    for (const [name, expected] of Object.entries(this.#expected[moment] ?? {}))
      await this.#applications.until(name, expected, DEMO);
  }

  /** Who owns each field that differs, as `argosy app diff` tells it. */
  async owners(name: string): Promise<Record<string, string>> {
    const args = [
      '--disable-proto=delete',
      MAIN,
      'app',
      'diff',
      name,
      '--exit-code=false',
      '--control-namespace',
      CONTROL,
      '--kubeconfig',
      this.cluster.kubeconfigPath,
    ];
    const { stdout } = await run(process.execPath, args, { env: ENVIRONMENT, timeout: STATUS_WITHIN });
    const rows = stdout
      .split('\n')
      .filter((line) => line.startsWith('/'))
      .map((line) => line.trimEnd().split(/\s{2,}/));
    return Object.fromEntries(rows.map((cells) => [cells[0] ?? '', cells.at(-2) ?? '']));
  }

  /**
   * What `argosy drift --all` says of each application: its state now, the classes of what differs, and its state with
   * the advice taken.
   */
  async drift(): Promise<Record<string, string>> {
    const args = [
      '--disable-proto=delete',
      MAIN,
      'drift',
      '--all',
      '-o',
      'json',
      '--namespace',
      CONTROL,
      '--kubeconfig',
      this.cluster.kubeconfigPath,
    ];
    const stdout = await run(process.execPath, args, { env: ENVIRONMENT, timeout: STATUS_WITHIN }).then(
      (done) => done.stdout,
      (failure: unknown) => (failure as { stdout?: string }).stdout ?? '',
    );
    const rows = JSON.parse(stdout) as { name: string; sync: string; after: string; advice: { class: string }[] }[];
    return Object.fromEntries(
      rows.map(({ name, sync, after, advice }) => [
        name,
        `${sync}: ${[...new Set(advice.map((each) => each.class))].sort().join(', ')} -> ${after}`,
      ]),
    );
  }

  async metrics(): Promise<Metrics> {
    return countApplications(await this.cluster.api.list('Application', CONTROL));
  }

  async close(): Promise<void> {
    await this.controller.stop();
    await this.repository.close();
    await this.cluster.stop();
  }

  async #refreshAll(): Promise<void> {
    const applications = await this.cluster.api.list('Application', CONTROL);
    await Promise.all(
      applications.map(({ metadata }) => this.#applications.refresh(String((metadata as JsonObject).name))),
    );
  }

  async #commit(moment: string): Promise<void> {
    for (const { branch, files, remove } of this.#commits[moment] ?? []) {
      const known = (await this.repository.git('branch', '--list', branch)) !== '';
      await this.repository.git(
        'switch',
        '-q',
        ...(known ? [branch] : ['-c', branch, ...(branch === 'main' ? [] : ['main'])]),
      );
      if (remove !== undefined) await this.repository.remove(remove);
      if (files !== undefined)
        for (const { path, text } of this.#filesOf(join(FOLDER, 'commits', files)))
          await this.repository.write(path, text);
      await this.repository.commit();
    }
  }

  #filesOf(from: string): { readonly path: string; readonly text: string }[] {
    const files = readdirSync(from, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return files.map((path) => ({ path: path.slice(from.length + 1), text: this.#fill(readFileSync(path, 'utf8')) }));
  }

  #fill(text: string): string {
    return this.seed.fill(text.replaceAll('${REPO}', this.repository.url));
  }
}

/** Why this cannot be played here, as the name of a skip. */
export function platformMissing(): string | undefined {
  return existsSync(MAIN) ? undefined : 'skipped: seed 001 (dist/main.js is not built: npm run build)';
}
