import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../src/cluster/index.js';
import { addCommit, resetRepository } from '../fleet/index.js';
import { applyObject, keptBaseWorld, kindOf, makeBaseWorld, removeObject, type BaseWorld } from './base-world.js';
import { collect } from './collect.js';
import { REPOSITORY_URL, type FaultWorld, type GitTree } from './fault-world.js';
import { isHeldOut } from './held-out.js';
import type { Injection, Injector } from './injection/injector.js';
import { orderOf, type LabelledFault } from './injection/label.js';
import { membersOf } from './members.js';
import { OUTSIDE } from './injection/names.js';
import { applicationRef } from './injection/object-refs.js';
import { faultParts, runWorld, type RunningWorld } from './run-world.js';
import { Scene, type SceneStep } from './injection/scene.js';

export interface FaultCase {
  readonly seed: number;
  readonly faults: readonly Injector[];
  readonly decoys: readonly Injector[];
}

/** Long enough for the deadline of a rollout, and for the retries of a sync. */
const MINUTES = 6;
const MINUTE = 60_000;
const BETWEEN_COMMITS = 5000;

/** The driver of the volumes, by both names that it has here. */
const SIMULATED_DRIVER = /argosy\.dev\/simulated|simulated\.argosy\.dev/g;
const DRIVER = 'disk.csi.azure.com';

interface Branch {
  readonly name: string;
  readonly files: Map<string, string>;
}

/** A world that has not ended: what is done to it has its consequences. */
export interface LiveWorld {
  readonly cluster: Cluster;
  /** Of the administrator, for programs beside it. */
  readonly kubeconfig: string;
  /** The bare repository, as it truly is. */
  readonly folder: string;
  /** What the branches hold, with the lines that only the simulation reads. */
  branches(): readonly { readonly name: string; readonly files: ReadonlyMap<string, string> }[];
  /** A text about the world as it is seen, for the world as it is: the repository's address is another. */
  withRealUrl(text: string): string;
  /** Lets time pass until something has happened. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  play(minutes: number): Promise<void>;
  /** Files that are otherwise from now on, undefined for those that go; applications look at once. */
  commit(branch: string, changes: ReadonlyMap<string, string | undefined>): Promise<void>;
  collect(): Promise<Omit<FaultWorld, 'label'>>;
}

/** A platform on which all is well, to be broken as often as wanted: every case begins with a copy of it. */
export class FaultPlatform {
  readonly #base: BaseWorld;
  readonly #log: (line: string) => void;

  private constructor(base: BaseWorld, log: (line: string) => void) {
    this.#base = base;
    this.#log = log;
  }

  /** Makes the platform in a folder of its own, or takes the one that is there. One stage at a time uses a folder. */
  static async open(folder: string, log: (line: string) => void = () => undefined): Promise<FaultPlatform> {
    mkdirSync(folder, { recursive: true });
    return new FaultPlatform(keptBaseWorld(folder) ?? (await makeBaseWorld(folder, log)), log);
  }

  /** The world when its consequences have come. */
  async runCase(fault: FaultCase): Promise<FaultWorld> {
    return this.withWorld(fault, (world) => Promise.resolve(world));
  }

