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
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

interface WebFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** The files of the page, read once: a request names one of them or none, so no path of a request reaches the disk. */
export class WebFiles {
  readonly #files = new Map<string, WebFile>();

  constructor(folder: string | undefined) {
    for (const path of folder === undefined ? [] : filesIn(folder)) {
      const bytes = readFileSync(path);
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
    // Names under assets/ change with their content.
    const headers = {
      etag: file.etag,
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    if (knownTag === file.etag) return { kind: 'bytes', bytes: '', type: file.type, status: 304, headers };
    return { kind: 'bytes', bytes: file.bytes, type: file.type, headers };
  }
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
