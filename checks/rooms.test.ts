import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');
const PURE = ['render', 'diff', 'health', 'plan', 'notebook', 'triage'];
/** The wiring: main.ts, and the embedded cluster as a process below it. */
const PROGRAM = ['main.ts', 'embedded-server.ts', 'server-process.ts', 'spawn-server.ts'];
const MIDDLE = ['source', 'tools', ...PURE, 'cluster'];

/** Which rooms a room may import; everything else is forbidden. */
const MAY: Record<string, readonly string[]> = {
  model: [],
  ...Object.fromEntries([...MIDDLE, 'apiserver'].map((room) => [room, ['model']])),
  control: ['model', ...MIDDLE],
  api: ['model', 'control'],
  cli: ['model', 'control', ...PURE, 'source', 'cluster'],
  ...Object.fromEntries(
    PROGRAM.map((file) => [file, ['model', ...MIDDLE, 'apiserver', 'control', 'api', 'cli', ...PROGRAM]]),
  ),
};

/**
 * The world stands outside of the product: it may use these rooms, and of `src` only the wiring knows it, by its door.
 */
const WORLD = join(import.meta.dirname, '../world');
/** The page stands outside too, and speaks HTTP. */
const WEB = join(import.meta.dirname, '../web');
const WORLD_DOOR = '../world/demo/index.ts';
const WORLD_MAY = ['model', 'source', 'render', 'control', 'cluster', 'health'];
/** Fault worlds play a cluster in their own process. */
const FAULTS_MAY = [...WORLD_MAY, 'apiserver'];

/** The program puts the rooms together; where a door would load a whole room for one thing, it takes that thing. */
const MAIN_OPENS = ['cli/', 'apiserver/store/directory-lock.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const roomOf = (file: string): string => file.split('/')[0] ?? file;

/** Every relative import of a file, type imports and dynamic imports included. */
function importsOf(file: string, root = SRC): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) => {
    const target = relative(SRC, join(root, dirname(file), match[1] ?? ''));
    return target.replace(/\.js$/, '.ts');
  });
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));

describe('rooms', () => {
  it('every room is in the plan', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in MAY))).toEqual([]);
  });

  it('imports point down only, and enter a room by its door', () => {
    const wrong: string[] = [];
    for (const [file, targets] of graph) {
      const room = roomOf(file);
      for (const target of targets) {
        const other = roomOf(target);
        if (target.startsWith('..')) {
          if (!file.endsWith('.test.ts') && !(PROGRAM.includes(room) && target === WORLD_DOOR))
            wrong.push(`${file} leaves src: ${target}`);
        } else if (other === room) {
          if (target === `${room}/index.ts` && !file.endsWith('.test.ts')) wrong.push(`${file} imports its own door`);
        } else if (!(MAY[room] ?? []).includes(other)) wrong.push(`${file} may not import ${other}`);
        else if (
          !PROGRAM.includes(other) &&
          target !== `${other}/index.ts` &&
          !(room === 'main.ts' && MAIN_OPENS.some((path) => target.startsWith(path)))
        )
          wrong.push(`${file} bypasses the door of ${other}: ${target}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('the world enters rooms by their doors', () => {
    const doorsOf = (file: string): string[] =>
      (file.startsWith('faults/') ? FAULTS_MAY : WORLD_MAY).map((room) => `${room}/index.ts`);
    const parts = readdirSync(WORLD, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    );
    const wrong = parts.flatMap((file) =>
      importsOf(file, WORLD)
        .filter((target) => !target.startsWith('../world/') && !doorsOf(file).includes(target))
        .map((target) => `world/${file} may not import ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('nobody who makes faults knows who looks for their causes', () => {
    const parts = readdirSync(WORLD, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(parts.filter((file) => importsOf(file, WORLD).some((target) => roomOf(target) === 'triage'))).toEqual([]);
  });

  it('the page takes types of the model, and nothing else of the product', () => {
    const parts = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
    );
    const wrong = parts.flatMap((file) => {
      const outside = [
        ...readFileSync(join(WEB, file), 'utf8').matchAll(/^(.*)(?:from|import\() ?'((?:\.\.\/)+src\/[^']+)'/gm),
      ];
      return outside
        .filter(
          ([, before = '', target = '']) =>
            !before.startsWith('import type ') || !/\/src\/model\/index\.js$/.test(target),
        )
        .map(([line]) => `web/${file}: ${line}`);
    });
    expect(wrong).toEqual([]);
  });

  it('every room has a door that opens with its contract', () => {
    const rooms = [...new Set(files.map(roomOf))].filter((room) => !room.endsWith('.ts'));
    const missing = rooms.filter((room) => {
      const door = join(SRC, room, 'index.ts');
      return !existsSync(door) || !readFileSync(door, 'utf8').startsWith('/**');
    });
    expect(missing).toEqual([]);
  });

  it('no file imports itself through others', () => {
    expect(findCycle()).toEqual([]);
  });

  it('no default exports and no star re-exports', () => {
    const wrong = files.filter((file) => /^export (default\b|\*)/m.test(readFileSync(join(SRC, file), 'utf8')));
    expect(wrong).toEqual([]);
  });
});

/** The first import cycle as a list of files, or nothing. */
function findCycle(): string[] {
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
  for (const file of files) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
