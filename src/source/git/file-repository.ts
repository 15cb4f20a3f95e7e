import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { maskUrl, type Address } from '../common/index.js';

/** Which folders of this machine may hold repositories. */
export interface FileRepositories {
  /** Folders whose repositories may be read, at any depth. */
  readonly allowed: readonly string[];
  /** Folders that hold secrets of ours: below them only what is allowed by a folder inside. */
  readonly refused: readonly string[];
}

/** Where `git upload-pack` looks for the repository, in its order. */
const SUFFIXES = ['/.git', '', '.git/.git', '.git'];
const MAX_ALTERNATES = 5;

/** The same without links, of those that are there. */
type Places = FileRepositories;

/** Opens repositories of this machine, and looks at each once for all who ask before the look is over. */
export class FileRepositoryGate {
  readonly #looks = new Map<string, Promise<Address>>();

  constructor(private readonly folders: FileRepositories) {}

  open(address: Address): Promise<Address> {
    const { url } = address;
    const known = this.#looks.get(url);
    if (known !== undefined) return known;
    const look = openFileRepository(address, this.folders).finally(() => this.#looks.delete(url));
    this.#looks.set(url, look);
    return look;
  }
}

/**
 * The address of a repository on this machine as git gets it: without links, in a folder that is allowed, and made of
 * nothing that lies elsewhere. What is refused is refused alike, whether or not it is there.
 */
async function openFileRepository(address: Address, folders: FileRepositories): Promise<Address> {
  const path = pathOf(address.url);
  const refused = (): Fault =>
    new Fault('SOURCE_REFUSED', 'the repository is in no folder of this machine that may be read', {
      where: maskUrl(address.url),
      hint: 'start with --allow-file-repos FOLDER, or serve the repository over https or ssh',
    });
  if (path === undefined) throw refused();
  const [places, real] = await Promise.all([placesOf(folders), realpath(path).catch(() => undefined)]);
  if (real === undefined) {
    // What is not there may be named where it could be.
    if (isAllowed(resolve(path), places)) throw notThere(address);
    throw refused();
  }
  if (!isAllowed(real, places) || !(await isWhole(real, places))) throw refused();
  return { ...address, url: `file://${real.split(sep).map(encodeURIComponent).join('/')}` };
}

function notThere({ url }: Address): Fault {
  return new Fault('SOURCE_REFUSED', `the repository ${maskUrl(url)} is not there`, { where: maskUrl(url) });
}

/** As git decodes it. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.slice('file://'.length));
    return path.includes('\0') ? undefined : path;
  } catch {
    // No path of this machine.
    return undefined;
  }
}

async function placesOf({ allowed, refused }: FileRepositories): Promise<Places> {
  const [open, closed] = await Promise.all([realFolders(allowed), realFolders(refused)]);
  return { allowed: open, refused: closed };
}

function isAllowed(path: string, { allowed, refused }: Places): boolean {
  const secret = refused.filter((folder) => isWithin(path, folder));
  return (
    !secret.some((folder) => isWithin(path, join(folder, 'git'))) &&
    allowed.some((folder) => isWithin(path, folder) && secret.every((each) => isWithin(folder, each)))
  );
}

/** Those that are there. */
async function realFolders(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => realpath(folder).catch(() => [])));
  return found.flat();
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Whether everything that git would read lies in allowed folders: links, alternates and work trees lead out. */
async function isWhole(path: string, places: Places): Promise<boolean> {
  for (const suffix of SUFFIXES) {
    const candidate = `${path}${suffix}`;
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile() === true) return false;
    if (found?.isDirectory() !== true || !(await isPresent(join(candidate, 'objects')))) continue;
    const real = await realpath(candidate);
    return (
      isAllowed(real, places) &&
      !(await isPresent(join(real, 'commondir'))) &&
      (await hasOwnObjects(join(real, 'objects'), places, 0))
    );
  }
  // No repository: git says so.
  return true;
}

async function isPresent(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function hasOwnObjects(objects: string, places: Places, depth: number): Promise<boolean> {
  const real = await realpath(objects).catch(() => objects);
  if (depth > MAX_ALTERNATES || !isAllowed(real, places)) return false;
  for (const folder of [real, join(real, 'pack'), join(real, 'info')]) if (await hasLinks(folder)) return false;
  const alternates = await readFile(join(real, 'info/alternates'), 'utf8').catch(() => '');
  for (const line of alternates.split('\n').filter((each) => each !== '' && !each.startsWith('#')))
    if (!(await hasOwnObjects(resolve(real, line), places, depth + 1))) return false;
  return true;
}

async function hasLinks(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.some((entry) => entry.isSymbolicLink());
}
