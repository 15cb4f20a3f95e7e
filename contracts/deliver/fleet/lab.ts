import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  connect,
  loadKubeconfig,
  systemClock,
  watchKinds,
  type Cluster,
  type CacheSet as Watch,
  type ClientDependencies,
} from '../../../src/cluster/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import {
  applyFleet,
  makeFleet,
  replaceFiles,
  writeRepository,
  type ExpectedState,
  type Fleet,
  type Moment,
} from '../../../world/fleet/index.js';
import { readStatus, statusText, type ApplicationStatus } from '../../faults/application.js';
import { startChild, type Child } from '../../real/child.js';
import { APPLICATIONS } from '../../../src/model/resources/index.js';

export interface FleetSize {
  readonly environments: number;
  /** In each environment; those of the cluster come on top. */
  readonly applications: number;
}

export interface FleetLabOptions extends FleetSize {
  /** Another build may be named, so that a long run is not touched by a new one. */
  readonly main?: string;
  /** For the program itself, such as `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
}

const ROOT = resolve(import.meta.dirname, '../../..');
const READY_WITHIN = 60_000;
const WELCOME = 'Argosy is up';
const NAMESPACE = 'argocd';
const CLIENTS = 16;
const UNPLACED = 11;
const BATCH = 50;

/** `argosy up` as a user starts it, with the world, and the repository of a fleet beside it. */
export class FleetLab {
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly folder: string,
    readonly size: FleetSize,
    readonly child: Child,
    readonly cluster: Cluster,
    readonly watch: Watch,
  ) {
    watch.subscribe(() => {
      for (const look of this.#waiting) look();
    });
  }

  static async open({
    main = process.env['ARGOSY_MAIN'] ?? join(ROOT, 'dist/main.js'),
    nodeFlags = [],
    ...size
  }: FleetLabOptions): Promise<FleetLab> {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-fleet-'));
    const data = join(folder, 'data');
    mkdirSync(data);
    const child = startChild(
      process.execPath,
      [
        '--disable-proto=delete',
        ...nodeFlags,
        main,
        'up',
        '--no-fleet',
        '--data',
        data,
        '--api-port',
        '0',
        '--port',
        '0',
        '--metrics-port',
        '0',
        '--allow-file-repos',
        tmpdir(),
      ],
      join(folder, 'up.log'),
    );
    const kubeconfig = join(data, 'kubeconfig');
    const deadline = performance.now() + READY_WITHIN;
    while (!readFileSync(child.logPath, 'utf8').includes(WELCOME)) {
      child.assertAlive();
      if (performance.now() > deadline)
        throw new Error(`argosy up is not ready after ${READY_WITHIN / 1000} s; see ${child.logPath}`);
      await delay(20);
    }
    const world: ClientDependencies = { clock: systemClock, random: Math.random, report: () => undefined };
    const cluster = connect(
      await loadKubeconfig({ path: kubeconfig, environment: {}, defaultPath: kubeconfig }),
      world,
      { version: 'fleet', environment: {} },
    );
    const watch = watchKinds(cluster, [APPLICATIONS], world);
    await watch.waitForSync(READY_WITHIN);
    return new FleetLab(folder, size, child, cluster, watch);
  }

  async close(): Promise<void> {
    this.watch.close();
    await this.cluster.close();
    await this.child.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The platform as it should be, or as it was once. */
  fleet(moment?: Moment): Fleet {
    return makeFleet({
      ...this.size,
      repository: { url: `file://${this.folder}/fleet.git`, revision: 'main' },
      ...(moment === undefined ? {} : { moment, unplaced: UNPLACED }),
    });
  }

  /** What must be there before: the repository, nodes, namespaces, projects. */
  async prepare(): Promise<void> {
    const fleet = this.fleet();
    writeRepository(join(this.folder, 'fleet.git'), [
      { message: 'The platform and its applications', files: fleet.files },
    ]);
    await applyFleet(this.cluster, fleet.outside, []);
    await applyFleet(this.cluster, fleet.projects, []);
  }

  async create(): Promise<void> {
    await this.#each(this.fleet().applications, (application) => this.cluster.create(APPLICATIONS, application));
  }

  commit(message: string, fleet: Fleet): string {
    return replaceFiles(join(this.folder, 'fleet.git'), message, fleet.files);
  }

  /** As the webhook of the repository would. */
  async refresh(): Promise<void> {
    const body = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
    await this.#each(this.names, (name) =>
      this.cluster.patch(APPLICATIONS, { namespace: NAMESPACE, name }, { type: 'merge', body }),
    );
  }

  get names(): string[] {
    return this.objects.map(({ metadata }) => metadata.name ?? '');
  }

  get objects(): KubeObject[] {
    return this.watch.cache(APPLICATIONS)?.list() ?? [];
  }

  get statuses(): Map<string, ApplicationStatus> {
    return new Map(this.objects.map((object) => [object.metadata.name ?? '', readStatus(object)]));
  }

  /** Applications that are not as they should be, each with what it says of itself. */
  differing(expected: ReadonlyMap<string, ExpectedState>): string[] {
    const { statuses } = this;
    return [...expected].flatMap(([name, { sync, health }]) => {
      const is = statuses.get(name);
      return is?.sync === sync && is.health === health
        ? []
        : [`${name} should be ${sync} ${health}: ${statusText(is)}`];
    });
  }

  /** Waits for events, not for time. Whether it came to be so within the milliseconds. */
  async until(isSo: (shown: ReadonlyMap<string, ApplicationStatus>) => boolean, within: number): Promise<boolean> {
    return new Promise((resolveUntil) => {
      const end = (isIt: boolean): void => {
        clearTimeout(timer);
        clearTimeout(next);
        this.#waiting.delete(hear);
        resolveUntil(isIt);
      };
      let next: NodeJS.Timeout | undefined;
      const look = (): void => {
        next = undefined;
        if (isSo(this.statuses)) end(true);
      };
      // The machine is busy with what is measured: events of a moment are looked at together.
      const hear = (): void => {
        next ??= setTimeout(look, BATCH);
      };
      const timer = setTimeout(() => {
        end(isSo(this.statuses));
      }, within);
      this.#waiting.add(hear);
      look();
    });
  }

  /** The end of what the program wrote. */
  tail(): string {
    return readFileSync(this.child.logPath, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  }

  async #each<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    const queue = [...items];
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
      }),
    );
  }
}
