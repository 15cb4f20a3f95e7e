import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { latestTrees } from '../../../src/cli/repair/latest-trees.js';
import type { Cluster } from '../../../src/cluster/index.js';
import type { Checkout, PatchSet } from '../../../src/control/index.js';
import { APPLICATIONS } from '../../../src/model/resources/index.js';
import { openOutside, REPOSITORIES } from '../../../world/demo/index.js';
import { collect, runWorld } from '../../../world/faults/index.js';
import { addCommit } from '../../../world/fleet/index.js';
import type { RemedyWorld, CollectedWorld } from './carry-out.js';

/** Certificates are made at this time, so it must not be later than that of any machine. */
const BEGIN = new Date('2025-12-04T05:00:00Z');
const MINUTE = 60_000;
/** Commits have some seconds between them: who looked for the one before has found it. */
const BETWEEN_COMMITS = 5000;

/** A world without a fault, with the repositories that are outside of it. */
export interface PlayedWorld extends RemedyWorld {
  /** Time for whoever waits in it. */
  pause(milliseconds: number): Promise<void>;
}

interface Repository {
  readonly url: string;
  readonly folder: string;
}

/** A cluster with these third-party controllers and what lies outside of it, whose time leaps; gone afterwards. */
export async function withPlayedWorld<Result>(
  controllers: readonly string[],
  visit: (world: PlayedWorld) => Promise<Result>,
): Promise<Result> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-remedy-world-'));
  const outside = await openOutside({ folder: join(data, 'demo'), report: () => undefined });
  const running = await runWorld(data, BEGIN, () => undefined, { controllers, probes: outside.probes });
  const { clock, cluster } = running;
  try {
    await clock.playUntil(outside.publishAddresses(cluster));
    const repositories = Object.entries(REPOSITORIES).map(([key, [name]]) => ({
      url: outside.addressOf(key),
      folder: join(data, 'demo', 'repositories', name),
    }));
    const collected = async (): Promise<CollectedWorld> => ({
      ...(await clock.playUntil(collect(cluster))),
      time: clock.now().toISOString(),
      git: { url: '', branches: [] },
    });
    return await visit({
      cluster,
      kubeconfig: join(data, 'api', 'kubeconfig'),
      withRealUrl: (text) => text,
      during: (work) => clock.playUntil(work),
      play: (minutes) => clock.play(minutes * MINUTE),
      pause: (milliseconds) => clock.play(milliseconds),
      collect: collected,
      checkouts: () => repositories.flatMap(checkoutsOf),
      files: () => new Map(repositories.flatMap(filesOf)),
      commit: async (set) => {
        await clock.play(BETWEEN_COMMITS);
        const done = commitTo(set);
        await clock.playUntil(refresh(cluster));
        return done;
      },
    });
  } finally {
    await running.close();
    await outside.close();
    rmSync(data, { recursive: true, force: true });
  }
}

function branchesOf({ folder }: Repository): string[] {
  return git(folder, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n').filter(Boolean);
}

function checkoutsOf(repository: Repository): Checkout[] {
  const { url, folder } = repository;
  return branchesOf(repository).flatMap((revision) => {
    const [tree, ...earlier] = latestTrees(folder, revision, url);
    return tree === undefined ? [] : [{ url, revision, folder, tree, earlier }];
  });
}

function filesOf(repository: Repository): [string, ReadonlySet<string>][] {
  return branchesOf(repository).map((branch) => [
    `${repository.url} ${branch}`,
    new Set(git(repository.folder, 'ls-tree', '-r', '--name-only', branch).split('\n')),
  ]);
}

/** A commit for each branch that a patch changes. */
function commitTo({ patches, others }: PatchSet): string[] {
  const byCheckout = new Map<Checkout, PatchSet['patches'][number][]>();
  for (const patch of patches) byCheckout.set(patch.checkout, [...(byCheckout.get(patch.checkout) ?? []), patch]);
  return [...byCheckout].flatMap(([{ folder, revision }, own]) => {
    const files = new Map(own.map(({ file, after }) => [file, after]));
    addCommit(folder, { message: 'A repair', files, from: `${revision}^0`, branch: revision });
    return [
      ...own.map(({ file, line, diff }) => `${revision}: ${file}:${line}\n${diff}`),
      ...others.map((each) => `beside: ${each}`),
    ];
  });
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).trim();
}

/** A commit is looked for now, as a webhook would ask, and not in some minutes. */
async function refresh(cluster: Cluster): Promise<void> {
  const { items } = await cluster.list(APPLICATIONS);
  const body = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } };
  for (const { metadata } of items)
    await cluster.patch(
      APPLICATIONS,
      { namespace: metadata.namespace, name: metadata.name ?? '' },
      { type: 'merge', body },
    );
}
