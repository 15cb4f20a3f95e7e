import { PLAIN, type CellStyle, type Screen } from './screen';

const ESC = '\u001B';
/** Longer than any order that means something. */
const MAX_SEQUENCE_LENGTH = 4096;

/** Reads what programs send to a terminal and does it on a screen. What is not known is left out, never shown. */
export class Escapes {
  /** Arrows are sent in the other way, as editors ask for it. */
  hasApplicationKeys = false;
  #rest = '';

  /** `reply` gets what the terminal itself answers, such as where its cursor is. */
  constructor(
    readonly screen: Screen,
    readonly reply: (text: string) => void,
  ) {}

  write(text: string): void {
    let left = this.#rest + text;
    this.#rest = '';
    while (left !== '') {
      const used = this.#take(left);
      if (used === 0) {
        // The end of it has not come yet; what never ends is dropped.
        this.#rest = left.length > MAX_SEQUENCE_LENGTH ? '' : left;
        return;
      }
      left = left.slice(used);
    }
  }

  /** How much of the text was used; 0 where it ends in the middle of an order. */
  #take(text: string): number {
    const plain = /^[^\u0000-\u001F\u007F-\u009F]+/.exec(text)?.[0];
    if (plain !== undefined) {
      this.screen.print(plain);
      return plain.length;
    }
    if (!text.startsWith(ESC)) {
      this.#control(text[0] ?? '');
      return 1;
    }
    switch (text[1]) {
      case undefined:
        return 0;
      case '[':
        return this.#sequence(text);
      case ']':
      case 'P':
      case '_':
      case '^':
      case 'X':
        return lengthOfString(text);
      case '(':
      case ')':
      case '*':
      case '+':
      case '#':
      case '%':
      case ' ':
        return text.length < 3 ? 0 : 3;
      default:
        this.#short(text[1]);
        return 2;
    }
  }

  #control(character: string): void {
    const { screen } = this;
    if (character === '\b') screen.moveBy(-1, 0);
    else if (character === '\t') screen.tab();
    else if (character === '\r') screen.move(0, screen.row);
    else if (character === '\n' || character === '\v' || character === '\f') screen.feed();
  }

  #short(order: string): void {
    const { screen } = this;
    if (order === '7') screen.save();
    else if (order === '8') screen.restore();
    else if (order === 'D') screen.feed();
    else if (order === 'M') screen.feedBack();
    else if (order === 'c') screen.reset();
    else if (order === 'E') {
      screen.move(0, screen.row);
      screen.feed();
    }
  }

  #sequence(text: string): number {
    const match = /^\u001B\[([?>=!]?)([\d;:]*)([ -/]*)([@-~])/.exec(text);
    if (match === null) return /^\u001B\[[0-?]*[ -/]*$/.test(text) ? 0 : 2;
    const [whole, mark = '', list = '', between = '', order = ''] = match;
    const numbers = list.split(/[;:]/).map((each) => (each === '' ? undefined : Number(each)));
    if (mark === '?' && (order === 'h' || order === 'l'))
      for (const number of numbers) this.#mode(number ?? 0, order === 'h');
    else if (mark === '' && between === '') this.#order(order, numbers);
    return whole.length;
  }

  #mode(number: number, isOn: boolean): void {
    const { screen } = this;
    if (number === 25) screen.isCursorShown = isOn;
    else if (number === 1) this.hasApplicationKeys = isOn;
    else if (number === 47 || number === 1047) screen.setOther(isOn);
    else if (number === 1049) {
      if (isOn) screen.save();
      screen.setOther(isOn);
      if (!isOn) screen.restore();
    }
  }

  #order(order: string, numbers: readonly (number | undefined)[]): void {
    const { screen } = this;
    const first = Math.max(1, numbers[0] ?? 1);
    const which = numbers[0] ?? 0;
    const act = CONTROL_HANDLERS[order];
    if (act !== undefined) act(screen, first, numbers);
    else if (order === 'J') screen.eraseScreen(which);
    else if (order === 'K') screen.eraseLine(which);
    else if (order === 'm') screen.style = styleOf(screen.style, numbers);
    else if (order === 'c') this.reply(`${ESC}[?1;2c`);
    else if (order === 'n' && which === 6) this.reply(`${ESC}[${screen.row + 1};${screen.column + 1}R`);
    else if (order === 'n' && which === 5) this.reply(`${ESC}[0n`);
  }
}

