import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { labWorld } from '../../../contracts/cli/app-lab.js';
import { FAULTS } from '../../model/faults/index.js';
import { remedyFor, unknownFlags } from './remedy.js';
import { addCommands } from '../run-cli.js';

const SOURCE = join(import.meta.dirname, '../..');
const program = new Command('argosy');
addCommands(program, labWorld({}), { code: 0, failure: 20 });

/** Every hint in the code that is written as one text. */
function hintsInCode(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/hint:\s*(['"`])((?:(?!\1)[^\\\n])*)\1/g)])
    .map(([, , hint = '']) => hint);
}

describe('what to do, as a command says it', () => {
  it('names only flags that exist, in every fault and every hint of the code', () => {
    const hints = [...Object.values(FAULTS).map(({ hint }) => hint), ...hintsInCode()];
    expect(hints.filter((hint) => hint.includes('--')).length).toBeGreaterThan(15);
    expect(hints.flatMap((hint) => unknownFlags(hint, program).map((flag) => `${flag}: ${hint}`))).toEqual([]);
  });

  it.each([
    ['start with --allow-file-repos FOLDER', 'up', 'start with --allow-file-repos FOLDER'],
    ['start with --allow-file-repos FOLDER', 'app diff web', 'start with ARGOSY_ALLOW_FILE_REPOS=FOLDER'],
    ['choose a directory with --data', 'drift --all', 'choose a directory with ARGOSY_DATA'],
    ['increase --timeout', 'app wait web', 'increase --timeout'],
    ['leave --take-over out', 'app diff web', 'leave --take-over of argosy up, controller out'],
    ['see argosy app get --show-operation', 'drift', 'see argosy app get --show-operation'],
    ['see --help', 'app diff', 'see --help'],
  ])('%s, by argosy %s: %s', (hint, words, said) => {
    expect(remedyFor(hint, program, words.split(' '))).toBe(said);
  });
});
