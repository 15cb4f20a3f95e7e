import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutIntendedDifferences } from './differences.js';
import { TextMask } from './mask.js';
import type { Command, Topic } from './topic.js';

/** What a command shows, masked. */
export interface CommandOutput {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Target {
  readonly kubeconfigPath: string;
  /** Shared by all topics of a server, as a user's is by all terminals. */
  readonly cacheDir: string;
  readonly kubectl: string;
}

const ENDS_WITHIN = 30_000;

interface Workspace {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly mask: TextMask;
}

/** Plays a topic on one server: what each command shows, in their order. */
export async function play(target: Target, topic: Topic): Promise<CommandOutput[]> {
  const dir = mkdtempSync(join(tmpdir(), 'argosy-kubectl-'));
  try {
    const place = open(target, topic, dir);
    for (const run of [
      `kubectl config set-context --current --namespace=${topic.name}`,
      `kubectl create namespace ${topic.name}`,
      'kubectl create serviceaccount default',
    ]) {
      const made = await start({ run }, place).end;
      if (made.code !== 0) throw new Error(`${topic.name}: ${run}: ${made.stderr}`);
    }
    return await playAll(topic.commands, place);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function open(target: Target, topic: Topic, dir: string): Workspace {
  const kubeconfig = join(dir, '.kubeconfig');
  copyFileSync(target.kubeconfigPath, kubeconfig);
  chmodSync(kubeconfig, 0o600);
  for (const [name, text] of Object.entries(topic.files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  const host = /https:\/\/([\w.:]+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
  const env = {
    PATH: `${dirname(target.kubectl)}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: dir,
    TMPDIR: dir,
    GOGC: 'off',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: target.cacheDir,
  };
  return { dir, env, mask: new TextMask(host, topic.generated) };
}

async function playAll(commands: readonly Command[], place: Workspace): Promise<CommandOutput[]> {
  const shown: Promise<CommandOutput>[] = [];
  for (const command of commands) {
    const end = playOne(command, place);
    if (command.beside === undefined) await end.ended;
    else await end.begun;
    shown.push(end.ended);
  }
  return Promise.all(shown);
}

interface Playing {
  readonly begun: Promise<void>;
  readonly ended: Promise<CommandOutput>;
}

function playOne(command: Command, place: Workspace): Playing {
  const running = start(command, place);
  const ended = command.until === undefined ? running.end : repeat(command, command.until, place, running);
  return { begun: running.begun, ended: ended.then((raw) => masked(command, raw, place.mask)) };
}

async function repeat(command: Command, text: string, place: Workspace, first: Running): Promise<CommandOutput> {
  const deadline = Date.now() + ENDS_WITHIN;
  let raw = await first.end;
  while (!`${raw.stdout}\n${raw.stderr}`.includes(text) && Date.now() < deadline) {
    await delay(50);
    raw = await start(command, place).end;
  }
  return raw;
}

function masked(command: Command, raw: CommandOutput, mask: TextMask): CommandOutput {
  const lines = withoutIntendedDifferences(command.run, 'stdout', raw.stdout).split('\n');
  if (command.unordered === true) lines.sort();
  return {
    code: raw.code,
    stdout: mask.text(lines.join('\n')),
    stderr: mask.text(withoutIntendedDifferences(command.run, 'stderr', raw.stderr)),
  };
}

interface Running {
  /** The request that `beside` waits for has been answered, or the command has ended. */
  readonly begun: Promise<void>;
  readonly end: Promise<CommandOutput>;
}

const running = new Set<() => void>();
process.once('exit', () => {
  for (const stop of running) stop();
});

/** Runs a command line in a shell. A command that does not end is ended, and shows it. */
function start(command: Command, place: Workspace): Running {
  // A group of its own, so that a signal reaches what the shell has started.
  const child = spawn('sh', ['-c', command.beside ? `${command.run} -v=6` : command.run], {
    cwd: place.dir,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = (): void => endGroup(child.pid);
  running.add(stop);
  child.stdin.on('error', () => {
    /* A command need not read what it is given. */
  });
  child.stdin.end(command.stdin ?? '');
  const seen: { stdout: string; stderr: string; code?: string } = { stdout: '', stderr: '' };
  const { asked = '', lines = Infinity } = command.beside ?? {};
  let begin = (): void => {
    /* set below */
  };
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.stdout += text;
    if (seen.stdout.split('\n').length <= lines || seen.code !== undefined) return;
    seen.code = 'cut';
    stop();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text;
    if (seen.stderr.split('\n').some((line) => isRequest(line) && line.includes(asked))) begin();
  });
  const timer = setTimeout(() => {
    seen.code = 'endless';
    stop();
  }, ENDS_WITHIN);
  const end = new Promise<CommandOutput>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      running.delete(stop);
      begin();
      resolve({
        code: seen.code ?? code ?? String(signal),
        stdout: seen.stdout,
        stderr: command.beside ? withoutLog(seen.stderr) : seen.stderr,
      });
    });
  });
  return { begun, end };
}

/** What `-v=6` adds: one line per request, when its answer begins. */
function isRequest(line: string): boolean {
  return /^I\d{4} .* "Response" verb=/.test(line);
}

function withoutLog(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !/^I\d{4} /.test(line))
    .join('\n');
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile, which is what was wanted.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
