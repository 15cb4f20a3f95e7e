import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compareText } from '../../model/go/index.js';
import { Fault } from '../../model/faults/index.js';
import type { Answer } from './answer.js';
import { WebFiles } from './web-files.js';

/** Where a build of Argo CD's page is, and its extensions. */
export interface ArgoCdPageFolders {
  /** With index.html and what it loads. */
  readonly folder: string;
  /** With files `extension*.js`, at any depth. */
  readonly extensions?: string;
}

const BASE = '/ui';
const EXTENSION = /^extension(.*)\.js$/;

/**
 * A build of Argo CD's own page at /ui/, read once at the start. It asks for the API below its own address, so what the
 * API has is found there as well.
 */
export class ArgoCdPage {
  readonly #files: WebFiles;
  readonly #extensions: string;

  constructor({ folder, extensions }: ArgoCdPageFolders) {
    if (!existsSync(join(folder, 'index.html')))
      throw new Fault('FILE_UNREADABLE', `${folder} has no index.html: it is no build of Argo CD's page`, {
        where: '--ui',
      });
    this.#files = new WebFiles(folder, { base: `${BASE}/`, hasHashedNames: false });
    this.#extensions = extensions === undefined ? '' : extensionsIn(extensions);
  }

  /** What the path of a request is below the page; undefined for one that is elsewhere. */
  static pathBelow(path: string): string | undefined {
    return path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : undefined;
  }

  /** The whole path of a request, `/ui` included. */
  find(path: string, knownTag: string | undefined): Answer | undefined {
    if (path === BASE)
      return { kind: 'bytes', bytes: '', type: 'text/plain', status: 308, headers: { location: `${BASE}/` } };
    const below = ArgoCdPage.pathBelow(path);
    if (below === undefined) return undefined;
    if (below !== '/extensions.js') return this.#files.find(below, knownTag);
    return {
      kind: 'bytes',
      bytes: this.#extensions,
      type: 'text/javascript; charset=utf-8',
      headers: { 'cache-control': 'no-cache' },
    };
  }
}

/** One script of all of them: one that fails does not take the others with it. */
function extensionsIn(folder: string): string {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Fault('FILE_UNREADABLE', `${folder} is not a folder`, { where: '--ui-extensions' });
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && EXTENSION.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted(compareText)
    .map((path) => {
      const name = JSON.stringify(relative(folder, path));
      const failed = `console.error('extension failed: ' + ${name}, e);`;
      return `try {\n${readFileSync(path, 'utf8')}\n} catch (e) { ${failed} }\n`;
    })
    .join('');
}
