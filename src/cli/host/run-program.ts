import { spawn } from 'node:child_process';
import { Fault } from '../../model/faults/index.js';
import type { CliHost } from './cli-host.js';

/**
 * Runs a program that the user named in a variable, with files behind its own words: at their terminal where there is
 * one, else with its output in ours. No shell reads the words. Gives the exit code.
 */
export async function runProgram(
  variable: string,
  line: string,
  files: readonly string[],
  { stdout }: Pick<CliHost, 'stdout'>,
): Promise<number> {
  const [program, ...words] = splitWords(line, variable);
  if (program === undefined) throw new Fault('USAGE', 'names no program', { where: variable });
  const isHere = stdout.isTTY === true;
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, ...files], {
      stdio: ['inherit', isHere ? 'inherit' : 'pipe', 'inherit'],
      shell: false,
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout.write(text);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Fault('USAGE', `cannot start ${program} (${error.code ?? error.message})`, {
          where: variable,
          cause: error,
        }),
      );
    });
    child.on('close', (code, signal) => {
      if (code === null)
        reject(new Fault('USAGE', `${program} was killed by ${signal ?? 'a signal'}`, { where: variable }));
      else resolve(code);
    });
  });
}

/** Words as a shell would cut them, with quotes and backslashes; nothing in them is replaced or run. */
export function splitWords(line: string, where: string): string[] {
  const words: string[] = [];
  const part = /\s+|\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s\\'"]+)/gsy;
  let word: string | undefined;
  while (part.lastIndex < line.length) {
    const match = part.exec(line);
    if (match === null) throw new Fault('USAGE', 'a quote or backslash is not closed', { where });
    const [, escaped, single, double, plain] = match;
    const text = escaped ?? single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? plain;
    if (text !== undefined) word = `${word ?? ''}${text}`;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
