import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

type Cut = readonly [before: string, after: string];

/** Decisions that are taken out of a copy of the program, to show that the attacks find what follows. */
export const WEAKENINGS: Readonly<Record<string, readonly Cut[]>> = {
  'the tree trusts the status': [
    [
      'const nodes=await nodesBelow(place.owned,place)',
      'const nodes=await nodesBelow([...place.owned,...objectsAt(application,"status","resources").flatMap((raw)=>' +
        'place.clusterCache.get(keyAt(raw))??[])],place)',
    ],
  ],
  'clusters are replaced whosever they are': [
    [
      'mustFound(kind,action,object){',
      'mustFound(kind,action,object){if(kind.resource==="clusters"&&action==="update")return;',
    ],
  ],
  'ApplicationSets are replaced whosever they are': [
    [
      'mustFound(kind,action,object){',
      'mustFound(kind,action,object){if(kind.resource==="applicationsets"&&action==="update")return;',
    ],
  ],
  'mirrors are shared by all projects': [
    [
      'function accessKey(key,url,access,address){',
      'function accessKey(key,url,access,address){access={};address=undefined;',
    ],
    ['function accessProof(key,access){', 'function accessProof(key,access){access={};'],
  ],
};

/** Of the texts that are to be taken out, those that the program does not have. */
export function unknownCuts(): string[] {
  const dist = join(ROOT, 'dist');
  const texts = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(dist, name), 'utf8'));
  return Object.values(WEAKENINGS)
    .flat()
    .map(([before]) => before)
    .filter((before) => !texts.some((text) => text.includes(before)));
}

/** A copy of the built program without these decisions, beside the files of the package that it reads. */
export function weakened(cuts: readonly Cut[]): { readonly main: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-weakened-'));
  const dist = join(folder, 'dist');
  cpSync(join(ROOT, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') });
  for (const name of readdirSync(ROOT).filter((each) => each !== 'dist' && !each.startsWith('.')))
    symlinkSync(join(ROOT, name), join(folder, name));
  for (const [before, after] of cuts) {
    const files = readdirSync(dist).filter(
      (name) => name.endsWith('.js') && readFileSync(join(dist, name), 'utf8').includes(before),
    );
    if (files.length === 0) throw new Error(`the program has no ${before} to take out`);
    for (const name of files) {
      const path = join(dist, name);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(before, after));
    }
  }
  return {
    main: join(dist, 'main.js'),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
