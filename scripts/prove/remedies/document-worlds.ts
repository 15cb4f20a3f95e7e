import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../../../src/cluster/index.js';
import { isObject, textAt } from '../../../src/model/json/index.js';
import { splitApiVersion, type KubeObject } from '../../../src/model/kubernetes/index.js';
import { PODS } from '../../../src/model/resources/index.js';
import { readYaml } from '../../../src/model/yaml/index.js';
import { readStories, StoryPlayer, type Story } from '../../../world/demo/index.js';
import { carryOutRemedies, type RemedyResult } from './carry-out.js';
import type { CommandLine } from './command-line.js';
import { withPlayedWorld, type PlayedWorld } from './played-remedy-world.js';

/** A world that people wrote about, and what is done in it until something is wrong. */
export interface RemedyCase {
  readonly name: string;
  carryOut(shell: CommandLine): Promise<RemedyResult[]>;
}

const STORY_REMEDIES = 3;
const INVENTORY_REMEDIES = 12;
/** Each look costs requests, and time in these worlds costs nothing. */
const POLL = { slower: 4, max: 600 };
/** Consequences that come late have come. */
const SETTLED = 3;

const WORLD = join(import.meta.dirname, '../../../world');

/** The stories of `argosy demo list`. */
export function storyWorlds(): RemedyCase[] {
  // As in a demo, where all of them are there.
  const controllers = readdirSync(join(WORLD, 'controllers'));
  return [...readStories(join(WORLD, 'stories')).values()].map((story) => ({
    name: `story ${story.name}`,
    carryOut: (shell) =>
      withPlayedWorld(controllers, async (world) => {
        await breakStory(story, world);
        await world.play(SETTLED);
        return carryOutRemedies(await world.collect(), world, shell, STORY_REMEDIES);
      }),
  }));
}

function breakStory(story: Story, { cluster, pause }: PlayedWorld): Promise<void> {
  const player = new StoryPlayer({
    cluster,
    pause: (milliseconds) => pause(milliseconds * POLL.slower),
    maxPolls: POLL.max,
  });
  return player.break(story, () => undefined);
}

const FOLDER = join(import.meta.dirname, '../../../contracts/seeds/world-004');
/** How the Vault of each environment is found. */
const VAULTS = [
  ['ameide-dev', 'foundation-vault-core-0', 'ready'],
  ['ameide-staging', 'vault-core-staging-0', 'sealed'],
  ['ameide-prod', 'vault-core-prod-0', 'ready'],
] as const;

/** Three environments of the inventory: a Vault that is sealed, one that denies, pods that cannot start. */
export const INVENTORY: RemedyCase = {
  name: 'the environments of the inventory',
  carryOut: (shell) =>
    withPlayedWorld(['vault', 'external-secrets'], async (world) => {
      await world.during(applyAll(world, readObjects(join(FOLDER, 'objects.yaml'))));
      await world.play(SETTLED);
      for (const [namespace, name, state] of VAULTS)
        await world.during(
          world.cluster.patch(
            PODS,
            { namespace, name },
            { type: 'merge', body: { metadata: { annotations: { 'world.argosy.dev/vault': state } } } },
          ),
        );
      await world.play(SETTLED);
      return carryOutRemedies(await world.collect(), world, shell, INVENTORY_REMEDIES);
    }),
};

function readObjects(file: string): KubeObject[] {
  return readYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file })
    .map(({ value }) => value)
    .filter(isObject) as unknown as KubeObject[];
}

/** What is refused because of its place in the order is tried again at the end. */
async function applyAll({ cluster }: Pick<PlayedWorld, 'cluster'>, objects: readonly KubeObject[]): Promise<void> {
  const { kinds } = await cluster.discover();
  const refused: KubeObject[] = [];
  for (const object of objects) {
    const { group, version } = splitApiVersion(object.apiVersion);
    const kind = kinds.find((each) => each.group === group && each.version === version && each.kind === object.kind);
    if (kind === undefined) throw new Error(`nothing serves ${object.apiVersion} ${object.kind}`);
    try {
      await cluster.apply(kind, object, { force: true });
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      refused.push(object);
    }
  }
  if (refused.length === objects.length && refused.length > 0)
    throw new Error(`refused: ${textAt(refused[0], 'metadata', 'name')}`);
  if (refused.length > 0) await applyAll({ cluster }, refused);
}
