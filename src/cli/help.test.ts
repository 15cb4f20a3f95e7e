import { Command } from 'commander';
import { expect, it } from 'vitest';
import { labWorld, runCommand } from '../../contracts/cli/app-lab.js';
import { addCommands } from './run-cli.js';

/** Every command that does something, as it is typed. */
function leaves(command: Command, words: readonly string[] = []): string[][] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  return below.length === 0 ? [[...words]] : below.flatMap((each) => leaves(each, [...words, each.name()]));
}

it('every command has a description and an example', async () => {
  const program = new Command('argosy');
  addCommands(program, labWorld({}), { code: 0, failure: 20 });
  const commands = leaves(program);
  expect(commands.length).toBeGreaterThan(39);
  const wanting: string[] = [];
  for (const words of commands) {
    const { code, out } = await runCommand([...words, '--help'], {});
    const [, examples = ''] = out.split(/\nExamples?:\n/);
    if (code !== 0 || !examples.includes(`  argosy ${words.join(' ')}`)) wanting.push(words.join(' '));
  }
  expect(wanting).toEqual([]);
}, 60_000);
