import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { runCommand } from '../../contracts/cli/app-lab.js';
import { buildProgram } from './run-cli.js';

const world = { environment: {}, stdout: { write: () => undefined }, stderr: { write: () => undefined } };

/** Every command that does something, as it is typed. */
function leaves(command: Command, words: readonly string[] = []): string[][] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return below.length === 0 ? [[...words]] : below.flatMap((each) => leaves(each, [...words, each.name()]));
}

it('every command says what it does, with an example that begins as it is typed', async () => {
  const commands = leaves(buildProgram(world).program);
  expect(commands.length).toBeGreaterThan(40);
  const wanting: string[] = [];
  for (const words of commands) {
    const { code, out } = await runCommand([...words, '--help'], {});
    const [, examples = ''] = out.split(/\nExamples?:\n/);
    if (code !== 0 || !examples.includes(`  argosy ${words.join(' ')}`)) wanting.push(words.join(' '));
  }
  expect(wanting).toEqual([]);
}, 60_000);
