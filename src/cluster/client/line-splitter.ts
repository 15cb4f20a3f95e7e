/** A line longer than the reader takes. */
export class LineTooLong extends Error {}

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines. It works on bytes, because a chunk may end inside a character; and it joins the
 * pieces of a line once, because an event of 10 MB comes in hundreds of chunks.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(readonly maxLength: number) {}

  /** The lines that `chunk` completes, without their newline; empty lines are left out. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      if (this.#size > 0) lines.push(this.#take());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Whether the stream, if it ended here, would end inside a line. */
  get isInLine(): boolean {
    return this.#size > 0;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size > this.maxLength) throw new LineTooLong(`a line is longer than ${this.maxLength} bytes`);
    this.#pieces.push(piece);
  }

  #take(): string {
    const line =
      this.#pieces.length === 1 && this.#pieces[0] !== undefined
        ? this.#pieces[0]
        : Buffer.concat(this.#pieces, this.#size);
    this.#pieces = [];
    this.#size = 0;
    return line.toString('utf8');
  }
}
