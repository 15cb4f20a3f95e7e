import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Fault } from '../../model/faults/index.js';

/** What a program or a file gives: passwords have no place in the list of processes. One line each. */
export function readSecrets(count: number): string[] {
  const lines = readFileSync(0, 'utf8').split(/\r?\n/);
  const given = lines.slice(0, count);
  if (given.length < count || given.some((line) => line === ''))
    throw new Fault(
      'VALUE_INVALID',
      count === 1
        ? 'standard input has no password'
        : `standard input must have ${count} lines: the password of now, and the new one`,
      { where: '--password-stdin' },
    );
  return given;
}

/** Asks who sits at the terminal; what they type is not shown where it is secret. */
export async function promptPerson(question: string, isSecret: boolean): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Fault('VALUE_INVALID', `no terminal to answer "${question}"`, { where: 'the terminal' });
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  process.stderr.write(`${question}: `);
  const asker = createInterface({ input: process.stdin, output: isSecret ? silent : process.stderr, terminal: true });
  try {
    return await asker.question('');
  } finally {
    asker.close();
    if (isSecret) process.stderr.write('\n');
  }
}
