import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut into several, as the container runtime does. */
const MAX_LINE_BYTES = 64 * 1024;

/** Makes lines of what a process writes, piece by piece. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(readonly onLine: (line: string) => void) {}

  write(bytes: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
    while (this.#rest.length > MAX_LINE_BYTES) {
      this.onLine(this.#rest.slice(0, MAX_LINE_BYTES));
      this.#rest = this.#rest.slice(MAX_LINE_BYTES);
    }
  }

  end(): void {
    this.#rest += this.#decoder.end();
    if (this.#rest !== '') this.onLine(this.#rest);
    this.#rest = '';
  }
}
