import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Cluster, ClusterError } from '../../../src/cluster/index.js';
import { Fault } from '../../../src/model/faults/index.js';
import { textAt } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { applyFleet, writeRepository } from '../../fleet/index.js';
import { readOutside } from '../outside/open-outside.js';
import { MARK, type Demo } from './known-demo.js';
import { makeDemoFleet, SEALED, type DemoFleet } from './demo-fleet.js';
import { APPLICATIONS, CONFIG_MAPS, PODS, type ResourceRef } from '../../../src/model/resources/index.js';

export interface DemoOptions {
  readonly cluster: Cluster;
  /** `demo/` of the data directory. */
  readonly folder: string;
  /** Milliseconds between two looks. */
  pause(milliseconds: number): Promise<void>;
  /** How many applications there are, and how many are delivered. */
  readonly progress: (delivered: number, all: number) => void;
  /** After so many looks nobody waits any more. */
  readonly maxPolls: number;
}

const POLL_INTERVAL = 250;
const MAX_SECRET_POLLS = 40;
const STORES: ResourceRef = {
  group: 'external-secrets.io',
  version: 'v1',
  kind: 'SecretStore',
  plural: 'secretstores',
  namespaced: true,
};
const EXTERNAL_SECRETS: ResourceRef = { ...STORES, kind: 'ExternalSecret', plural: 'externalsecrets' };

/** Brings the demo into the cluster, once; what an earlier start began, and was killed at, is done again. */
export async function setUpDemo(options: DemoOptions): Promise<Demo> {
  const { cluster, folder } = options;
  const repository = join(folder, 'git', 'platform');
  const notebooks = (await readOutside(cluster)).get('demoRepository');
  if (notebooks === undefined)
    throw new Fault('STORY_FAILED', 'the git server of the demo does not run', { where: folder });
  const fleet = makeDemoFleet({ repository: pathToFileURL(repository).href, notebooks });
  writeWorkTree(repository, fleet);
  await applyFleet(cluster, [...fleet.outside, ...fleet.projects, ...fleet.applications], []);
  await untilDelivered(options, fleet);
  await seal(options);
  await cluster.apply(
    CONFIG_MAPS,
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: MARK, data: { repository } },
    { force: true },
  );
  return { repository, isNew: true };
}

/** A repository with its files; written beside and then renamed, so that a half one is never seen. */
function writeWorkTree(folder: string, { commits }: DemoFleet): void {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  writeRepository(join(unfinished, '.git'), commits);
  for (const words of [
    ['config', 'core.bare', 'false'],
    ['reset', '--quiet', '--hard', 'main'],
  ]) {
    const { status, stderr } = spawnSync('git', words, {
      cwd: unfinished,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_DIR: join(unfinished, '.git'),
        GIT_WORK_TREE: unfinished,
      },
    });
    if (status !== 0)
      throw new Fault('TOOL_FAILED', `git ${words[0] ?? ''} failed: ${stderr.trim()}`, { where: unfinished });
  }
  renameSync(unfinished, folder);
}

/** Until every application that is to become well is so, and every other one has been tried. */
async function untilDelivered(options: DemoOptions, { applications, ill }: DemoFleet): Promise<void> {
  await until(options, async () => {
    const { items } = await options.cluster.list(APPLICATIONS, { namespace: 'argocd' });
    const delivered = items.filter((application) =>
      ill.has(application.metadata.name ?? '') ? isTried(application) : isSyncedAndHealthy(application),
    ).length;
    options.progress(delivered, applications.length);
    return delivered >= applications.length;
  });
}

/** After so many looks nobody waits any more: what is there is shown as it is. */
async function until({ pause, maxPolls }: DemoOptions, isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < maxPolls && !(await isSo()); look++) await pause(POLL_INTERVAL);
}

function isSyncedAndHealthy({ status }: KubeObject): boolean {
  return textAt(status, 'sync', 'status') === 'Synced' && textAt(status, 'health', 'status') === 'Healthy';
}

/** A sync was begun, or cannot be. */
function isTried({ status }: KubeObject): boolean {
  return textAt(status, 'operationState', 'phase') !== '' || textAt(status, 'sync', 'status') === 'Unknown';
}

/**
 * The pod of Vault starts again, and nobody gives it its key. Whoever asks it for secrets is told so at once, and not
 * after an hour.
 */
async function seal(options: DemoOptions): Promise<void> {
  const { cluster } = options;
  const pod = await cluster.get(PODS, { namespace: SEALED, name: 'foundation-vault-core-0' });
  if (pod !== undefined)
    await cluster.remove(
      PODS,
      { namespace: SEALED, name: 'foundation-vault-core-0' },
      { uid: pod.metadata.uid ?? '', propagation: 'Background' },
    );
  for (const kind of [STORES, EXTERNAL_SECRETS]) {
    for (const { metadata } of (await cluster.list(kind, { namespace: SEALED })).items) {
      await cluster
        .patch(
          kind,
          { namespace: SEALED, name: metadata.name ?? '' },
          { type: 'merge', body: { metadata: { annotations: { 'force-sync': '1' } } } },
        )
        .catch(ignoreMissing);
    }
  }
  await until({ ...options, maxPolls: MAX_SECRET_POLLS }, async () => {
    const { items } = await cluster.list(APPLICATIONS, { namespace: 'argocd' });
    return items.some(
      ({ spec, status }) =>
        textAt(spec, 'destination', 'namespace') === SEALED && textAt(status, 'health', 'status') === 'Degraded',
    );
  });
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof ClusterError && error.status === 404)) throw error;
}
