import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readText } from '../files/index.js';
import { repositoryRoot } from '../local/index.js';

/**
 * The text of the pages that explain ignore rules: those named, else the folder docs of the repository that a target is
 * in.
 */
export function readDocumentation(
  named: readonly string[] | undefined,
  target: string | undefined,
): string | undefined {
  const pages = named ?? docsAround(target);
  return pages === undefined ? undefined : pages.flatMap(pagesOf).map(readText).join('\n');
}

function docsAround(target: string | undefined): string[] | undefined {
  if (target === undefined) return undefined;
  const root = repositoryRoot(statSync(target).isDirectory() ? target : dirname(target));
  const docs = root === undefined ? undefined : join(root, 'docs');
  return docs !== undefined && existsSync(docs) ? [docs] : undefined;
}

/** A page, or all pages below a folder. One that is not there is told when it is read. */
function pagesOf(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|adoc|txt)$/.test(name))
    .map((name) => join(path, name));
}
