import { unreachable, type RestClient } from '../transport/index.js';

/** Longest line that is given whole, in bytes; of a longer one only the beginning is. */
const MAX_LINE_BYTES = 1 << 20;
const NEWLINE = 0x0a;
const OPEN_TIMEOUT = 30_000;

/**
 * Reads text that goes on, such as the log of a pod, line by line as it comes; ends when the server ends it. Memory is
 * bounded whatever comes: nothing is kept but the line that is being read.
 */
export async function followLines(
  requester: RestClient,
  path: string,
  take: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const answer = await requester.stream({
    method: 'GET',
    path,
    accept: '*/*',
    isRepeatable: true,
    signal,
    limits: { timeout: OPEN_TIMEOUT },
  });
  const lines = new LineReader(take);
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) lines.push(chunk);
    lines.end();
  } catch (error) {
    if (!signal.aborted)
      throw unreachable(
        requester.transport.host,
        `the text was cut: ${error instanceof Error ? error.message : String(error)}`,
        error,
      );
  } finally {
    answer.body
      .on('error', () => {
        /* reported above, or closed by us */
      })
      .destroy();
  }
}

class LineReader {
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(readonly take: (line: string) => void) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  end(): void {
    if (this.#size > 0) this.#emit();
  }

  #keep(piece: Buffer): void {
    const room = MAX_LINE_BYTES - this.#size;
    if (piece.length === 0 || room <= 0) return;
    this.#pieces.push(Buffer.from(piece.subarray(0, room)));
    this.#size += Math.min(piece.length, room);
  }

  #emit(): void {
    const line = Buffer.concat(this.#pieces, this.#size).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    this.take(line);
  }
}
