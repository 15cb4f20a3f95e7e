import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, '../../../../shared/seeds');

/**
 * The document that this suite plays, by its lines; where it is not on this machine, blocks of our own that say the
 * same.
 */
export class Seed {
  private constructor(
    readonly isDocument: boolean,
    private readonly read: (from: number, to: number) => readonly string[],
  ) {}

  static read(): Seed {
    const file = existsSync(FOLDER) ? readdirSync(FOLDER).find((name) => name.startsWith('001')) : undefined;
    if (file === undefined) {
      const blocks = parse(readFileSync(join(import.meta.dirname, 'own-blocks.yaml'), 'utf8')) as Readonly<
        Record<string, string>
      >;
      return new Seed(false, (from, to) => blocks[`${from}-${to}`]?.trimEnd().split('\n') ?? []);
    }
    const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
    return new Seed(true, (from, to) => lines.slice(from - 1, to));
  }

  /** Lines `from` to `to`, as an editor counts them. */
  block(from: number, to: number): readonly string[] {
    return this.read(from, to);
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
