/**
 * demo: the stories of the world, played on the embedded cluster. A story says how a problem comes, what can be seen,
 * what the cause is and how it goes; `stories/NAME.yaml` is all of it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../src/cluster/index.js';
import { Fault } from '../../src/model/faults/index.js';
import { isObject } from '../../src/model/json/index.js';
import { knownDemo, type Demo } from './fleet/known-demo.js';
import { readStories } from './read-story.js';
import type { Story } from './story.js';
import { StoryPlayer } from './story-player.js';

export type { Demo } from './fleet/known-demo.js';
export { openOutside, type Outside, type OutsideOptions } from './outside/open-outside.js';
export { REPOSITORIES } from './outside/repositories.js';
export { demoImages } from './process-images.js';
export { readStories } from './read-story.js';
export { hasAll, isNamed, isText, StoryPlayer, type PlayOptions } from './story-player.js';
export type { Story, StoryRef, StorySign, StoryStep } from './story.js';

/** `demo/` of the data directory, and who is told how far it is. */
export interface StartDemoOptions {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly progress: (delivered: number, all: number) => void;
}

/** Sets up the fleet of the demo at the first start; a later one finds it as it was left. */
export async function startDemo(options: StartDemoOptions): Promise<Demo> {
  const known = await knownDemo(options.cluster);
  if (known !== undefined) return known;
  // The fleet is much to load, and only the first start needs it.
  const { setUpDemo } = await import('./fleet/set-up-demo.js');
  return setUpDemo({ ...options, pause: (milliseconds) => pause(milliseconds), maxPolls: MAX_POLLS });
}

/** A minute for each thing that should be seen. */
const MAX_POLLS = 240;

export interface Stories {
  readonly stories: readonly {
    readonly name: string;
    readonly title: string;
    readonly seed: string;
    readonly because: string;
    readonly repair: string;
  }[];
  play(name: string, act: 'break' | 'heal', cluster: Cluster, tell: (line: string) => void): Promise<void>;
}

export function openStories(folder: string): Promise<Stories> {
  const stories = readStories(folder);
  return Promise.resolve({
    stories: [...stories.values()].map(({ name, title, seed, cause: { because, repair } }) => ({
      name,
      title,
      seed,
      because,
      repair,
    })),
    play: (name, act, cluster, tell) => play(stories.get(name), act, cluster, tell),
  });
}

async function play(
  story: Story | undefined,
  act: 'break' | 'heal',
  cluster: Cluster,
  tell: (line: string) => void,
): Promise<void> {
  if (story === undefined) throw new Fault('USAGE', 'there is no such story');
  await checkEmbedded(cluster);
  await new StoryPlayer({ cluster, pause: (milliseconds) => pause(milliseconds), maxPolls: MAX_POLLS })[act](
    story,
    tell,
  );
}

/** Nobody wants a story in a cluster that people depend on. */
async function checkEmbedded(cluster: Cluster): Promise<void> {
  const version = await cluster.document('/version');
  if (isObject(version) && typeof version.gitVersion === 'string' && version.gitVersion.endsWith('+argosy')) return;
  throw new Fault('STORY_FAILED', 'stories are played on the embedded cluster only', { where: cluster.server });
}
