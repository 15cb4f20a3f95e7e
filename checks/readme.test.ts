import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const blocks = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```console\n(.*?)^```$/gms)].map(
  (match) => match[1] ?? '',
);
const folder = mkdtempSync(join(tmpdir(), 'argosy-readme-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Command {
  readonly line: string;
  readonly output: string;
}

/** The commands of a console block, `> ` lines included, each with what is printed below it. */
function commandsOf(block: string): Command[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [first = '', ...rest] = part.split('\n');
      const continued = rest.findIndex((line) => !line.startsWith('> '));
      const more = rest.slice(0, continued).map((line) => line.slice(2));
      return { line: [first, ...more].join('\n'), output: rest.slice(continued).join('\n') };
    });
}

function run(line: string): string {
  const here = line.replace(/^argosy /gm, `${process.execPath} ${join(ROOT, 'dist/main.js')} `);
  try {
    return execFileSync('bash', ['-c', here], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    // A command that finds something ends with 1; what it prints is what counts.
    return (error as { stdout?: string }).stdout ?? '';
  }
}

describe('the README', () => {
  it('has console blocks', () => {
    expect(blocks.length).toBeGreaterThan(1);
  });

  it.each(blocks.flatMap(commandsOf).map(({ line, output }) => [line.split('\n')[0] ?? '', line, output] as const))(
    'prints what it says: %s',
    (_, line, output) => {
      expect(run(line)).toBe(output);
    },
  );
});
