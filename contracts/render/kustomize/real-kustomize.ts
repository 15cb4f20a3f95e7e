import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cachedAnswer } from '../../real/cached-answer.js';
import { builtTool } from '../../real/tools.js';
import type { Files } from './random-overlay.js';

/** What one run of `kustomize build` did. */
export interface RealBuild {
  readonly code: number;
  readonly stdout: string;
  /** Why it failed, with paths as they are from the root of the tree. */
  readonly error: string;
}

export class RealKustomize {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Or why this machine has none. */
  static async open(): Promise<RealKustomize | string> {
    const tool = await builtTool('kustomize');
    return tool.kind === 'built' ? new RealKustomize(tool.path) : `skipped: kustomize (${tool.reason})`;
  }

  /** Builds a folder below a root. */
  build(root: string, folder: string): Promise<RealBuild> {
    const env = { PATH: '/nonexistent', HOME: '/nonexistent' };
    return new Promise((resolve, reject) => {
      execFile(
        this.#program,
        ['build', join(root, folder)],
        { env, cwd: '/', maxBuffer: 256 << 20, timeout: 60_000 },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number')
            reject(new Error(`kustomize did not answer: ${error.message}`));
          else resolve({ code: Number(error?.code ?? 0), stdout, error: errorText(stderr, root) });
        },
      );
    });
  }

  /** Builds a folder of a Go module, whose version is part of its path. */
  buildModule(root: string, folder: string): Promise<RealBuild> {
    return cachedAnswer('kustomize', [this.#program, root, folder], () => this.build(root, folder));
  }

  /** Writes files into a folder that is removed afterwards, and builds a folder of it. */
  async buildFiles(files: Files, folder: string, use: (root: string, build: RealBuild) => void): Promise<void> {
    const root = mkdtempSync(join(tmpdir(), 'argosy-kustomize-'));
    try {
      for (const [path, text] of files) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      use(
        root,
        await cachedAnswer('kustomize', [this.#program, folder, JSON.stringify([...files])], () =>
          this.build(root, folder),
        ),
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  }
}

/** Without warnings about old fields, which are not why a build fails, and without where the files happen to be. */
function errorText(stderr: string, root: string): string {
  const lines = stderr.split('\n').filter((line) => !line.startsWith('# Warning') && !/^\d{4}\/\d\d\/\d\d /.test(line));
  return lines
    .join('\n')
    .trim()
    .replace(/^Error: /, '')
    .replaceAll(`${root}/`, '')
    .replaceAll(root, '.');
}
