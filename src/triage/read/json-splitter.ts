import { Buffer } from 'node:buffer';

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [34, 92, 123, 125, 91, 93];

const [PLAIN, STRING, BRACKET] = [0, 1, 2];
/** What a byte means outside of strings: most mean nothing. */
const KINDS = new Uint8Array(256);
KINDS[QUOTE] = STRING;
for (const bracket of [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST]) KINDS[bracket] = BRACKET;

/** What may occur between objects: white space, commas, brackets of lists, and the record separator. */
const BETWEEN: ReadonlySet<number> = new Set([9, 10, 13, 32, 44, OPEN_LIST, CLOSE_LIST, 0x1e]);

/** One object of a list, or the list without its items. */
export interface JsonPiece {
  readonly text: string;
  /** An element of `items`, of a bare list, or a document without items. */
  readonly isObject: boolean;
}

/** What the bytes at hand belong to; `nothing` is the commas between the items of a list. */
type Sink = 'nothing' | 'document' | 'item';

/**
 * Splits a stream of JSON into objects, with at most one in memory: `{"items": [...]}`, a bare list, or documents one
 * after another. The rest of the list (kind and apiVersion) follows as a separate piece. Only brackets and strings are
 * scanned; the reader decides whether a piece is valid JSON.
 */
export class JsonSplitter {
  readonly #take: (piece: JsonPiece) => void;
  readonly #limit: number;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #sink: Sink = 'nothing';
  /** Depth of the list whose members are cut out; 0 outside of one. */
  #listDepth = 0;
  #hasItems = false;
  #document: Buffer[] = [];
  #item: Buffer[] = [];
  #size = 0;
  #hasLitter = false;

  /** Objects beyond the limit of bytes are handed over cut off: no API server has such. */
  constructor(take: (piece: JsonPiece) => void, limit = 64 * 1024 * 1024) {
    this.#take = take;
    this.#limit = limit;
  }

  /** Whether the stream so far ends between documents. */
  get isComplete(): boolean {
    return this.#depth === 0 && !this.#inString;
  }

  /** Whether anything but white space and commas stood between objects. */
  get hasLitter(): boolean {
    return this.#hasLitter;
  }

  push(chunk: Buffer): void {
    let from = 0;
    let at = this.#inString ? this.#skipString(chunk, 0) : 0;
    const end = chunk.length;
    while (at < end) {
      const kind = KINDS[chunk[at] ?? 0];
      if (kind === PLAIN) at++;
      else if (kind === STRING) at = this.#skipString(chunk, at + 1);
      else {
        const code = chunk[at];
        from =
          code === OPEN || code === OPEN_LIST
            ? this.#open(code === OPEN_LIST, chunk, at, from)
            : this.#close(chunk, at, from);
        at++;
      }
    }
    this.#keep(chunk, from, end);
  }

  /** The position after the string, or the end of the chunk if it continues. */
  #skipString(chunk: Buffer, start: number): number {
    const end = chunk.length;
    let at = this.#escaped ? start + 1 : start;
    this.#escaped = false;
    for (; at < end; at++) {
      const code = chunk[at];
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) {
        this.#inString = false;
        return at + 1;
      }
    }
    this.#inString = true;
    this.#escaped = at > end;
    return end;
  }

  /** Gives where the bytes start that are not yet kept. */
  #open(isList: boolean, chunk: Buffer, at: number, from: number): number {
    const depth = ++this.#depth;
    if (this.#sink === 'nothing') this.#noteLitter(chunk, from, at);
    if (this.#listDepth > 0 && depth === this.#listDepth + 1) return this.#start('item', at);
    if (depth === 1) {
      this.#hasItems = isList;
      this.#listDepth = isList ? 1 : 0;
      return this.#start(isList ? 'nothing' : 'document', at);
    }
    if (depth !== 2 || !isList || this.#hasItems) return from;
    this.#keep(chunk, from, at + 1);
    if (this.#namesItems()) {
      this.#hasItems = true;
      this.#listDepth = 2;
      this.#sink = 'nothing';
    }
    return at + 1;
  }

  #close(chunk: Buffer, at: number, from: number): number {
    const depth = (this.#depth = Math.max(this.#depth - 1, 0));
    if (this.#listDepth > 0 && depth === this.#listDepth) {
      this.#keep(chunk, from, at + 1);
      this.#take({ text: textOf(this.#item), isObject: true });
      this.#item = [];
      this.#sink = 'nothing';
      return at + 1;
    }
    if (this.#listDepth === 2 && depth === 1) {
      this.#listDepth = 0;
      this.#sink = 'document';
      return at;
    }
    if (depth > 0) return from;
    this.#keep(chunk, from, at + 1);
    if (this.#sink === 'document') this.#take({ text: textOf(this.#document), isObject: !this.#hasItems });
    this.#document = [];
    this.#listDepth = 0;
    this.#sink = 'nothing';
    return at + 1;
  }

  #start(sink: Sink, at: number): number {
    this.#sink = sink;
    this.#size = 0;
    return at;
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
    if (this.#sink === 'nothing') {
      this.#noteLitter(chunk, from, to);
      return;
    }
    this.#size += to - from;
    if (this.#size > this.#limit) return;
    (this.#sink === 'item' ? this.#item : this.#document).push(chunk.subarray(from, to));
  }

  #noteLitter(chunk: Buffer, from: number, to: number): void {
    for (let at = from; at < to; at++) if (!BETWEEN.has(chunk[at] ?? 0)) this.#hasLitter = true;
  }

  /** Whether the list that just opened is the value of `items`. */
  #namesItems(): boolean {
    const last = this.#document.slice(-2);
    return /"items"\s*:\s*\[$/.test(textOf(last).slice(-64));
  }
}

function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first.toString('utf8') : Buffer.concat(parts).toString('utf8');
}
