import { access, constants, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Fault } from '../model/faults/index.js';
import type { Tree } from '../model/formats/index.js';
import { FairQueue } from '../model/queue/index.js';
import {
  exportTree,
  TOOL_LIMITS,
  type ToolLimits,
  runProgram,
  type ProgramResult,
  Scratch,
  type PrivateFolder,
} from './sandbox/index.js';

export interface ToolsOptions {
  /** `NAME=/path` as the process flags have them. */
  readonly named: readonly string[];
  /** Where private folders are made. */
  readonly directory: string;
  readonly limits?: Partial<ToolLimits>;
  /** Calls back later unless what it gives is called before. */
  readonly after: (milliseconds: number, act: () => void) => () => void;
}

/** One program to run on a tree. */
export interface ToolRun {
  /** How faults call it. */
  readonly tool: string;
  /** Absolute. */
  readonly program: string;
  readonly args: (folder: PrivateFolder) => Promise<readonly string[]>;
  /** The folder of the tree in which it runs. */
  readonly path: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ToolResult {
  readonly output: Buffer;
  readonly stderr: string;
}

/** So many times the usual number of programs at most, where some take long and other projects are owed their share. */
const OWED = 4;
/** Milliseconds after which a program takes long. */
const LONG = 500;

/** The programs that an administrator named. */
export class Tools {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #scratch: Scratch;
  readonly #options: ToolsOptions;
  readonly #limits: ToolLimits;
  readonly #turns: FairQueue;

  private constructor(paths: ReadonlyMap<string, string>, options: ToolsOptions) {
    this.#paths = paths;
    this.#options = options;
    this.#scratch = new Scratch(options.directory);
    this.#limits = { ...TOOL_LIMITS, ...options.limits };
    const { runs } = this.#limits;
    const patience = { milliseconds: LONG, after: options.after };
    this.#turns = new FairQueue({ places: runs, max: runs * OWED, patience });
  }

  /** Checks that every program is there, and clears away what a crash left behind. */
  static async open(options: ToolsOptions): Promise<Tools> {
    const tools = new Tools(await readNames(options.named), options);
    await tools.#scratch.clean();
    return tools;
  }

  has(name: string): boolean {
    return this.#paths.has(name);
  }

  get names(): string[] {
    return [...this.#paths.keys()];
  }

  pathOf(name: string): string {
    const path = this.#paths.get(name);
    if (path === undefined)
      throw new Fault('TOOL_MISSING', `no program is configured for "${name}": name it with --tool ${name}=/path`, {
        where: name,
      });
    return path;
  }

  /** Gives each call a copy of the tree of its own; the runs of one call share it. Projects have fair shares. */
  async withTree<T>(
    tree: Tree,
    project: string,
    act: (run: (what: ToolRun) => Promise<ToolResult>) => Promise<T>,
  ): Promise<T> {
    return this.#turns.run({ owner: project, host: '' }, async () => {
      const folder = await this.#scratch.open();
      try {
        await exportTree(tree, folder.tree, this.#limits);
        return await act((what) => this.#run(what, folder));
      } finally {
        await folder.remove();
      }
    });
  }

  async #run(what: ToolRun, folder: PrivateFolder): Promise<ToolResult> {
    const { milliseconds, outputBytes } = this.#limits;
    const result = await runProgram({
      program: what.program,
      args: await what.args(folder),
      directory: join(folder.tree, what.path),
      environment: { HOME: folder.home, TMPDIR: folder.home, LANG: 'C.UTF-8', ...what.environment },
      milliseconds,
      outputBytes,
      started: (pid) => folder.note(pid),
      after: this.#options.after,
    });
    if (result.end === 'done') return result;
    throw failure(what, result, this.#limits, folder);
  }
}

const MAX_STDERR_LENGTH = 2_000;

function failure(
  { tool, path }: ToolRun,
  { end, stderr }: ProgramResult,
  { milliseconds, outputBytes }: ToolLimits,
  folder: PrivateFolder,
): Fault {
  if (end === 'time')
    return new Fault('TOOL_FAILED', `${tool} was ended after ${milliseconds / 1000} seconds`, { where: path });
  if (end === 'bytes')
    return new Fault('TOOL_FAILED', `${tool} was ended because it printed more than ${outputBytes} bytes`, {
      where: path,
    });
  // Where the private copy is concerns nobody.
  const said = stderr
    .replaceAll(`${folder.tree}/`, '')
    .replaceAll(folder.tree, '.')
    .replaceAll(folder.home, '~')
    .trim()
    .slice(0, MAX_STDERR_LENGTH);
  return new Fault('TOOL_FAILED', said === '' ? `${tool} failed and said nothing` : `${tool} failed: ${said}`, {
    where: path,
  });
}

async function readNames(named: readonly string[]): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const text of named) {
    const [, name = '', path = ''] = /^([A-Za-z0-9][\w.-]*)=(.+)$/s.exec(text) ?? [];
    if (name === '' || !isAbsolute(path))
      throw new Fault('USAGE', `"${text}" is no tool: write NAME=/absolute/path`, { where: '--tool' });
    if (paths.has(name)) throw new Fault('USAGE', `the tool ${name} is named twice`, { where: '--tool' });
    if (!(await isUsable(path)))
      throw new Fault('TOOL_MISSING', `${path} is no file that can be run`, { where: `--tool ${name}` });
    paths.set(name, path);
  }
  return paths;
}

/** A program, or the description of a plugin. */
async function isUsable(path: string): Promise<boolean> {
  try {
    await access(path, /\.ya?ml$/.test(path) ? constants.R_OK : constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Absent, or not for us: the caller says so.
    return false;
  }
}
