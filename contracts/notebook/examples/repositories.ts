import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeYaml } from '../../../src/model/yaml/index.js';
import type { Json } from '../../../src/model/json/index.js';
import type { KubeObject } from '../../../src/model/kubernetes/index.js';
import { startGitServer } from '../../../world/doubles/index.js';
import { replaceFiles, writeRepository } from '../../../world/fleet/write-repository.js';

/** The notebooks of the examples, and what they share. */
const NOTEBOOKS = join(import.meta.dirname, 'repository');

/** The servers that manifests name, and that nobody can reach: ours stands for them. */
const OTHERS = /https:\/\/(?:github\.com\/example|git\.example\.com)\//g;

/** Git repositories behind one server, and their files. */
export class Repositories {
  readonly #files = new Map<string, Map<string, string>>();

  private constructor(
    readonly url: string,
    readonly folder: string,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<Repositories> {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-examples-git-'));
    const server = await startGitServer({ folder, users: [], isPublic: true, report: () => undefined });
    return new Repositories(server.url, folder, async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /**
   * Writes these files into the repository, which is made where it is not there; null takes one away. Gives the commit.
   */
  commit(name: string, files: Readonly<Record<string, string | null>>): string {
    const known = this.#files.get(name) ?? new Map<string, string>();
    this.#files.set(name, known);
    for (const [path, text] of Object.entries(files)) {
      if (text === null) known.delete(path);
      else known.set(path, text.replaceAll(OTHERS, `${this.url}/`));
    }
    const folder = join(this.folder, name);
    return existsSync(folder)
      ? replaceFiles(folder, 'Change', known)
      : writeRepository(folder, [{ message: 'Begin', files: known }]);
  }

  file(name: string, path: string): string {
    return this.#files.get(name)?.get(path) ?? '';
  }

  /** The object as it must be for our git server. */
  rewritten(object: KubeObject): KubeObject {
    return JSON.parse(JSON.stringify(object).replaceAll(OTHERS, `${this.url}/`)) as KubeObject;
  }
}

/** The files of the notebooks, with these settings. */
export function notebookFiles(settings: Readonly<Record<string, Json>>): Record<string, string> {
  const paths = readdirSync(NOTEBOOKS, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(ipynb|py)$/.test(path),
  );
  return {
    ...Object.fromEntries(paths.map((path) => [path, readFileSync(join(NOTEBOOKS, path), 'utf8')])),
    'settings.json': JSON.stringify(settings),
  };
}

export function manifestFile(objects: readonly KubeObject[]): string {
  return objects.map((object) => writeYaml(object)).join('---\n');
}