type ControlHandler = (screen: Screen, first: number, numbers: readonly (number | undefined)[]) => void;

/** By their last letter; `first` is the first number, 1 where it is left out. */
const CONTROL_HANDLERS: Readonly<Record<string, ControlHandler>> = {
  A: (screen, first) => {
    screen.moveBy(0, -first);
  },
  B: (screen, first) => {
    screen.moveBy(0, first);
  },
  C: (screen, first) => {
    screen.moveBy(first, 0);
  },
  D: (screen, first) => {
    screen.moveBy(-first, 0);
  },
  E: (screen, first) => {
    screen.move(0, screen.row + first);
  },
  F: (screen, first) => {
    screen.move(0, screen.row - first);
  },
  G: (screen, first) => {
    screen.move(first - 1, screen.row);
  },
  d: (screen, first) => {
    screen.move(screen.column, first - 1);
  },
  H: (screen, first, numbers) => {
    screen.move((numbers[1] ?? 1) - 1, first - 1);
  },
  f: (screen, first, numbers) => {
    screen.move((numbers[1] ?? 1) - 1, first - 1);
  },
  L: (screen, first) => {
    screen.insertLines(first);
  },
  M: (screen, first) => {
    screen.insertLines(-first);
  },
  P: (screen, first) => {
    screen.insertCells(-first);
  },
  '@': (screen, first) => {
    screen.insertCells(first);
  },
  X: (screen, first) => {
    screen.eraseCells(first);
  },
  S: (screen, first) => {
    screen.scroll(first);
  },
  T: (screen, first) => {
    screen.scroll(-first);
  },
  r: (screen, first, numbers) => {
    screen.setRegion(first - 1, (numbers[1] ?? screen.lines) - 1);
  },
  s: (screen) => {
    screen.save();
  },
  u: (screen) => {
    screen.restore();
  },
};

/** Titles and other texts for the window end with BEL or ESC \. */
function lengthOfString(text: string): number {
  const end = /\u0007|\u001B\\/.exec(text.slice(2));
  return end === null ? 0 : 2 + end.index + end[0].length;
}

function styleOf(before: CellStyle, numbers: readonly (number | undefined)[]): CellStyle {
  let look = before;
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0;
    if (number === 38 || number === 48) {
      // A colour out of more than sixteen: 5;N or 2;R;G;B. The nearest of ours is near enough.
      const isIndexed = numbers[index + 1] === 5;
      const colour = isIndexed ? nearest(numbers[index + 2] ?? 0) : undefined;
      look = number === 38 ? { ...look, colour } : { ...look, background: colour };
      index += isIndexed ? 2 : 4;
    } else look = changed(look, number);
  }
  return look;
}

function changed(look: CellStyle, number: number): CellStyle {
  switch (number) {
    case 0:
      return PLAIN;
    case 1:
      return { ...look, isBold: true };
    case 4:
      return { ...look, isUnderlined: true };
    case 7:
      return { ...look, isInverse: true };
    case 22:
      return { ...look, isBold: false };
    case 24:
      return { ...look, isUnderlined: false };
    case 27:
      return { ...look, isInverse: false };
    case 39:
      return { ...look, colour: undefined };
    case 49:
      return { ...look, background: undefined };
    default:
      if (number >= 30 && number <= 37) return { ...look, colour: number - 30 };
      if (number >= 90 && number <= 97) return { ...look, colour: number - 82 };
      if (number >= 40 && number <= 47) return { ...look, background: number - 40 };
      if (number >= 100 && number <= 107) return { ...look, background: number - 92 };
      return look;
  }
}

/** Of 256 colours the first sixteen are ours; cubes and greys become the nearest of them by their bits. */
function nearest(index: number): number | undefined {
  if (index < 16) return index;
  if (index >= 248) return 15;
  if (index >= 232) return index < 240 ? 8 : 7;
  const [red, green, blue] = [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6];
  const bright = Math.max(red, green, blue) > 3 ? 8 : 0;
  return bright + (red > 2 ? 1 : 0) + (green > 2 ? 2 : 0) + (blue > 2 ? 4 : 0);
}
