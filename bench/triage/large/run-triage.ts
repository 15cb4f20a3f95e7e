import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TriageRun {
  readonly code: number | null;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most memory it had. */
  readonly megabytes: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `argosy triage -f PATH -o json` as a user starts it, and what it used. */
export async function runTriage(main: string, path: string, scratch: string): Promise<TriageRun> {
  const usage = join(scratch, 'usage.json');
  const begin = performance.now();
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'tell-usage.mjs'), main, 'triage', '-f', path, '-o', 'json'],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ARGOSY_USAGE: usage } },
  );
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((end) => child.on('close', end));
  const seconds = (performance.now() - begin) / 1000;
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.ResourceUsage;
  return {
    code,
    seconds,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    megabytes: (maxRSS * 1024) / 1e6,
    stdout: Buffer.concat(out).toString('utf8'),
    stderr: Buffer.concat(err).toString('utf8'),
  };
}
