import { Fault } from '../../model/faults/index.js';

export type RawKind = 'file' | 'executable' | 'link' | 'folder' | 'submodule';

export interface RawEntry {
  readonly name: string;
  readonly kind: RawKind;
  readonly id: string;
}

const KINDS: Readonly<Record<string, RawKind>> = {
  '40000': 'folder',
  '040000': 'folder',
  '120000': 'link',
  '160000': 'submodule',
};
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_NAME_LENGTH = 1024;

/** Reads a tree object. What git itself would never check out is refused with the path of the entry. */
export function parseTree(bytes: Buffer, path: string): RawEntry[] {
  const entries: RawEntry[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > bytes.length)
      throw refused(path, 'a folder of the repository cannot be read');
    const name = decodeName(bytes.subarray(space + 1, end));
    const problem = violationOf(name) ?? (seen.has(name) ? 'appears twice in its folder' : undefined);
    if (problem !== undefined) throw refused(join(path, name), `the entry ${problem}`);
    seen.add(name);
    entries.push({
      name,
      kind: kindOf(bytes.toString('latin1', at, space), join(path, name)),
      id: bytes.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries.sort((a, b) => compareNames(a.name, b.name));
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function kindOf(mode: string, path: string): RawKind {
  const known = KINDS[mode];
  if (known !== undefined) return known;
  // Modes of files vary in old repositories; only the bit of the owner counts.
  if (!/^100[0-7]{3}$/.test(mode)) throw refused(path, 'the entry is neither file, folder, link nor submodule');
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? 'file' : 'executable';
}

/**
 * Names are bytes; those that are no UTF-8 keep their bytes as lone surrogates, so that different names stay different.
 */
function decodeName(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    // Not UTF-8.
    return Array.from(bytes, (byte) =>
      byte < 128 ? String.fromCharCode(byte) : String.fromCharCode(0xdc00 + byte),
    ).join('');
  }
}

function violationOf(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'has a name that means a folder on the way';
  if (name.includes('/') || name.includes('\\')) return 'has a slash in its name';
  if (name.length > MAX_NAME_LENGTH) return 'has a name that is too long';
  return isGitFolder(name) ? "has the name of git's own folder" : undefined;
}

/** `.git` in every spelling that some file system takes for it. */
export function isGitFolder(name: string): boolean {
  // Characters that macOS leaves out of names.
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase();
  // Windows drops dots, spaces and streams at the end, and has short names.
  return /^(\.git|git~\d+)[. ]*(:.*)?$/.test(plain);
}

function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function refused(path: string, message: string): Fault {
  return new Fault('SOURCE_INVALID', message, {
    where: path.replace(/[^\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]/g, '?').slice(0, 200),
  });
}
