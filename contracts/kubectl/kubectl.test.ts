import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { builtPart, realParts } from '../real/parts.js';
import { play, type Shown, type Target } from './play.js';
import { readTopics, type Topic } from './topic.js';

const BUILD_AND_PLAY = 20 * 60_000;
/** Topics at the same time: each runs one kubectl on each of the two servers. */
const LANES = 3;

const parts = await realParts(['etcd', 'kube-apiserver', 'kubectl']);
const absent = parts.kind === 'missing' ? `skipped: kubectl beside kube-apiserver (${parts.reason})` : embeddedMissing();
const topics = readTopics();
const shown = new Map<Topic, { readonly real: readonly Shown[]; readonly ours: readonly Shown[] }>();
const stops: (() => Promise<void> | void)[] = [];

async function open(kubectl: string): Promise<{ readonly real: Target; readonly ours: Target }> {
  const caches = mkdtempSync(join(tmpdir(), 'argosy-kubectl-cache-'));
  stops.push(() => { rmSync(caches, { recursive: true, force: true }); });
  const [real, ours] = await Promise.all([startRealControlPlane({ etcdFsync: false }), startEmbeddedServer()]);
  stops.push(() => real.stop(), () => ours.stop());
  return {
    real: { kubeconfigPath: real.kubeconfigPath, cacheDir: join(caches, 'real'), kubectl },
    ours: { kubeconfigPath: ours.kubeconfigPath, cacheDir: join(caches, 'ours'), kubectl },
  };
}

async function playAll(servers: { readonly real: Target; readonly ours: Target }): Promise<void> {
  const left = [...topics];
  const lane = async (): Promise<void> => {
    for (let topic = left.shift(); topic !== undefined; topic = left.shift()) {
      const [real, ours] = await Promise.all([play(servers.real, topic), play(servers.ours, topic)]);
      shown.set(topic, { real, ours });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('kubectl shows the same on kube-apiserver and on our server', () => {
  if (absent !== undefined) {
    it.skip(absent, () => { /* the name says why */ });
    return;
  }
  beforeAll(async () => playAll(await open(await builtPart('kubectl'))), BUILD_AND_PLAY);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  describe.each(topics)('$name', (topic) => {
    for (const [index, { run }] of topic.commands.entries()) {
      it(`${String(index + 1).padStart(2, '0')} ${run}`, () => {
        const both = shown.get(topic);
        expect(both?.ours[index]).toEqual(both?.real[index]);
        expect(both?.real[index]).toBeDefined();
      });
    }
  });
});