  /** The same world, which goes on as long as somebody stays in it, to mend it for one. */
  async withWorld<Result>(
    { seed, faults, decoys }: FaultCase,
    visit: (world: FaultWorld, going: LiveWorld) => Promise<Result>,
  ): Promise<Result> {
    const { folder, time, repository } = this.#base;
    const data = join(folder, 'case');
    rmSync(data, { recursive: true, force: true });
    cpSync(join(folder, 'base'), data, { recursive: true });
    resetRepository(repository.folder, repository.commit);
    const running = await runWorld(data, time, this.#log, faultParts(faults.flatMap(({ resting = [] }) => resting)));
    try {
      const shared = { files: new Map(this.#base.files), taken: new Set<string>(), programs: {} };
      const branches: Branch[] = [];
      const injections: Injection[] = [];
      for (const injector of [...faults, ...decoys])
        injections.push(await this.#inject(injector, new Scene(seed, injector.name, shared), running, branches));
      await running.clock.play(MINUTES * MINUTE);
      const world = this.#told(await this.#see(running, shared.files, branches), seed, faults, decoys, injections);
      return await visit(world, this.#going(running, shared.files, branches));
    } finally {
      await running.close();
    }
  }

  #going(running: RunningWorld, files: Map<string, string>, branches: Branch[]): LiveWorld {
    const { clock, cluster } = running;
    const { folder, url } = this.#base.repository;
    return {
      cluster,
      kubeconfig: join(this.#base.folder, 'case', 'api', 'kubeconfig'),
      folder,
      branches: () => [{ name: 'main', files }, ...branches],
      withRealUrl: (text) => text.replaceAll(REPOSITORY_URL, url),
      during: (work) => clock.playUntil(work),
      play: (minutes) => clock.play(minutes * MINUTE),
      collect: () => this.#see(running, files, branches),
      commit: async (name, changes) => {
        await clock.play(BETWEEN_COMMITS);
        addCommit(folder, { message: 'A repair', files: changes, from: `${name}^0`, branch: name });
        const kept =
          name === 'main'
            ? files
            : (branches.find((branch) => branch.name === name)?.files ?? new Map<string, string>());
        for (const [path, text] of changes) {
          if (text === undefined) kept.delete(path);
          else kept.set(path, text);
        }
        if (name === 'main' && isSame(files, this.#base.files)) await clock.playUntil(forgetPrograms(cluster));
        await clock.playUntil(refresh(cluster));
      },
    };
  }

  async #inject(
    injector: Injector,
    scene: Scene,
    { clock, cluster }: RunningWorld,
    branches: Branch[],
  ): Promise<Injection> {
    const injection = injector.inject(scene);
    scene.commit();
    for (const step of scene.steps) {
      if (step.kind === 'play') {
        await clock.play(step.seconds * 1000);
        continue;
      }
      // Commits have some seconds between them, as everywhere: who looked for the one before has found it.
      if (step.kind === 'commit') await clock.play(BETWEEN_COMMITS);
      await clock.playUntil(this.#step(step, cluster, branches));
    }
    return injection;
  }

  async #step(step: Exclude<SceneStep, { kind: 'play' }>, cluster: Cluster, branches: Branch[]): Promise<void> {
    switch (step.kind) {
      case 'apply':
        return applyObject(cluster, step.object);
      case 'remove':
        return removeObject(cluster, step.of);
      case 'patch':
        await cluster.patch(
          await kindOf(cluster, step.of),
          { namespace: step.of.namespace, name: step.of.name },
          { type: 'merge', body: step.patch },
          step.subresource === undefined ? {} : { subresource: step.subresource },
        );
        return;
      case 'commit': {
        const { branch, files } = step;
        addCommit(this.#base.repository.folder, {
          message: 'A change',
          files,
          from: 'main^0',
          ...(branch === undefined ? {} : { branch }),
        });
        if (branch !== undefined) branches.push({ name: branch, files: changed(this.#base.files, files) });
        else await refresh(cluster);
      }
    }
  }

  async #see(
    { clock, cluster }: RunningWorld,
    files: ReadonlyMap<string, string>,
    branches: readonly Branch[],
  ): Promise<Omit<FaultWorld, 'label'>> {
    const seen = await clock.playUntil(collect(cluster));
    const { url, folder } = this.#base.repository;
    const commit = (name: string): string =>
      execFileSync('git', ['-C', folder, 'rev-parse', `refs/heads/${name}`], { encoding: 'utf8' }).trim();
    const git: GitTree = {
      url,
      branches: [{ name: 'main', files }, ...branches].map((branch) => ({
        name: branch.name,
        commit: commit(branch.name),
        files: Object.fromEntries([...branch.files].map(([path, text]) => [path, withoutSimulation(text)])),
      })),
    };
    return JSON.parse(
      JSON.stringify({ time: clock.now().toISOString(), ...seen, git })
        .replaceAll(url, REPOSITORY_URL)
        .replaceAll(SIMULATED_DRIVER, DRIVER),
    ) as Omit<FaultWorld, 'label'>;
  }

  #told(
    seen: Omit<FaultWorld, 'label'>,
    seed: number,
    faults: readonly Injector[],
    decoys: readonly Injector[],
    injections: readonly Injection[],
  ): FaultWorld {
    const members = membersOf(seen);
    const labelled = faults.map(
      ({ name, kind, because }, index): LabelledFault => ({
        fault: name,
        isHeldOut: isHeldOut(name),
        kind: kind ?? 'fault',
        because,
        roots: injections[index]?.roots ?? [],
        signs: injections[index]?.signs ?? [],
        applications: injections[index]?.applications ?? [],
      }),
    );
    return {
      ...seen,
      label: { seed, faults: labelled, decoys: decoys.map(({ name }) => name), members, order: orderOf(labelled) },
    };
  }
}

/** A commit is looked for now, as a webhook would ask, and not in some minutes. */
async function refresh(cluster: Cluster): Promise<void> {
  const kind = await kindOf(cluster, applicationRef(''));
  const { items } = await cluster.list(kind);
  await Promise.all(
    items.map(({ metadata }) =>
      cluster.patch(
        kind,
        { namespace: metadata.namespace, name: metadata.name ?? '' },
        { type: 'merge', body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } } },
      ),
    ),
  );
}

function isSame(files: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): boolean {
  return files.size === others.size && [...files].every(([path, text]) => others.get(path) === text);
}

/** Programs do again what they did when everything that they read is again what it was. */
async function forgetPrograms(cluster: Cluster): Promise<void> {
  const programs = { apiVersion: 'v1', kind: 'ConfigMap', namespace: OUTSIDE, name: 'programs' };
  await cluster.patch(await kindOf(cluster, programs), programs, { type: 'merge', body: { data: null } });
}

function changed(
  before: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string | undefined>,
): Map<string, string> {
  const after = new Map(before);
  for (const [path, text] of files) {
    if (text === undefined) after.delete(path);
    else after.set(path, text);
  }
  return after;
}

/** Lines of manifests that only the simulation reads. */
export function withoutSimulation(text: string): string {
  // A value that is folded over several lines stands deeper than its key.
  let dropped = Infinity;
  const kept = text.split('\n').filter((line) => {
    const depth = line.search(/\S/);
    if (depth > dropped) return false;
    dropped = /\b(world\.argosy\.dev\/|argosy\.dev\/simulate)/.test(line) ? depth : Infinity;
    return dropped === Infinity;
  });
  return kept.join('\n');
}
