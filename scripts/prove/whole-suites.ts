import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { runTrials, type Proof } from './trials/proof.js';

const ROOT = join(import.meta.dirname, '../..');

/** Suites that `npm test` runs at their smoke size and that no proof of its own runs with all that they have. */
const SUITES = [
  'contracts/deliver/bad-input.test.ts',
  'contracts/deliver/namespaces.test.ts',
  'contracts/deliver/removal.test.ts',
  'contracts/diff/server.test.ts',
  'contracts/faults/smoke.test.ts',
  'contracts/kubectl/kubectl.test.ts',
  'contracts/notebook/examples-real.test.ts',
  'contracts/notebook/examples.test.ts',
  'contracts/patterns/canary.test.ts',
  'contracts/seeds/shell-001.test.ts',
  'contracts/seeds/shell-002.test.ts',
  'contracts/seeds/shell-003.test.ts',
  'contracts/seeds/shell-004.test.ts',
  'runner/run.test.ts',
  'src/cli/safety/path-escapes.test.ts',
  'src/control/triage/odd-objects.test.ts',
  'world/demo/stories.test.ts',
  'world/faults/fault-world.test.ts',
] as const;

/** One trial is one suite with everything that it has, as `ARGOSY_SIZE=whole npx vitest run SUITE`. */
export const proof: Proof = {
  name: 'whole-suites',
  sizes: { smoke: 1, full: SUITES.length },
  run: (context) =>
    runTrials(context, async (index) => {
      const suite = SUITES[index % SUITES.length] ?? '';
      const { code, output } = await runSuite(suite);
      const tests = Number(/(?<!\d)(\d+) passed/.exec(output.slice(output.lastIndexOf('Tests ')))?.[1] ?? 0);
      context.log(`${suite}: ${tests} tests`);
      return { wrong: code === 0 && tests > 0 ? [] : [`${suite} failed:\n${output}`], counts: { tests } };
    }),
};

function runSuite(suite: string): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', suite], {
      cwd: ROOT,
      env: { ...process.env, ARGOSY_SIZE: 'whole', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output });
    });
  });
}
