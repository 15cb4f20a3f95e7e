import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInProcessController, type InProcessController } from '../../contracts/harness/in-process-controller.js';
import { IS_WHOLE } from '../../contracts/harness/sizes.js';
import { realParts } from '../../contracts/real/parts.js';
import { KubectlInspector } from '../../contracts/world/kubectl-inspector.js';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { fastClock } from '../testing/fast-clock.js';
import { openOutside, type Outside } from './outside/open-outside.js';
import { readStories, readStory } from './read-story.js';
import type { Story, StorySign } from './story.js';
import { StoryPlayer } from './story-player.js';
import { NO_LOG } from '../../src/model/logging/index.js';

const stories = readStories(join(import.meta.dirname, '../stories'));

/** Each look costs requests; time in the cluster runs fast, so that the pause of a person would be over at once. */
const SLOWER_POLLS = 4;
const MAX_POLLS = 600;
const MAX_KUBECTL_POLLS = 60;

const parts = await realParts(['kubectl']);
const data = mkdtempSync(join(tmpdir(), 'argosy-stories-'));
const clock = fastClock();

let outside: Outside;
let server: ApiServer;
let cluster: Cluster;
let controller: InProcessController;
let kubectlInspector: KubectlInspector | undefined;

beforeAll(async () => {
  outside = await openOutside({ folder: join(data, 'demo'), report: () => undefined });
  server = await startApiServer({
    data,
    port: 0,
    controllers: true,
    log: NO_LOG,
    clock,
    world: join(import.meta.dirname, '..'),
    probes: outside.probes,
  });
  cluster = connect(
    await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0.0.0', environment: {} },
  );
  await outside.publishAddresses(cluster);
  controller = await startInProcessController({ kubeconfigPath: server.kubeconfig, namespace: 'argocd' });
  kubectlInspector =
    parts.kind === 'built' ? new KubectlInspector(parts.path('kubectl'), server.kubeconfig) : undefined;
});

afterAll(async () => {
  kubectlInspector?.close();
  await controller.stop();
  await cluster.close();
  await server.close();
  await outside.close();
  rmSync(data, { recursive: true, force: true });
});

const sorts = new Set<string>();

/**
 * What kubectl prints of each sort of sign and kind of object is looked at once: contracts/kubectl compares it with the
 * real server. `npm run prove -- whole-suites` looks at every symptom.
 */
function isNewForKubectl(sign: StorySign): boolean {
  const sort = `${sign.kind} ${'of' in sign ? sign.of.kind : sign.object.kind}`;
  if (!IS_WHOLE && sorts.has(sort)) return false;
  sorts.add(sort);
  return true;
}

/** What kubectl prints instead of a sign; it may need some looks, as people do. */
async function missingInKubectl(sign: StorySign, by: KubectlInspector): Promise<string | undefined> {
  for (let left = MAX_KUBECTL_POLLS; ; left--) {
    const seen = await clock.whileStill(() => by.check(sign));
    if (seen === true) return undefined;
    if (left === 0) return `kubectl does not show ${JSON.stringify(sign)}\n${seen}`;
    by.forget();
    await clock.pause(1000);
  }
}

describe(`stories break and heal${parts.kind === 'built' ? '' : `, skipped: kubectl (${parts.reason})`}`, () => {
  it.each([...stories.values()])(
    '$name',
    async (story) => {
      const lines: string[] = [];
      const unseen: Promise<string | undefined>[] = [];
      const player = new StoryPlayer({
        cluster,
        pause: (milliseconds) => clock.pause(milliseconds * SLOWER_POLLS),
        maxPolls: MAX_POLLS,
        onSymptom: (symptom) => {
          if (kubectlInspector !== undefined && isNewForKubectl(symptom))
            unseen.push(missingInKubectl(symptom, kubectlInspector));
        },
      });
      kubectlInspector?.expect(story.symptoms);
      await player.break(story, (line) => lines.push(line));
      expect((await Promise.all(unseen)).filter((each) => each !== undefined)).toEqual([]);
      await player.heal(story, (line) => lines.push(line));
      expect(lines.filter((line) => line.startsWith('  seen: '))).toHaveLength(
        2 * story.healthy.length + story.symptoms.length,
      );
    },
    120_000,
  );
});

describe('an Event is a symptom', () => {
  const event = (message: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'said-once', namespace: 'default' },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'teller' },
      type: 'Warning',
      reason: 'Said',
      message,
    });
  const story = (scene: string, broken: string, asked: string): Story =>
    readStory(
      'a-story',
      `
title: t
seed: "000"
heading: h
scene: [${scene}]
break: [${broken}]
symptoms:
- event: {apiVersion: v1, kind: ConfigMap, namespace: default, name: teller}
  type: Warning
  reason: Said
  message: ${asked}
cause: {object: {apiVersion: v1, kind: ConfigMap, name: teller}, because: b, repair: r, untold: nobody asks}
`,
    );
  const play = (told: Story): Promise<void> =>
    new StoryPlayer({ cluster, pause: (milliseconds) => clock.pause(milliseconds), maxPolls: 2 }).break(
      told,
      () => undefined,
    );
  const remove = '{delete: {apiVersion: v1, kind: Event, namespace: default, name: said-once}}';

  it('when it is of this play and has the whole message', async () => {
    await play(story(remove, `{apply: ${event('one two three')}}`, 'one two three'));
    await play(story(remove, `{apply: ${event('one two three')}}`, 'one <any> three'));
    await expect(play(story(remove, `{apply: ${event('one two three')}}`, 'one two'))).rejects.toThrow(
      'Warning Said: one two three',
    );
  });

  it('and not when it is of an earlier one', async () => {
    await expect(play(story(`{apply: ${event('one two three')}}`, '', 'one two three'))).rejects.toThrow(
      'was not seen',
    );
  });
});
