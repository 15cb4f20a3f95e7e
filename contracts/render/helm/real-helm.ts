import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { partsDir } from '../../real/go-build.js';
import { builtTool, toolVersion } from '../../real/tools.js';
import type { HelmCase } from './cases.js';

export const RELEASE = 'release';
export const NAMESPACE = 'demo';
export const KUBE_VERSION = '1.34.4';

/** What one run of `helm template` did. */
export interface RealRun {
  /** When it ran, so that ours can be told the same time. */
  readonly at: number;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Times in seconds show themselves as chance only when two runs are that far apart. */
const APART = 1_100;

/** The real helm, whose answers are kept outside the repository: a chart at a version gives the same tomorrow. */
export class RealHelm {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /** Or why this machine has none. */
  static async open(): Promise<RealHelm | string> {
    const tool = await builtTool('helm');
    return tool.kind === 'built' ? new RealHelm(tool.path) : `skipped: helm (${tool.reason})`;
  }

  run(wanted: HelmCase): Promise<RealRun> {
    return this.#kept(wanted, 'first');
  }

  /** A second run, for charts that never give the same twice. */
  async runAgain(wanted: HelmCase): Promise<RealRun> {
    const { at } = await this.run(wanted);
    if (!existsSync(answerPath(wanted, 'second'))) await delay(Math.max(0, at + APART - Date.now()));
    return this.#kept(wanted, 'second');
  }

  async #kept(wanted: HelmCase, which: string): Promise<RealRun> {
    const path = answerPath(wanted, which);
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as RealRun;
    const run = await this.#execute(helmArgs(wanted));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(run));
    renameSync(`${path}.${process.pid}`, path);
    return run;
  }

  #execute(args: readonly string[]): Promise<RealRun> {
    const at = Date.now();
    const home = join(tmpdir(), 'argosy-no-helm-home');
    const env = {
      PATH: '/nonexistent',
      HOME: home,
      HELM_CACHE_HOME: home,
      HELM_CONFIG_HOME: home,
      HELM_DATA_HOME: home,
    };
    return new Promise((resolve, reject) => {
      execFile(
        this.#program,
        args,
        { env, cwd: '/', maxBuffer: 256 << 20, timeout: 60_000 },
        (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number')
            reject(new Error(`helm did not answer: ${error.message}`));
          else resolve({ at, code: Number(error?.code ?? 0), stdout, stderr });
        },
      );
    });
  }
}

export function helmArgs({ chart, files, options }: HelmCase): string[] {
  return [
    'template',
    options.release ?? RELEASE,
    chart.folder,
    '--namespace',
    options.namespace ?? NAMESPACE,
    '--kube-version',
    options.kubeVersion ?? KUBE_VERSION,
    ...files.flatMap((file) => ['-f', file]),
    ...(options.set ?? []).flatMap((each) => ['--set', each]),
    ...(options.includeCrds === true ? ['--include-crds'] : []),
    ...(options.apiVersions ?? []).flatMap((each) => ['--api-versions', each]),
  ];
}

function answerPath({ chart, files, options }: HelmCase, which: string): string {
  const hash = createHash('sha256').update(JSON.stringify([chart.key, options, RELEASE, NAMESPACE, KUBE_VERSION]));
  for (const file of files) hash.update('\0').update(readFileSync(file));
  const name = hash.digest('hex');
  return join(partsDir(`helm-${toolVersion('helm')}-answers`), name.slice(0, 2), `${name.slice(2, 32)}-${which}.json`);
}
