import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../../shared/seeds');

/** The document that this suite plays, by its lines; undefined where it is not on this machine. */
export class Seed {
  private constructor(private readonly lines: readonly string[]) {}

  static read(): Seed | undefined {
    const file = existsSync(FOLDER) ? readdirSync(FOLDER).find((name) => name.startsWith('001')) : undefined;
    return file === undefined ? undefined : new Seed(readFileSync(join(FOLDER, file), 'utf8').split('\n'));
  }

  /** Lines `from` to `to`, as an editor counts them. */
  block(from: number, to: number): string[] {
    return this.lines.slice(from - 1, to);
  }

  /** Puts blocks of the document where `${SEED from-to}` stands, with its indent. */
  fill(text: string): string {
    return text.replaceAll(/^( *)\$\{SEED (\d+)-(\d+)\}$/gm, (_, indent: string, from: string, to: string) => {
      const lines = this.block(Number(from), Number(to));
      const least = Math.min(...lines.map((line) => line.search(/\S/)));
      return lines.map((line) => `${indent}${line.slice(least)}`).join('\n');
    });
  }
}
