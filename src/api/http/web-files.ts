import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Answer } from './answer.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.eot': 'application/vnd.ms-fontobject',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

interface WebFilesOptions {
  /** Where the page is, for its `base` element; as it was built without. */
  readonly base?: string;
  /** Whether names under assets/ change with their content. */
  readonly hasHashedNames?: boolean;
}

interface WebFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** The files of the page, read once: a request names one of them or none, so no path of a request reaches the disk. */
export class WebFiles {
  readonly #files = new Map<string, WebFile>();

  readonly #hasHashedNames: boolean;

  constructor(folder: string | undefined, { base, hasHashedNames = true }: WebFilesOptions = {}) {
    this.#hasHashedNames = hasHashedNames;
    for (const path of folder === undefined ? [] : filesIn(folder)) {
      const bytes = base !== undefined && path.endsWith('.html') ? withBase(path, base) : readFileSync(path);
      const type = TYPES[extname(path)];
      if (folder === undefined || type === undefined) continue;
      this.#files.set(`/${relative(folder, path).split(sep).join('/')}`, {
        bytes,
        type,
        etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
      });
    }
  }

  /** The file; for a path of the page itself, which has no file, the page. */
  find(path: string, knownTag: string | undefined): Answer | undefined {
    // Names of applications may have dots.
    const isPage = extname(path) === '' || path.startsWith('/applications/');
    const file = this.#files.get(path) ?? (isPage ? this.#files.get('/index.html') : undefined);
    if (file === undefined) return undefined;
    const headers = {
      etag: file.etag,
      'cache-control':
        this.#hasHashedNames && path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    if (knownTag === file.etag) return { kind: 'bytes', bytes: '', type: file.type, status: 304, headers };
    return { kind: 'bytes', bytes: file.bytes, type: file.type, headers };
  }
}

function withBase(path: string, base: string): Buffer {
  return Buffer.from(readFileSync(path, 'utf8').replace(/<base href="[^"]*">/, `<base href="${base}">`));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // Without a page the API serves programs.
    return [];
  }
}
