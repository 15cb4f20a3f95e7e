import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../harness/sizes.js';
import { embeddedMissing, startEmbeddedProcess } from '../embedded/embedded-server.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { builtPart, realParts } from '../real/parts.js';
import { cachedAnswer } from '../real/cached-answer.js';
import { play, type CommandOutput, type Target } from './play.js';
import { readTopics, type Topic } from './topic.js';

const BUILD_AND_PLAY = 20 * 60_000;
/** Topics at the same time: each runs one kubectl on each of the two servers. */
const LANES = 3;

const parts = await realParts(['etcd', 'kube-apiserver', 'kubectl']);
const absent =
  parts.kind === 'missing' ? `skipped: kubectl beside kube-apiserver (${parts.reason})` : embeddedMissing();
/** `npm run prove -- whole-suites` plays all of them. */
const topics = readTopics().filter((_, index) => IS_WHOLE || index % 3 === 0);
const outputs = new Map<Topic, { readonly real: readonly CommandOutput[]; readonly ours: readonly CommandOutput[] }>();
const stops: (() => Promise<void> | void)[] = [];

/** The programs that a command's answer goes through here: what they mask is part of it. */
const READERS = ['play.ts', 'mask.ts', 'differences.ts'].map((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8'),
);

function target(kubectl: string, server: { readonly kubeconfigPath: string; stop(): Promise<void> }): Target {
  const cacheDir = mkdtempSync(join(tmpdir(), 'argosy-kubectl-cache-'));
  stops.push(
    () => {
      rmSync(cacheDir, { recursive: true, force: true });
    },
    () => server.stop(),
  );
  return { kubeconfigPath: server.kubeconfigPath, cacheDir, kubectl };
}

/** The real server is started when the first topic asks it. */
function realServer(kubectl: string): () => Promise<Target> {
  let started: Promise<Target> | undefined;
  return () => (started ??= startRealControlPlane({ etcdFsync: false }).then((server) => target(kubectl, server)));
}

async function playAll(kubectl: string): Promise<void> {
  const real = realServer(kubectl);
  const ours = target(kubectl, await startEmbeddedProcess());
  const left = [...topics];
  const lane = async (): Promise<void> => {
    for (let topic = left.shift(); topic !== undefined; topic = left.shift()) {
      const played = topic;
      const [theirs, own] = await Promise.all([
        cachedAnswer('kubectl', [kubectl, JSON.stringify(played), ...READERS], async () => play(await real(), played)),
        play(ours, played),
      ]);
      outputs.set(played, { real: theirs, ours: own });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('kubectl shows the same on kube-apiserver and on our server', () => {
  if (absent !== undefined) {
    it.skip(absent, () => {
      /* the name says why */
    });
    return;
  }
  beforeAll(async () => playAll(await builtPart('kubectl')), BUILD_AND_PLAY);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  describe.each(topics)('$name', (topic) => {
    for (const [index, { run }] of topic.commands.entries()) {
      it(`${String(index + 1).padStart(2, '0')} ${run}`, () => {
        const both = outputs.get(topic);
        expect(both?.ours[index]).toEqual(both?.real[index]);
        expect(both?.real[index]).toBeDefined();
      });
    }
  });
});
