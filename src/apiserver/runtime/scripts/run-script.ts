import { ScriptError, type Command, type Word } from './syntax.js';

/** What a script may ask of the world. */
export interface ScriptWorld {
  now(): Date;
  /** A line of the container's log. */
  log(line: string): void;
  /** `kubectl` and `oc`. */
  client(words: readonly string[]): Play<Answer>;
}

interface Answer {
  readonly text: string;
  readonly status: number;
  /** What goes to standard error. */
  readonly error?: string;
}

/** Milliseconds to wait come out of it, the result at its end. */
export type Play<Result> = Generator<number, Result, void>;

/** A round of a loop that does not sleep itself. */
const BREATH = 1000;
const MAX_OUTPUT = 100_000;

class Exit extends Error {
  constructor(readonly status: number) {
    super('exit');
  }
}
class LoopEnd extends Error {
  constructor(readonly goesOn: boolean) {
    super('loop');
  }
}

/** Plays a script; its result is the exit code. */
export function* runScript(
  script: Command,
  world: ScriptWorld,
  variables: Readonly<Record<string, string>>,
): Play<number> {
  const run = new Run(world, new Map(Object.entries(variables)));
  try {
    const { status } = yield* run.command(script, '');
    return status;
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  } finally {
    run.flush();
  }
}

/** The programs that are played, beside the clients of the cluster. */
export const PROGRAMS: ReadonlySet<string> = new Set([
  ...['echo', 'printf', 'sleep', 'true', 'false', ':', 'exit', '[', 'test', '[[', 'grep', 'date', 'set', 'export'],
  ...['break', 'continue', 'wc', 'cat', 'seq', 'local', 'return'],
]);

class Run {
  #out = '';
  #status = 0;
  #stopsAtFailure = false;
  #pipeFails = false;
  #sleeps = 0;

  constructor(
    readonly world: ScriptWorld,
    readonly variables: Map<string, string>,
  ) {}

  /** Output that no new line has ended. */
  flush(): void {
    if (this.#out !== '') this.world.log(this.#out);
    this.#out = '';
  }

  /** Gives what a command prints instead of printing it where `into` is asked for. */
  *command(command: Command, input: string, captured = false, tested = false): Play<{ text: string; status: number }> {
    switch (command.kind) {
      case 'call':
        return yield* this.#played(command, input, captured, tested);
      case 'pipe':
        return yield* this.#pipe(command.of, captured, tested);
      case 'not': {
        const { text, status } = yield* this.command(command.of, input, captured, true);
        return { text, status: status === 0 ? 1 : 0 };
      }
      case 'and':
      case 'or': {
        const left = yield* this.command(command.left, input, captured, true);
        if ((left.status === 0) !== (command.kind === 'and')) return left;
        const right = yield* this.command(command.right, input, captured, tested);
        return { text: left.text + right.text, status: right.status };
      }
      case 'list':
        return yield* this.#list(command.of, input, captured, tested);
      case 'loop':
        return yield* this.#loop(command, input, captured);
      case 'for':
        return yield* this.#for(command, input, captured);
      case 'if':
        return yield* this.#if(command, input, captured, tested);
    }
  }

  *#played(command: Command & { kind: 'call' }, input: string, captured: boolean, tested: boolean) {
    const { text, status, error = '' }: Answer = yield* this.#call(command, input);
    const shown = command.silent ? '' : text;
    if (!command.silent) this.#print(error);
    if (!captured) this.#print(shown);
    this.#status = status;
    if (status !== 0 && this.#stopsAtFailure && !tested) throw new Exit(status);
    return { text: captured ? shown : '', status };
  }

  *#list(of: readonly Command[], input: string, captured: boolean, tested: boolean) {
    let [text, status] = ['', 0];
    for (const each of of) {
      const done: { text: string; status: number } = yield* this.command(each, input, captured, tested);
      text += done.text;
      status = done.status;
    }
    return { text, status };
  }

  *#pipe(of: readonly Command[], captured: boolean, tested: boolean): Play<{ text: string; status: number }> {
    let [text, status, worst] = ['', 0, 0];
    for (const [index, each] of of.entries()) {
      const isLast = index === of.length - 1;
      ({ text, status } = yield* this.command(each, text, captured || !isLast, true));
      if (status !== 0) worst = status;
    }
    const told = this.#pipeFails ? worst : status;
    if (told !== 0 && this.#stopsAtFailure && !tested) throw new Exit(told);
    return { text, status: told };
  }

  *#loop({ until, test, body }: Command & { kind: 'loop' }, input: string, captured: boolean) {
    let text = '';
    for (;;) {
      const before = this.#sleeps;
      const asked: { text: string; status: number } = yield* this.command(test, input, captured, true);
      text += asked.text;
      if ((asked.status === 0) === until) return { text, status: 0 };
      const round: { text: string; isOver: boolean } = yield* this.#round(body, input, captured);
      text = (text + round.text).slice(-MAX_OUTPUT);
      if (round.isOver) return { text, status: 0 };
      if (this.#sleeps === before) yield BREATH;
    }
  }

