import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitApiVersion, type KubeObject } from '../../src/model/kubernetes/index.js';
import { writeYaml } from '../../src/model/yaml/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { Collected } from './collect.js';
import type { Label } from './injection/label.js';
import { makeRenamer } from './make-renamer.js';

/** What git holds, by branch. */
export interface GitTree {
  readonly url: string;
  readonly branches: readonly {
    readonly name: string;
    readonly commit: string;
    readonly files: Readonly<Record<string, string>>;
  }[];
}

/** A platform in which something is wrong, as it can be seen at one moment, and what is true of it. */
export interface FaultWorld extends Collected {
  readonly time: string;
  readonly git: GitTree;
  readonly label: Label;
}

/** Where the repository is said to be. */
export const REPOSITORY_URL = 'https://git.example.com/ameide/fleet.git';

/** The same world, with other names by the seed of its label. */
export function renamed(world: FaultWorld): FaultWorld {
  return JSON.parse(makeRenamer(world.label.seed)(JSON.stringify(world))) as FaultWorld;
}

/**
 * Writes a world as folders of files: what `kubectl get -o yaml` gives, logs, the repository's files, and the label.
 */
export function writeFaultWorld(folder: string, { time, objects, events, logs, git, label }: FaultWorld): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const kinds = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const kind = `${object.kind.toLowerCase()}.${splitApiVersion(object.apiVersion).group || 'core'}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), object]);
  }
  for (const [kind, items] of kinds) write(`objects/${kind}.yaml`, listText(items));
  write('objects/event.core.yaml', listText(events));
  for (const { namespace, pod, container, isPrevious, text } of logs)
    write(`logs/${namespace}/${pod}/${container}${isPrevious ? '.previous' : ''}.log`, text);
  for (const { name, files } of git.branches)
    for (const [path, text] of Object.entries(files)) write(`git/${name}/${path}`, text);
  write(
    'snapshot.yaml',
    writeYaml({
      time,
      repository: git.url,
      branches: Object.fromEntries(git.branches.map(({ name, commit }) => [name, commit])),
      kinds: [...kinds.keys()].sort(),
    }),
  );
  write('label.yaml', writeYaml(label as unknown as JsonObject));
}

function listText(items: readonly KubeObject[]): string {
  return writeYaml({
    apiVersion: 'v1',
    kind: 'List',
    metadata: { resourceVersion: '' },
    items: items as unknown as JsonObject[],
  });
}
