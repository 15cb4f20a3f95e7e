import { describe, expect, it } from 'vitest';
import { SUB_RECONCILERS } from '../src/control/delivery/reconcile-application.js';
import { importGraph, type ImportGraph } from './house/import-graph.js';
import { isTest, readSourceFiles } from './house/source-files.js';

const FOLDER = 'src/control/delivery';
const graph = importGraph(readSourceFiles('.ts').filter(({ path }) => path.startsWith('src/') && !isTest(path)));
const fileOf = (name: string): string =>
  `${FOLDER}/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
const files = SUB_RECONCILERS.map(({ name }) => fileOf(name));

/** The shortest way from one file to one of the others by imports, types included. */
function wayTo(start: string, ends: readonly string[], imports: ImportGraph): string[] | undefined {
  const ways = [[start]];
  const known = new Set(ways.flat());
  for (const way of ways)
    for (const next of imports.get(way.at(-1) ?? '') ?? []) {
      if (known.has(next)) continue;
      known.add(next);
      if (ends.includes(next)) return [...way, next];
      ways.push([...way, next]);
    }
  return undefined;
}

describe('sub-reconcilers', () => {
  it('are listed in order, each in a file of its own name', () => {
    expect(SUB_RECONCILERS.map(({ name }) => name)).toEqual([
      'admit',
      'resolve',
      'render',
      'compare',
      'decide',
      'operate',
      'writeStatus',
    ]);
    expect(SUB_RECONCILERS.map(({ run }) => run.name)).toEqual(SUB_RECONCILERS.map(({ name }) => name));
    expect(files.filter((file) => !graph.has(file))).toEqual([]);
  });

  it.each(files)('%s does not import another one, directly or through other files', (file) => {
    const others = files.filter((each) => each !== file);
    expect(wayTo(file, [...others, `${FOLDER}/reconcile-application.ts`], graph)).toBeUndefined();
  });

  it('an import of an earlier one through another file is found', () => {
    const imports = new Map([
      ['render.ts', ['shared.ts']],
      ['shared.ts', ['admit.ts']],
    ]);
    expect(wayTo('render.ts', ['admit.ts'], imports)).toEqual(['render.ts', 'shared.ts', 'admit.ts']);
  });
});
