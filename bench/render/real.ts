import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Subject } from './subject.js';

/** Wall and processor time, in milliseconds. */
export interface Time {
  readonly wall: number;
  readonly cpu: number;
}

/** Runs a program to its end, its output thrown away; gives the exit code. */
export function runTool(program: string, args: readonly string[]): Promise<number> {
  const home = '/nonexistent';
  const env = { PATH: home, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, cwd: '/', stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? -1));
  });
}

/** The real tools as Argo CD uses them: a process for each application. */
export async function timeReal(subjects: readonly Subject[]): Promise<Time> {
  const [cpu, wall] = [childrenCpu(), performance.now()];
  for (const { program, args, name } of subjects) {
    const code = await runTool(program, args);
    if (code !== 0) throw new Error(`${program} fails for ${name} (${code})`);
  }
  return { wall: performance.now() - wall, cpu: childrenCpu() - cpu };
}

const MILLISECONDS_A_TICK = 10;

/** Processor time of all children that have ended; the kernel adds them up exactly and shows the sum in ticks. */
function childrenCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * MILLISECONDS_A_TICK;
}
