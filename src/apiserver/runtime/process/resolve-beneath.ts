import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs';

/** Linux only: a place of the file system, whatever is there, without opening it. */
const O_PATH = 0o10000000;
const MAX_LINKS = 40;

/** Why a path cannot be had. */
export class PathRefused extends Error {
  constructor(readonly reason: 'leads out' | 'absent' | 'no folder') {
    super(reason);
  }
}

/**
 * Opens what a path names in a folder that strangers write to, even at this moment. Each part is opened in the
 * descriptor of the one before, and links are followed here, never by the kernel: whatever is swapped meanwhile, the
 * result lies in the folder. `make`: folders that are not there are made. The caller closes the descriptor.
 */
export function openBeneath(root: string, path: string, make: ((made: number) => void) | undefined): number {
  const stack = [openSync(root, O_PATH | constants.O_DIRECTORY)];
  try {
    walk(stack, path, make);
    return stack.pop() as number;
  } finally {
    for (const descriptor of stack) closeSync(descriptor);
  }
}

function walk(stack: number[], path: string, make: ((made: number) => void) | undefined): void {
  const left = path.split('/').reverse();
  for (let links = 0, name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      leave(stack);
      continue;
    }
    const entry = enter(placeOf(stack, name), make);
    if (!fstatSync(entry).isSymbolicLink()) {
      stack.push(entry);
      continue;
    }
    closeSync(entry);
    // Whatever it says by now: it is followed from here, part by part.
    const target = readlinkSync(placeOf(stack, name));
    if (target.startsWith('/') || ++links > MAX_LINKS) throw new PathRefused('leads out');
    left.push(...target.split('/').reverse());
  }
}

function leave(stack: number[]): void {
  if (stack.length === 1) throw new PathRefused('leads out');
  closeSync(stack.pop() as number);
}

function placeOf(stack: readonly number[], name: string): string {
  return `/proc/self/fd/${stack.at(-1) ?? 0}/${name}`;
}

function enter(place: string, make: ((made: number) => void) | undefined): number {
  const open = (): number => openSync(place, O_PATH | constants.O_NOFOLLOW);
  try {
    return open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw new PathRefused('no folder');
    if (code !== 'ENOENT') throw error;
    if (make === undefined) throw new PathRefused('absent');
  }
  try {
    mkdirSync(place, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return open();
  }
  const made = open();
  make(made);
  return made;
}