  *#round(body: Command, input: string, captured: boolean): Play<{ text: string; isOver: boolean }> {
    try {
      const { text } = yield* this.command(body, input, captured);
      return { text, isOver: false };
    } catch (error) {
      if (!(error instanceof LoopEnd)) throw error;
      return { text: '', isOver: !error.goesOn };
    }
  }

  *#for({ name, words, body }: Command & { kind: 'for' }, input: string, captured: boolean) {
    let text = '';
    for (const value of yield* this.#words(words)) {
      this.variables.set(name, value);
      const round: { text: string; isOver: boolean } = yield* this.#round(body, input, captured);
      text = (text + round.text).slice(-MAX_OUTPUT);
      if (round.isOver) break;
    }
    return { text, status: 0 };
  }

  *#if({ arms, other }: Command & { kind: 'if' }, input: string, captured: boolean, tested: boolean) {
    let text = '';
    for (const { test, body } of arms) {
      const asked: { text: string; status: number } = yield* this.command(test, input, captured, true);
      text += asked.text;
      if (asked.status !== 0) continue;
      const done: { text: string; status: number } = yield* this.command(body, input, captured, tested);
      return { text: text + done.text, status: done.status };
    }
    if (other === undefined) return { text, status: 0 };
    const done: { text: string; status: number } = yield* this.command(other, input, captured, tested);
    return { text: text + done.text, status: done.status };
  }

  #print(text: string): void {
    const lines = (this.#out + text).split('\n');
    this.#out = lines.pop() ?? '';
    for (const line of lines) this.world.log(line);
  }

  *#call({ sets, words }: Command & { kind: 'call' }, input: string): Play<Answer> {
    let status = 0;
    for (const { name, value } of sets) {
      const [before, text] = [this.#status, yield* this.#text(value)];
      status = value.some(({ kind }) => kind === 'output') ? this.#status : 0;
      this.#status = before;
      this.variables.set(name, text);
    }
    const [program = '', ...rest] = yield* this.#words(words);
    if (program === '') return { text: '', status };
    return yield* this.#program(program.split('/').at(-1) ?? '', rest, input);
  }

  *#words(words: readonly Word[]): Play<string[]> {
    const found: string[] = [];
    for (const word of words) {
      const isSplit = word.length === 1 && word.some((part) => 'quoted' in part && !part.quoted);
      const text = yield* this.#text(word);
      found.push(...(isSplit ? text.split(/\s+/).filter((each) => each !== '') : [text]));
    }
    return found;
  }

  *#text(word: Word): Play<string> {
    let text = '';
    for (const part of word) {
      if (part.kind === 'text') text += part.text;
      else if (part.kind === 'sum') text += String(this.#sum(part.text));
      else if (part.kind === 'variable')
        text += part.name === '?' ? String(this.#status) : this.variables.get(part.name) || part.fallback;
      else {
        const output: { text: string; status: number } = yield* this.command(part.of, '', true, true);
        this.#status = output.status;
        text += withoutEnd(output.text);
      }
    }
    return text;
  }

  /** Sums and differences from the left, which is what counts seconds. */
  #sum(text: string): number {
    const words = text.match(/\d+|[A-Za-z_]\w*|\$\{?[A-Za-z_]\w*\}?|[-+*/%]/g) ?? [];
    const valueOf = (word = '0'): number =>
      /^\d/.test(word) ? Number(word) : Number(this.variables.get(word.replace(/[${}]/g, '')) ?? '0') || 0;
    let total = valueOf(words[0]);
    for (let at = 1; at + 1 < words.length; at += 2) total = combine(total, words[at] ?? '+', valueOf(words[at + 1]));
    return total;
  }

  *#program(name: string, words: readonly string[], input: string): Play<Answer> {
    switch (name) {
      case 'kubectl':
      case 'oc':
        return yield* this.world.client(words);
      case 'sleep': {
        this.#sleeps++;
        yield seconds(words[0]) * 1000;
        return { text: '', status: 0 };
      }
      case 'exit':
      case 'return':
        throw new Exit(words[0] === undefined ? this.#status : Number(words[0]) || 0);
      case 'break':
      case 'continue':
        throw new LoopEnd(name === 'continue');
      case 'set':
        return this.#set(words);
      case 'export':
      case 'local':
        for (const word of words)
          if (word.includes('='))
            this.variables.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
        return { text: '', status: 0 };
      case 'date':
        return { text: `${dateText(this.world.now(), words[0])}\n`, status: 0 };
      default:
        return simpleProgram(name, words, input);
    }
  }

  #set(words: readonly string[]): Answer {
    for (const [index, word] of words.entries()) {
      const isOn = word.startsWith('-');
      if (/^[-+]\w*e/.test(word)) this.#stopsAtFailure = isOn;
      if (/^[-+]\w*o$/.test(word) && words[index + 1] === 'pipefail') this.#pipeFails = isOn;
    }
    return { text: '', status: 0 };
  }
}

