/** The words of a command, quotes removed. A word with `$` has a part that only the run knows. */
export type ShellWords = readonly string[];

/** One command of a shell script. */
export interface ShellCommand {
  readonly words: ShellWords;
  /** It is asked again and again: the condition of a loop, or what stands in one. */
  readonly isRepeated: boolean;
}

const LOOPS = new Set(['while', 'until', 'for']);

/** Words that stand before a command without being one. */
const LEADING = new Set([
  'if',
  'then',
  'else',
  'elif',
  'while',
  'until',
  'do',
  '!',
  '{',
  'time',
  'exec',
  'command',
  'nohup',
  'sudo',
  'env',
  'eval',
]);

/**
 * The commands of a script, in the order in which they stand, those of `$(...)` and backticks included. It knows
 * quotes, comments, here-documents and the words of control flow; it runs nothing and follows no variable.
 */
export function shellCommands(script: string): ShellCommand[] {
  return new Reader(script.replaceAll('\\\r\n', ' ').replaceAll('\\\n', ' '))
    .read('')
    .map(({ words, isRepeated }) => ({ words: stripLeadingWords(words), isRepeated }))
    .filter(({ words }) => words.length > 0);
}

/** Without assignments and control words before it. */
function stripLeadingWords(words: ShellWords): ShellWords {
  let rest = words;
  for (;;) {
    const [first = ''] = rest;
    if (first !== '' && (LEADING.has(first) || /^[A-Za-z_][A-Za-z0-9_]*=/.test(first))) rest = rest.slice(1);
    else if (first === 'timeout' || first === 'xargs') rest = afterOptions(rest.slice(1), first === 'timeout' ? 1 : 0);
    else return rest;
  }
}

/** `timeout -k 5 300 oc get` waits with options and a time before its command. */
function afterOptions(words: ShellWords, operands: number): ShellWords {
  const start = words.findIndex((word, index) => !word.startsWith('-') && !/^\d/.test(word) && index >= operands);
  return start < 0 ? [] : words.slice(start);
}

class Reader {
  readonly #text: string;
  readonly #found: { words: ShellWords; isRepeated: boolean }[] = [];
  #at = 0;
  /** Loops that are open here. */
  #loops = 0;
  /** What was found before the command that is being read. */
  #before = 0;
  #words: string[] = [];
  #word: string | undefined;
  #documents: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Up to `end`, which is a bracket or a backtick; to the end of the text where it is empty. */
  read(end: string): ShellCommand[] {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at++] ?? '';
      if (char === end && end !== '') break;
      this.#take(char);
    }
    this.#endCommand();
    return this.#found;
  }

  #take(char: string): void {
    if (char === '\n') {
      this.#endCommand();
      this.#skipDocuments();
    } else if (/\s/.test(char)) this.#endWord();
    else if (';&|()'.includes(char)) this.#endCommand();
    else if (char === '#' && this.#word === undefined) this.#skipLine();
    else if (char === "'") this.#add(this.#until("'"));
    else if (char === '"') this.#quoted();
    else if (char === '\\') this.#add(this.#text[this.#at++] ?? '');
    else if (char === '`') this.#nested('`');
    else if (char === '$') this.#dollar();
    else if (char === '<' && this.#text[this.#at] === '<' && this.#text[this.#at + 1] !== '<') this.#document();
    else this.#add(char);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    const words = this.#words;
    if (words.some((word, index) => LOOPS.has(word) && words.slice(0, index).every((each) => LEADING.has(each))))
      this.#loops++;
    if (words[0] === 'done') this.#loops = Math.max(0, this.#loops - 1);
    if (words.length > 0) this.#found.push({ words, isRepeated: false });
    // Commands within its words stand before it.
    if (this.#loops > 0) for (const each of this.#found.slice(this.#before)) each.isRepeated = true;
    this.#before = this.#found.length;
    this.#words = [];
  }

  #until(end: string): string {
    const stop = this.#text.indexOf(end, this.#at);
    const text = this.#text.slice(this.#at, stop < 0 ? this.#text.length : stop);
    this.#at = stop < 0 ? this.#text.length : stop + 1;
    return text;
  }

  #skipLine(): void {
    const stop = this.#text.indexOf('\n', this.#at);
    this.#at = stop < 0 ? this.#text.length : stop;
  }

  #quoted(): void {
    this.#add('');
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at++] ?? '';
      if (char === '"') return;
      if (char === '\\') this.#add(this.#text[this.#at++] ?? '');
      else if (char === '$') this.#dollar();
      else if (char === '`') this.#nested('`');
      else this.#add(char);
    }
  }

  #dollar(): void {
    this.#add('$');
    if (this.#text[this.#at] !== '(') return;
    this.#at++;
    if (this.#text[this.#at] === '(') this.#until('))');
    else this.#nested(')');
  }

  /** A command within a word: what it prints is not known. */
  #nested(end: string): void {
    const inner = new Reader(this.#text);
    inner.#at = this.#at;
    this.#found.push(...inner.read(end));
    this.#at = inner.#at;
    this.#add('$');
  }

  #document(): void {
    this.#endWord();
    const [whole = '', word = ''] =
      /^<-?\s*["']?([A-Za-z0-9_]+)["']?/.exec(this.#text.slice(this.#at, this.#at + 200)) ?? [];
    this.#at += Math.max(whole.length, 1);
    if (word !== '') this.#documents.push(word);
  }

  #skipDocuments(): void {
    for (const word of this.#documents) {
      for (;;) {
        const start = this.#at;
        this.#skipLine();
        const line = this.#text.slice(start, this.#at);
        this.#at = Math.min(this.#at + 1, this.#text.length);
        if (line.trim() === word || this.#at >= this.#text.length) break;
      }
    }
    this.#documents = [];
  }
}
