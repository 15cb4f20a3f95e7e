import { formatOf } from './dump-format.js';
import { isUnitHead } from './host-services.js';
import { typedCommand, type TypedCommand } from './typed-command.js';

/** A part of a pasted text that is one thing: a table, an object, a log. */
export interface TextBlock {
  readonly lines: string[];
  readonly kind: 'table' | 'described' | 'document' | 'log' | 'host';
  /** The command that printed it, where it was pasted too. */
  readonly typed: TypedCommand | undefined;
}

const TABLE = /^(NAMESPACE|NAME|LAST SEEN|POD)(\s{2,}|\t|\s*$)/;
const FENCE = /^\s*(```|~~~)/;
const DOCUMENT = /^(?:apiVersion:\s|kind:\s+[A-Z]|\{\s*$|\{"(?:apiVersion|kind|items)")/;
/** A prompt with a command of something else. */
const PROMPT = /^\s*(?:[^\s|]{1,80}\s?)?[$#%>❯➜»] \S/;

/**
 * A described object starts with `Name:` in the first column, a table with its heading and ends with an empty line;
 * what was typed says what is printed behind it. Fenced blocks are JSON, YAML or text.
 */
export function textBlocks(text: string): TextBlock[] {
  const splitter = new BlockSplitter();
  let fenced: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) {
      if (fenced !== undefined) splitter.fenced(fenced);
      fenced = fenced === undefined ? [] : undefined;
    } else if (fenced === undefined) splitter.take(line);
    else fenced.push(line);
  }
  if (fenced !== undefined) splitter.fenced(fenced);
  return splitter.blocks;
}

class BlockSplitter {
  readonly blocks: TextBlock[] = [];
  #open: TextBlock | undefined;
  #typed: TypedCommand | undefined;

  fenced(lines: readonly string[]): void {
    this.#open = undefined;
    const first = lines.find((line) => line.trim() !== '') ?? '';
    const format = typedCommand(first) === undefined ? formatOf(lines.join('\n')) : 'text';
    if (format === 'json' || format === 'yaml' || format === 'monitoring')
      this.blocks.push({ lines: [...lines], kind: 'document', typed: this.#typed });
    else lines.forEach((line) => this.take(line));
    this.#open = undefined;
    this.#typed = undefined;
  }

  take(line: string): void {
    const typed = typedCommand(line);
    if (typed !== undefined) {
      this.#typed = typed;
      this.#open = undefined;
      const isDocument = /^(?:json|yaml)$/.test(typed.output);
      if (typed.verb === 'systemctl' || typed.verb === 'journalctl') this.#start([], 'host');
      else if (typed.verb === 'describe' && typed.names.length === 1)
        this.#start([`Name: ${typed.names[0] ?? ''}`], 'described');
      else if (typed.verb === 'logs' || isDocument) this.#start([], isDocument ? 'document' : 'log');
    } else if (this.#open?.kind === 'log') this.#open.lines.push(line);
    else this.#takePrinted(line);
  }

  #takePrinted(line: string): void {
    const isTable = TABLE.test(line);
    if (this.#open?.kind === 'host' && !isTable && !PROMPT.test(line)) this.#open.lines.push(line);
    else if (isUnitHead(line)) this.#start([line], 'host');
    else if (isTable || /^Name:\s/.test(line)) this.#start([line], isTable ? 'table' : 'described');
    else if (this.#open?.kind === 'document') this.#open.lines.push(line);
    else if (DOCUMENT.test(line) && this.#open?.kind !== 'described') this.#start([line], 'document');
    else if (line.trim() === '' && this.#open?.kind === 'table') this.#open = undefined;
    // A prompt is no part of what was printed before it.
    else if (PROMPT.test(line)) this.#open = undefined;
    else this.#open?.lines.push(line);
  }

  #start(lines: string[], kind: TextBlock['kind']): void {
    this.#open = { lines, kind, typed: this.#typed };
    this.blocks.push(this.#open);
  }
}
