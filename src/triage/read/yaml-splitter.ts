/** One object of a list as the text of a sequence with one member, or a document without its items. */
export interface YamlPiece {
  readonly text: string;
  readonly isItem: boolean;
  /** A document whose items came before it. */
  readonly hasItems: boolean;
  /** Of the file, from 1. */
  readonly line: number;
}

/**
 * Cuts the lines of YAML into documents, and the lists that kubectl prints (`items:` with members in the first column)
 * into their objects, so that one broken object does not cost the others and no more than one is held.
 */
export class YamlSplitter {
  readonly #take: (piece: YamlPiece) => void;
  #rest = '';
  #line = 0;
  #document: string[] = [];
  #documentLine = 1;
  #item: string[] = [];
  #itemLine = 1;
  #inItems = false;
  #hasItems = false;

  constructor(take: (piece: YamlPiece) => void) {
    this.#take = take;
  }

  push(text: string): void {
    if (!text.includes('\n')) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take1(line);
  }

  end(): void {
    if (this.#rest !== '') this.#take1(this.#rest);
    this.#endDocument();
  }

  #take1(line: string): void {
    this.#line++;
    if (/^(---|\.\.\.)(\s|$)/.test(line)) {
      this.#endDocument();
      return;
    }
    const first = line.charAt(0);
    if (this.#inItems && (first === ' ' || first === '' || first === '#' || first === '\r')) {
      (this.#item.length > 0 ? this.#item : this.#document).push(line);
      return;
    }
    if (this.#inItems && /^-(\s|$)/.test(line)) {
      this.#endItem();
      this.#itemLine = this.#line;
      this.#item.push(line);
      return;
    }
    this.#endItem();
    this.#inItems = /^items:\s*$/.test(line);
    if (this.#document.length === 0) this.#documentLine = this.#line;
    if (!this.#inItems) this.#document.push(line);
  }

  #endItem(): void {
    if (this.#item.length > 0) {
      this.#take({ text: this.#item.join('\n'), isItem: true, hasItems: false, line: this.#itemLine });
      this.#hasItems = true;
    }
    this.#item = [];
  }

  #endDocument(): void {
    this.#endItem();
    this.#inItems = false;
    if (this.#hasItems || this.#document.some((line) => /\S/.test(line)))
      this.#take({
        text: this.#document.join('\n'),
        isItem: false,
        hasItems: this.#hasItems,
        line: this.#documentLine,
      });
    this.#document = [];
    this.#hasItems = false;
  }
}
