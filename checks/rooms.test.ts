import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycle, importGraph, loadedWith, mutualSiblings, staticImports } from './house/import-graph.js';
import { doorNames } from './house/syntax.js';
import { isTest, readSourceFiles, ROOT } from './house/source-files.js';

const PURE = ['render', 'diff', 'health', 'plan', 'notebook', 'triage', 'install'];
/** The wiring: main.ts, and the embedded cluster as a process below it. `library` stands beside it. */
const PROGRAM = [
  'main.ts',
  'command-name.ts',
  'contain.ts',
  'embedded-server.ts',
  'package-folders.ts',
  'server-process.ts',
  'spawn-server.ts',
];
const MIDDLE = ['source', 'tools', ...PURE, 'cluster'];

/** Which rooms a room may import; everything else is forbidden. */
const MAY: Record<string, readonly string[]> = {
  model: [],
  net: ['model'],
  ...Object.fromEntries(PURE.map((room) => [room, ['model']])),
  ...Object.fromEntries(['source', 'tools', 'cluster', 'apiserver'].map((room) => [room, ['model', 'net']])),
  audit: ['model', 'net'],
  control: ['model', 'net', 'audit', ...MIDDLE],
  api: ['model', 'net', 'audit', 'control'],
  cli: ['model', 'net', 'audit', 'control', ...PURE, 'source', 'cluster'],
  ...Object.fromEntries(
    [...PROGRAM, 'library'].map((file) => [
      file,
      ['model', 'net', ...MIDDLE, 'audit', 'apiserver', 'control', 'api', 'cli', ...PROGRAM],
    ]),
  ),
};

/** The world is not part of the product: it may use these rooms; of `src` only the wiring imports it, by its door. */
const WORLD_DOOR = 'world/demo/index.ts';
const WORLD_MAY = ['model', 'source', 'render', 'control', 'cluster', 'health'];
/** Fault worlds play a cluster in their own process. */
const FAULTS_MAY = [...WORLD_MAY, 'apiserver'];

/** The door of `cli` would load the whole command line for the folder reader that the library needs. */
const LIBRARY_OPENS = 'src/cli/local/index.ts';

const MAX_NAMES_OF_A_DOOR = 80;
const MAX_FILES_OF_A_FOLDER = 40;