/** Without the new lines at its end. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

function combine(left: number, sign: string, right: number): number {
  if (sign === '+') return left + right;
  if (sign === '-') return left - right;
  if (sign === '*') return left * right;
  return right === 0 ? 0 : Math.trunc(sign === '/' ? left / right : left % right);
}

function seconds(text = '0'): number {
  const [, amount = '0', unit = 's'] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  return Number(amount) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
}

function dateText(now: Date, format = ''): string {
  return format === '+%s' ? String(Math.floor(now.getTime() / 1000)) : now.toISOString();
}

function simpleProgram(name: string, words: readonly string[], input: string): Answer {
  switch (name) {
    case 'true':
    case ':':
      return { text: '', status: 0 };
    case 'false':
      return { text: '', status: 1 };
    case 'echo': {
      const isOpen = words[0] === '-n';
      const told = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ');
      return { text: `${told}${isOpen ? '' : '\n'}`, status: 0 };
    }
    case 'printf': {
      const [format = '', ...values] = words;
      return { text: format.replace(/%[sd]/g, () => values.shift() ?? '').replaceAll('\\n', '\n'), status: 0 };
    }
    case '[':
    case '[[':
    case 'test': {
      const terms = name === 'test' ? words : words.slice(0, -1);
      return { text: '', status: holdsAny(terms) ? 0 : 1 };
    }
    case 'grep':
      return grep(words, input);
    case 'cat':
      return { text: input, status: 0 };
    case 'wc':
      return { text: `${words.includes('-l') ? lines(input).length : input.length}\n`, status: 0 };
    case 'seq': {
      const [from, to] = words.length > 1 ? [Number(words[0]), Number(words[1])] : [1, Number(words[0])];
      const count = Math.min(Math.max(to - from + 1, 0), 10_000);
      return { text: Array.from({ length: count }, (_, index) => `${from + index}\n`).join(''), status: 0 };
    }
    default:
      throw new ScriptError(`${name} is not played`);
  }
}

function lines(text: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .filter((line, index) => index > 0 || line !== '');
}

function holdsAny(words: readonly string[]): boolean {
  const or = words.findIndex((word) => word === '-o' || word === '||');
  if (or >= 0) return holdsAny(words.slice(0, or)) || holdsAny(words.slice(or + 1));
  const and = words.findIndex((word) => word === '-a' || word === '&&');
  if (and >= 0) return holdsAny(words.slice(0, and)) && holdsAny(words.slice(and + 1));
  if (words[0] === '!') return !holdsAny(words.slice(1));
  return holdsOne(words);
}

function holdsOne([left = '', sign, right = '']: readonly string[]): boolean {
  if (sign === undefined) return left !== '';
  if (left === '-n') return sign !== '';
  if (left === '-z') return sign === '';
  const [a, b] = [Number(left), Number(right)];
  switch (sign) {
    case '=':
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '-eq':
      return a === b;
    case '-ne':
      return a !== b;
    case '-lt':
      return a < b;
    case '-le':
      return a <= b;
    case '-gt':
      return a > b;
    case '-ge':
      return a >= b;
    default:
      throw new ScriptError(`the test ${sign} is not played`);
  }
}

function grep(words: readonly string[], input: string): Answer {
  const flags = words.filter((word) => /^-\w+$/.test(word)).join('');
  const [pattern = ''] = words.filter((word) => !/^-\w+$/.test(word));
  if (!flags.includes('F') && /[[\]\\+?{}]/.test(pattern.replaceAll('\\|', '')))
    throw new ScriptError(`the pattern ${pattern} is not played`);
  const isExtended = /[EP]/.test(flags);
  const matches = (line: string): boolean => {
    const [text, wanted] = flags.includes('i') ? [line.toLowerCase(), pattern.toLowerCase()] : [line, pattern];
    const found = (flags.includes('F') ? [wanted] : wanted.split(isExtended ? /\\?\|/ : '\\|')).some((each) =>
      matchesPart(text, each.replace(/^\(|\)$/g, ''), flags.includes('w') || flags.includes('x')),
    );
    return found !== flags.includes('v');
  };
  const found = lines(input).filter(matches);
  const text = flags.includes('c') ? `${found.length}\n` : found.map((line) => `${line}\n`).join('');
  return { text: flags.includes('q') ? '' : text, status: found.length > 0 ? 0 : 1 };
}

/** Patterns of waits are words, with `^`, `$` and `.*`; nothing of a manifest is compiled. */
function matchesPart(line: string, pattern: string, whole: boolean): boolean {
  const [atStart, atEnd] = [pattern.startsWith('^'), pattern.endsWith('$')];
  const parts = pattern.slice(atStart ? 1 : 0, atEnd ? -1 : undefined).split('.*');
  if (whole && parts.length === 1) return line.split(/[^\w.-]+/).includes(parts[0] ?? '');
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = line.indexOf(part, at);
    if (found < 0 || (atStart && index === 0 && found > 0)) return false;
    at = found + part.length;
  }
  return !atEnd || line.endsWith(parts.at(-1) ?? '');
}
