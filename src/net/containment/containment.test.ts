import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'testing/program.ts');

describe('containment', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'argosy-contained-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (commands: readonly string[], isAfterCrash = false): string[] => {
    const args = ['--import', 'tsx', PROGRAM, directory, isAfterCrash ? 'crashed' : 'fine', ...commands];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return stdout.trim().split('\n');
  };

  it('goes on after what nobody caught, and sets an object aside that failed twice, also after a restart', () => {
    expect(run(['pods a:throw', 'pods b:fine'])).toEqual(['works on pods a', 'works on pods b', 'goes on']);
    expect(run(['pods a:reject', 'pods b:fine'])).toEqual([
      'works on pods a',
      'works on pods b',
      'set aside: pods a',
      'goes on',
    ]);
    expect(run(['pods a:throw', 'pods b:fine'])).toEqual(['set aside: pods a', 'works on pods b', 'goes on']);
  });

  it('finds what ends the process among all that was worked on, and sets only that aside', () => {
    const commands = ['pods a:fine', 'pods b:abort', 'pods c:fine'];
    expect(run(commands)).toEqual(['works on pods a', 'works on pods b', 'works on pods c']);
    // Those that were under way go one by one.
    expect(run(commands, true)).toEqual(['works on pods a', 'works on pods b']);
    expect(run(commands, true)).toEqual(['set aside: pods b', 'works on pods a', 'works on pods c', 'goes on']);
  });

  it('blames nothing where somebody else ended the process', () => {
    expect(run(['pods a:abort'])).toEqual(['works on pods a']);
    expect(run(['pods a:fine'])).toEqual(['works on pods a', 'goes on']);
    expect(run(['pods a:fine'], true)).toEqual(['works on pods a', 'goes on']);
  });

  it('gives up with a fault after too many failures that belong to no object', () => {
    expect(run(Array.from({ length: 11 }, () => '-:throw')).at(-1)).toBe('gave up: PROCESS_BROKEN');
    expect(run(Array.from({ length: 10 }, () => '-:throw')).at(-1)).toBe('goes on');
  });
});
