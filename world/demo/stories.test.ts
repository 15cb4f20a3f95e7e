import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInProcess, type InProcess } from '../../contracts/deliver/in-process.js';
import { realParts } from '../../contracts/real/parts.js';
import { KubectlEyes } from '../../contracts/world/kubectl-eyes.js';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { fastClock } from '../testing/fast-clock.js';
import { openOutside, type Outside } from './outside.js';
import { readStories } from './read-story.js';
import type { StorySign } from './story.js';
import { StoryPlayer } from './story-player.js';

const stories = readStories(join(import.meta.dirname, '../stories'));

const LOOKS = 2400;
const LOOKS_OF_PEOPLE = 20;

const parts = await realParts(['kubectl']);
const data = mkdtempSync(join(tmpdir(), 'argosy-stories-'));
const clock = fastClock();

let outside: Outside;
let server: ApiServer;
let cluster: Cluster;
let controller: InProcess;
let eyes: KubectlEyes | undefined;

beforeAll(async () => {
  outside = await openOutside({ folder: join(data, 'demo'), report: () => undefined });
  server = await startApiServer({ data, port: 0, controllers: true, log: () => undefined, clock, world: join(import.meta.dirname, '..'), probes: outside.probes });
  cluster = connect(await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }), { clock: systemClock, random: Math.random, report: () => undefined }, { version: '0.0.0', environment: {} });
  await outside.tell(cluster);
  controller = await startInProcess({ kubeconfigPath: server.kubeconfig, namespace: 'argocd' });
  eyes = parts.kind === 'built' ? new KubectlEyes(parts.path('kubectl'), server.kubeconfig) : undefined;
}, 60_000);

afterAll(async () => {
  eyes?.close();
  await controller.stop();
  await cluster.close();
  await server.close();
  await outside.close();
  rmSync(data, { recursive: true, force: true });
});

/** What kubectl prints instead of a sign; it may need some looks, as people do. */
async function unseen(sign: StorySign, of: KubectlEyes): Promise<string | undefined> {
  for (let left = LOOKS_OF_PEOPLE; ; left--) {
    const seen = await of.look(sign);
    if (seen === true) return undefined;
    if (left === 0) return `${JSON.stringify(sign)}\n${seen}`;
    of.forget();
    await clock.pause(1000);
  }
}

describe(`stories break and heal${parts.kind === 'built' ? '' : `, skipped: kubectl (${parts.reason})`}`, () => {
  it.each([...stories.values()])('$name', async (story) => {
    const lines: string[] = [];
    const player = new StoryPlayer({ cluster, pause: (milliseconds) => clock.pause(milliseconds), looks: LOOKS });
    await player.break(story, (line) => lines.push(line));
    if (eyes !== undefined) {
      const { symptoms } = await player.filled(story);
      eyes.forget();
      for (const sign of symptoms) expect(await unseen(sign, eyes)).toBeUndefined();
    }
    await player.heal(story, (line) => lines.push(line));
    expect(lines.filter((line) => line.startsWith('  seen: '))).toHaveLength(2 * story.healthy.length + story.symptoms.length);
  }, 120_000);
});
