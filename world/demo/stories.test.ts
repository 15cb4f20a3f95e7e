import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import { fastClock } from '../testing/fast-clock.js';
import { openOutside, type Outside } from './outside.js';
import { readStories } from './read-story.js';
import { StoryPlayer } from './story-player.js';

const stories = readStories(join(import.meta.dirname, '../stories'));

const LOOKS = 400;

const data = mkdtempSync(join(tmpdir(), 'argosy-stories-'));
const clock = fastClock();

let outside: Outside;
let server: ApiServer;
let cluster: Cluster;

beforeAll(async () => {
  outside = await openOutside({ folder: join(data, 'demo'), report: () => undefined });
  server = await startApiServer({ data, port: 0, controllers: true, log: () => undefined, clock, world: join(import.meta.dirname, '..'), probes: outside.probes });
  cluster = connect(await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }), { clock: systemClock, random: Math.random, report: () => undefined }, { version: '0.0.0', environment: {} });
  await outside.tell(cluster);
  await installCrds(cluster, await readCrds(join(import.meta.dirname, '../../crds')));
}, 60_000);

afterAll(async () => {
  await cluster.close();
  await server.close();
  await outside.close();
  rmSync(data, { recursive: true, force: true });
});

describe('stories break and heal', () => {
  it.each([...stories.values()])('$name', async (story) => {
    const lines: string[] = [];
    const player = new StoryPlayer({ cluster, pause: (milliseconds) => clock.pause(milliseconds), looks: LOOKS });
    await player.break(story, (line) => lines.push(line));
    await player.heal(story, (line) => lines.push(line));
    expect(lines.filter((line) => line.startsWith('  seen: '))).toHaveLength(2 * story.healthy.length + story.symptoms.length);
  }, 120_000);
});
