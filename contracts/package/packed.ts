import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from '../real/child.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package as somebody else has it: packed, and installed into a folder with nothing else in it. */
export interface Installed {
  readonly tarball: string;
  /** The folder of the project that it is installed in. */
  readonly folder: string;
  /** Runs `argosy` with Node and git on the PATH, and nothing else. */
  run(...words: string[]): { readonly code: number; readonly stdout: string; readonly stderr: string };
  start(...words: string[]): ChildProcess;
}

/** Packs dist as it is; nothing is fetched. */
export function installPackage(node: string = process.execPath): Installed {
  const scratch = scratchFolder('argosy-package-');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: ROOT, stdio: 'pipe' });
  const [name = ''] = readdirSync(scratch);
  const tarball = join(scratch, name);
  const folder = join(scratch, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  execFileSync('npm', ['install', '--offline', '--silent', tarball], { cwd: folder, stdio: 'pipe' });
  const environment = { HOME: scratch, PATH: bareBin(join(scratch, 'bin'), node) };
  const program = join(folder, 'node_modules/.bin/argosy');
  return {
    tarball,
    folder,
    run: (...words) => runProgram(program, words, folder, environment),
    start: (...words) => spawn(program, words, { cwd: folder, env: environment, stdio: 'pipe' }),
  };
}

function runProgram(
  program: string,
  words: readonly string[],
  cwd: string,
  env: Record<string, string>,
): ReturnType<Installed['run']> {
  try {
    return { code: 0, stdout: execFileSync(program, words, { cwd, env, encoding: 'utf8', stdio: 'pipe' }), stderr: '' };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { code: status, stdout, stderr };
  }
}

/** A PATH with Node, git and what git itself needs. */
function bareBin(folder: string, node: string): string {
  mkdirSync(folder);
  symlinkSync(node, join(folder, 'node'));
  for (const program of ['git', 'env', 'sh'])
    symlinkSync(
      execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim(),
      join(folder, program),
    );
  return folder;
}

/** What a program prints until a line appears. */
export function untilPrinted(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const take = (chunk: unknown): void => {
      printed += String(chunk);
      if (printed.includes(text)) resolve(printed);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', (code) => {
      reject(new Error(`the program ended with ${String(code)} before it printed "${text}":\n${printed}`));
    });
  });
}

export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return ended;
}
