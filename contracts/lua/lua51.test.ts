import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOurs } from './ours.js';
import { outcomeText } from './program.js';

const FOLDER = join(import.meta.dirname, 'language');
const files = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.lua'))
  .sort();

/** The name of the chunk is gopher-lua's, so that positions in messages are alike. */
const LOAD = 'assert(loadstring(io.read("*a"), "=<string>"))()';

/** What Debian's Lua prints, a character a byte; undefined where it is not installed. */
function runLua51(source: string): { readonly printed: string; readonly failed: string } | undefined {
  const { error, stdout, stderr } = spawnSync('lua5.1', ['-e', LOAD], {
    input: Buffer.from(source),
    encoding: 'latin1',
  });
  return error === undefined ? { printed: stdout, failed: stderr } : undefined;
}

describe("our Lua does what Debian's lua5.1 does", () => {
  if (runLua51('') === undefined) {
    it.skip('skipped: lua5.1 (not installed)', () => {
      /* the name says why */
    });
    return;
  }

  it.each(files)('%s', (file) => {
    const source = readFileSync(join(FOLDER, file), 'utf8');
    const theirs = runLua51(source);
    const ours = runOurs({ source, openLibs: true });
    expect(theirs?.failed).toBe('');
    expect(outcomeText(ours)).toBe(`${theirs?.printed ?? ''}returned `);
  });
});
