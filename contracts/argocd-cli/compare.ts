import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, textAt } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import { readCommands, readRecorded, type CommandLine, type CommandOutput } from './play.js';

/** A command that did not say what it says with Argo CD's own server. */
export interface CommandDifference {
  readonly run: string;
  readonly expected: CommandOutput | undefined;
  readonly found: CommandOutput;
  /** Why it may differ; empty where nobody said. */
  readonly reason: string;
}

/** Plays a file of cases, and compares what was said with what is recorded. */
export async function compareCase(
  name: string,
  line: CommandLine,
): Promise<{ readonly commands: number; readonly differences: CommandDifference[] }> {
  const recorded = readRecorded(name);
  const reasons = readReasons();
  const differences: CommandDifference[] = [];
  const commands = readCommands(name);
  for (const [index, command] of commands.entries()) {
    const found = await line.play(command);
    const expected = recorded[index];
    if (expected !== undefined && isSame(expected, found)) continue;
    const reason = reasons.get(`${name} ${index + 1}`) ?? reasons.get(command.run) ?? '';
    differences.push({ run: command.run, expected, found, reason });
  }
  return { commands: commands.length, differences };
}

function isSame(a: CommandOutput, b: CommandOutput): boolean {
  return a.run === b.run && a.exit === b.exit && a.out === b.out && a.err === b.err;
}

/** Reasons by command, or by the name of a file and the number of the command in it. */
function readReasons(): ReadonlyMap<string, string> {
  const file = join(import.meta.dirname, 'differences.yaml');
  const read = readOneYaml(readFileSync(file, 'utf8'), { dialect: 'kubernetes', file });
  return new Map(isObject(read) ? Object.keys(read).map((run) => [run, textAt(read, run)]) : []);
}

/** One difference for people. */
export function differenceText({ run, expected, found, reason }: CommandDifference): string {
  const side = (said: CommandOutput | undefined): string =>
    said === undefined ? 'nothing recorded' : `exit ${said.exit}\n${said.out}\n${said.err}`.trim();
  const because = reason === '' ? '' : `\n    ${reason}`;
  return `$ ${run}\n--- Argo CD: ${side(expected)}\n--- Argosy: ${side(found)}${because}`;
}
