import { existsSync } from 'node:fs';
import { readLineHash, verifyFile, verifyStream, type Verification } from '../../audit/index.js';
import { Fault } from '../../model/faults/index.js';
import type { CliHost } from '../host/index.js';

export interface VerifyFlags {
  readonly auditKey?: string;
  readonly expect?: string;
  readonly output?: string;
}

/** Prints what was found; says whether all is there. */
export async function verify(file: string, flags: VerifyFlags, host: CliHost): Promise<boolean> {
  const options = { lineHash: await readLineHash(flags.auditKey), expected: readExpected(flags.expect) };
  if (file !== '-' && !existsSync(file) && !existsSync(`${file}.head`))
    throw new Fault('FILE_UNREADABLE', 'there is no audit log', { where: file });
  const found = file === '-' ? await verifyStream(process.stdin, options) : await verifyFile(file, options);
  host.stdout.write(flags.output === 'json' ? `${JSON.stringify(found, null, 2)}\n` : asText(found));
  return found.bad === undefined;
}

function asText({ lines, last, hash, notes, bad }: Verification): string {
  const result =
    bad === undefined
      ? `${lines} lines are whole; the last one is ${last}:${hash}`
      : `${bad.file}${bad.line === 0 ? '' : `:${bad.line}`}: ${bad.problem}`;
  return [...notes, result].map((line) => `${line}\n`).join('');
}

function readExpected(text: string | undefined): { readonly seq: number; readonly hash: string } | undefined {
  if (text === undefined) return undefined;
  const [, seq = '', hash = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === '') throw new Fault('USAGE', '--expect is no LINE:HASH as argosy audit verify prints it');
  return { seq: Number(seq), hash };
}
