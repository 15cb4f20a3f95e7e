import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut into several, as the container runtime does. */
const LONGEST_LINE = 64 * 1024;

/** Makes lines of what a process writes, piece by piece. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(readonly tell: (line: string) => void) {}

  write(bytes: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.tell(line);
    while (this.#rest.length > LONGEST_LINE) {
      this.tell(this.#rest.slice(0, LONGEST_LINE));
      this.#rest = this.#rest.slice(LONGEST_LINE);
    }
  }

  end(): void {
    this.#rest += this.#decoder.end();
    if (this.#rest !== '') this.tell(this.#rest);
    this.#rest = '';
  }
}
