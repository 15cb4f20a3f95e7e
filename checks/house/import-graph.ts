import { dirname, join, normalize } from 'node:path';
import type { SourceFile } from './source-files.js';

/** Which files a file imports; type imports and imports on demand included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const known = new Set(files.map(({ path }) => path));
  return new Map(files.map(({ path, text }) => [path, importsOf(path, text, known)]));
}

/** What a file loads when it is loaded itself; imports on demand are left out. */
export function staticImports({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/from\s*'(\.[^']+)'/g)].map(([, written = '']) =>
    normalize(join(dirname(path), written)).replace(/\.js$/, '.ts'),
  );
}

/** Every file that is loaded with one, types left out. */
export function loadedWith(start: string, files: readonly SourceFile[]): string[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set([start]);
  // A set gives what is added while it is walked.
  for (const path of loaded) {
    const file = known.get(path);
    if (file === undefined) continue;
    const text = file.text.replace(/^(?:import|export) type [^;]*;/gm, '');
    for (const target of staticImports({ path, text })) loaded.add(target);
  }
  return [...loaded];
}

const RELATIVE = /(?:from|import\()\s*'(\.[^']+)'/g;

function importsOf(path: string, text: string, known: ReadonlySet<string>): string[] {
  return [...text.matchAll(RELATIVE)].map(([, written = '']) => {
    const target = normalize(join(dirname(path), written));
    const endings = [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx'), `${target}.ts`, `${target}.tsx`];
    return endings.find((each) => known.has(each)) ?? target;
  });
}

/** The first import cycle as a list of files, or nothing. */
export function findCycle(graph: ImportGraph): string[] {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Folders with the same parent whose files import each other both ways, with an import for each way. */
export function mutualSiblings(graph: ImportGraph): string[] {
  const first = new Map<string, string>();
  for (const [file, targets] of graph)
    for (const target of targets) {
      const pair = siblingsOf(dirname(file), dirname(target));
      if (pair !== undefined && !first.has(pair)) first.set(pair, `${file} -> ${target}`);
    }
  return [...first].flatMap(([pair, forth]) => {
    const [a = '', b = ''] = pair.split(' ');
    const back = first.get(`${b} ${a}`);
    return a < b && back !== undefined ? [`${a} <-> ${b}: ${forth}, ${back}`] : [];
  });
}

/** The folders below the common parent in which the two lie; nothing where one contains the other. */
function siblingsOf(a: string, b: string): string | undefined {
  const [from, to] = [a.split('/'), b.split('/')];
  const depth = from.findIndex((part, index) => part !== to[index]);
  if (depth === -1 || to[depth] === undefined) return undefined;
  return `${from.slice(0, depth + 1).join('/')} ${to.slice(0, depth + 1).join('/')}`;
}
