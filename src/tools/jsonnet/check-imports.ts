import { Fault } from '../../model/faults/index.js';
import type { Tree } from '../../model/formats/index.js';
import { findFile, type FoundFile } from '../sandbox/index.js';

const MAX_FILES = 10_000;

/** Follows every import from a file on; one that leaves the tree is a fault, which does not tell what is there. */
export function checkImports(tree: Tree, path: string, libraries: readonly string[], code: readonly string[]): void {
  const seen = new Set<string>();
  const first = findFile(tree, '', path, path);
  const open: FoundFile[] = first === undefined ? [] : [first];
  const follow = (text: string, folder: string, from: string): void => {
    for (const { target, isCode } of importsOf(text, from)) {
      const found = resolveImport(tree, target, [folder, ...libraries.toReversed()], from);
      if (found !== undefined && isCode) open.push(found);
    }
  };
  for (const text of code) follow(text, '', 'code of a variable');
  for (let found = open.pop(); found !== undefined; found = open.pop()) {
    // The same file means others where it is reached through another folder.
    const id = `${found.folder}\0${found.path}`;
    if (seen.has(id)) continue;
    seen.add(id);
    if (seen.size > MAX_FILES)
      throw new Fault('RENDER_LIMIT', `jsonnet imports more than ${MAX_FILES} files`, { where: path });
    follow(Buffer.from(found.file.bytes ?? []).toString('utf8'), found.folder, found.path);
  }
}

/** The first place at which jsonnet would look and find it; undefined leaves the complaint to jsonnet. */
function resolveImport(tree: Tree, target: string, folders: readonly string[], from: string): FoundFile | undefined {
  for (const folder of folders) {
    const found = findFile(tree, folder, target, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Import {
  readonly target: string;
  /** `importstr` and `importbin` take the text as it is. */
  readonly isCode: boolean;
}

/**
 * Comments, strings and words of jsonnet, in the order in which they may begin. What is not closed goes to the end:
 * jsonnet refuses it.
 */
const COMMENT = /\/\/[^\n]*|#[^\n]*|\/\*[^]*?(?:\*\/|$)/.source;
const TEXT_BLOCK = /\|\|\|-?[^\n]*(?:\n[^]*?(?:\n[ \t]*\|\|\||$)|$)/.source;
const VERBATIM = /@"(?:[^"]|"")*(?:"|$)|@'(?:[^']|'')*(?:'|$)/.source;
const QUOTED = /"(?:[^"\\]|\\[^]?)*(?:"|$)|'(?:[^'\\]|\\[^]?)*(?:'|$)/.source;
const WORD = /[A-Za-z_]\w*|[^\s]/.source;
const TOKEN = new RegExp(`${COMMENT}|${TEXT_BLOCK}|${VERBATIM}|${QUOTED}|${WORD}`, 'g');

/** Jsonnet lets only a constant follow `import`. */
function importsOf(text: string, from: string): Import[] {
  const found: Import[] = [];
  let keyword: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('//') || token.startsWith('#') || token.startsWith('/*')) continue;
    if (keyword !== undefined) found.push({ target: constant(token, from), isCode: keyword === 'import' });
    keyword = /^import(?:str|bin)?$/.test(token) ? token : undefined;
  }
  return found;
}

function constant(token: string, from: string): string {
  const [, plain] = /^@?["']([^\\]*)["']$/s.exec(token) ?? [];
  if (plain === undefined || plain.includes('\0'))
    throw new Fault('RENDER_PATH_ESCAPE', 'an import is not written as a plain path', { where: from });
  return plain;
}