const files = readSourceFiles('.ts', '.tsx');
const graph = importGraph(files);
const product = new Map([...graph].filter(([file]) => /^(src|web)\//.test(file) && !isTest(file)));
const sources = [...graph].filter(([file]) => file.startsWith('src/'));
const world = [...graph].filter(([file]) => file.startsWith('world/'));

const roomOf = (file: string): string => file.split('/')[1] ?? file;
/** The folder of a room that a file lies in; nothing for files that lie in the room itself. */
const folderOf = (file: string): string | undefined => /^src\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0];

/** The rooms of the ground floor have a door for each subject, every other room one. */
const BY_SUBJECT = ['model', 'net'];

function isDoorOf(room: string, file: string): boolean {
  const isSubject = file.startsWith(`src/${room}/`) && /^src\/[^/]+\/[^/]+\/index\.ts$/.test(file);
  return BY_SUBJECT.includes(room) ? isSubject : file === `src/${room}/index.ts`;
}

function roomViolation(file: string, target: string): string | undefined {
  const [room, other] = [roomOf(file), roomOf(target)];
  if (!target.startsWith('src/')) {
    if (isTest(file) || (PROGRAM.includes(room) && target === WORLD_DOOR)) return undefined;
    return `${file} leaves src: ${target}`;
  }
  if (other === room)
    return target === `src/${room}/index.ts` && !isTest(file) ? `${file} imports its own door` : undefined;
  if (!(MAY[room] ?? []).includes(other)) return `${file} may not import ${other}`;
  const isOpen = room === 'library' && target === LIBRARY_OPENS;
  return PROGRAM.includes(other) || isDoorOf(other, target) || isOpen
    ? undefined
    : `${file} bypasses the door of ${other}: ${target}`;
}

describe('rooms', () => {
  it('every room is in the plan', () => {
    expect([...new Set(sources.map(([file]) => roomOf(file)))].filter((room) => !(room in MAY))).toEqual([]);
  });

  it('imports point down only, and enter a room by its door', () => {
    const wrong = sources.flatMap(([file, targets]) => targets.map((target) => roomViolation(file, target)));
    expect(wrong.filter((each) => each !== undefined)).toEqual([]);
  });

  it('inside a room, a folder is entered by its door; only what is loaded on demand is named by its file', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('src/') && !isTest(path))
      .flatMap((file) =>
        staticImports(file)
          .filter((target) => roomOf(target) === roomOf(file.path))
          .filter((target) => folderOf(target) !== undefined && folderOf(target) !== folderOf(file.path))
          .filter((target) => target !== `${folderOf(target) ?? ''}/index.ts`)
          .map((target) => `${file.path} bypasses the door of ${folderOf(target) ?? ''}: ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('the command line starts without any other room: commands load what they need', () => {
    const rooms = new Set(loadedWith('src/main.ts', files).map(roomOf));
    expect([...rooms].filter((room) => !room.endsWith('.ts') && !['cli', 'model'].includes(room))).toEqual([]);
  });

  it('folders with the same parent do not import each other both ways', () => {
    expect(mutualSiblings(product)).toEqual([]);
  });

  it('the world enters rooms by their doors', () => {
    const wrong = world
      .filter(([file]) => !isTest(file))
      .flatMap(([file, targets]) => {
        const rooms = file.startsWith('world/faults/') ? FAULTS_MAY : WORLD_MAY;
        return targets
          .filter((target) => !target.startsWith('world/') && !rooms.some((room) => isDoorOf(room, target)))
          .map((target) => `${file} may not import ${target}`);
      });
    expect(wrong).toEqual([]);
  });

  it('nobody who makes faults knows who looks for their causes', () => {
    const wrong = world.filter(([, targets]) => targets.some((target) => target.startsWith('src/triage/')));
    expect(wrong.map(([file]) => file)).toEqual([]);
  });

  it('the page takes types of the model, and nothing else of the product', () => {
    const wrong = files
      .filter(({ path }) => path.startsWith('web/') && !isTest(path))
      .flatMap(({ path, text }) => {
        const outside = [...text.matchAll(/^(.*)(?:from|import\() ?'((?:\.\.\/)+src\/[^']+)'/gm)];
        return outside
          .filter(
            ([, before = '', target = '']) =>
              !/^(import type |\})/.test(before) || !/\/src\/model\/[a-z]+\/index\.js$/.test(target),
          )
          .map(([line]) => `${path}: ${line}`);
      });
    expect(wrong).toEqual([]);
  });

  it('no file imports itself through others', () => {
    expect(findCycle(new Map([...graph].filter(([file]) => /^(src|web)\//.test(file))))).toEqual([]);
  });

  it('no default exports and no star re-exports', () => {
    const wrong = files.filter(({ path, text }) => path.startsWith('src/') && /^export (default\b|\*)/m.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('doors', () => {
  const doors = files.filter(({ path }) => /^src\/[^/]+\/([^/]+\/)?index\.ts$/.test(path));

  it('every room has one, those of the ground floor one for each subject', () => {
    const rooms = [...new Set(sources.map(([file]) => roomOf(file)))].filter((room) => !room.endsWith('.ts'));
    const missing = rooms.filter(
      (room) => ![...BY_SUBJECT, 'library'].includes(room) && !existsSync(join(ROOT, 'src', room, 'index.ts')),
    );
    expect(missing).toEqual([]);
  });

  it('each opens with its contract', () => {
    const missing = doors.filter(({ text }) => !text.startsWith('/**') || /^\/\*\*\s*\*? ?\w+: CONTRACT/.test(text));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it(`each has fewer than ${MAX_NAMES_OF_A_DOOR} names`, () => {
    const wide = doors.map((door) => ({ path: door.path, names: doorNames(door).length }));
    expect(wide.filter(({ names }) => names >= MAX_NAMES_OF_A_DOOR)).toEqual([]);
  });

  it(`no folder holds more than ${MAX_FILES_OF_A_FOLDER} files`, () => {
    const counts = new Map<string, number>();
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => /^(src|web)\b/.test(folder) && count > MAX_FILES_OF_A_FOLDER);
    expect(full).toEqual([]);
  });
});
