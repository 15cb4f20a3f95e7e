/** How a character looks; `colour` and `background` are 0 to 15, undefined for those of the page. */
export interface CellStyle {
  readonly colour: number | undefined;
  readonly background: number | undefined;
  readonly isBold: boolean;
  readonly isUnderlined: boolean;
  readonly isInverse: boolean;
}

export const PLAIN: CellStyle = {
  colour: undefined,
  background: undefined,
  isBold: false,
  isUnderlined: false,
  isInverse: false,
};

interface Cell {
  readonly text: string;
  readonly style: CellStyle;
}

/** A row as it is; `version` changes with it, so that only what changed is drawn again. */
export interface Row {
  readonly id: number;
  version: number;
  cells: Cell[];
}

interface ScreenBuffer {
  rows: Row[];
  column: number;
  row: number;
}

const MAX_SCROLLBACK = 1000;
const BLANK: Cell = { text: ' ', style: PLAIN };

/**
 * The screen of a terminal: what programs print goes where the cursor is, and what leaves it at the top is kept for a
 * while.
 */
export class Screen {
  columns: number;
  lines: number;
  style: CellStyle = PLAIN;
  isCursorShown = true;
  /** Rows that have left the screen. */
  scrollback: Row[] = [];
  #sheet: ScreenBuffer;
  #other: ScreenBuffer | undefined;
  #saved: { readonly column: number; readonly row: number; readonly look: CellStyle } | undefined;
  #region: { readonly top: number; readonly bottom: number };
  /** The last column is full: the next character goes to a new line. */
  #isAtEnd = false;
  #ids = 0;

  constructor(columns: number, lines: number) {
    [this.columns, this.lines] = [columns, lines];
    this.#sheet = this.#newSheet();
    this.#region = { top: 0, bottom: lines - 1 };
  }

  get rows(): readonly Row[] {
    return this.#sheet.rows;
  }

  /** Whether the second screen is shown: what has left the first one does not belong to it. */
  get isOther(): boolean {
    return this.#other !== undefined;
  }

  get column(): number {
    return Math.min(this.#sheet.column, this.columns - 1);
  }

  get row(): number {
    return this.#sheet.row;
  }

  print(text: string): void {
    for (const character of text) {
      if (this.#isAtEnd) {
        this.#sheet.column = 0;
        this.feed();
      }
      this.#change(this.row, (cells) => {
        cells[this.column] = { text: character, style: this.style };
      });
      this.#isAtEnd = this.#sheet.column === this.columns - 1;
      if (!this.#isAtEnd) this.#sheet.column++;
    }
  }

  /** To a place of the screen, from 0; what is outside counts as its edge. */
  move(column: number, row: number): void {
    this.#sheet.column = clamp(column, this.columns);
    this.#sheet.row = clamp(row, this.lines);
    this.#isAtEnd = false;
  }

  moveBy(columns: number, rows: number): void {
    this.move(this.column + columns, this.row + rows);
  }

  tab(): void {
    this.move((Math.floor(this.column / 8) + 1) * 8, this.row);
  }

  /** A line further; the region moves up where that leaves it. */
  feed(): void {
    this.#isAtEnd = false;
    if (this.row === this.#region.bottom) this.scroll(1);
    else this.move(this.#sheet.column, this.row + 1);
  }

  /** A line back; the region moves down where that leaves it. */
  feedBack(): void {
    if (this.row === this.#region.top) this.scroll(-1);
    else this.moveBy(0, -1);
  }

  /** Moves the region up, or down where the number is negative. */
  scroll(count: number, top = this.#region.top): void {
    const { bottom } = this.#region;
    for (let step = 0; step < Math.min(Math.abs(count), this.lines); step++) {
      if (count > 0) {
        const [left] = this.#sheet.rows.splice(top, 1);
        if (left !== undefined && top === 0 && this.#other === undefined)
          this.scrollback = [...this.scrollback, left].slice(-MAX_SCROLLBACK);
        this.#sheet.rows.splice(bottom, 0, this.#newRow());
      } else {
        this.#sheet.rows.splice(bottom, 1);
        this.#sheet.rows.splice(top, 0, this.#newRow());
      }
    }
  }

  /** Lines are put in, or taken out where the number is negative, at the cursor. */
  insertLines(count: number): void {
    if (this.row >= this.#region.top && this.row <= this.#region.bottom) this.scroll(-count, this.row);
  }

  insertCells(count: number): void {
    this.#change(this.row, (cells) => {
      const blanks = Array.from({ length: Math.min(Math.abs(count), this.columns) }, () => BLANK);
      if (count > 0) cells.splice(this.column, 0, ...blanks);
      else cells.splice(this.column, -count);
    });
  }

  eraseCells(count: number): void {
    this.#eraseIn(this.row, this.column, this.column + Math.min(count, this.columns));
  }

  /** 0: from the cursor to the end; 1: from the beginning to the cursor; 2: all. */
  eraseLine(which: number): void {
    this.#eraseIn(this.row, which === 0 ? this.column : 0, which === 1 ? this.column + 1 : this.columns);
  }

  /** As for a line; 3 also forgets what has left the screen. */
  eraseScreen(which: number): void {
    if (which < 2) this.eraseLine(which);
    for (let row = which === 0 ? this.row + 1 : 0; row < (which === 1 ? this.row : this.lines); row++)
      this.#eraseIn(row, 0, this.columns);
    if (which === 3) this.scrollback = [];
  }

  /** The rows that move, from 0; all of them where nothing is said. */
  setRegion(top = 0, bottom = this.lines - 1): void {
    this.#region = top < bottom && bottom < this.lines ? { top, bottom } : { top: 0, bottom: this.lines - 1 };
    this.move(0, 0);
  }

  save(): void {
    this.#saved = { column: this.column, row: this.row, look: this.style };
  }

  restore(): void {
    const { column, row, look } = this.#saved ?? { column: 0, row: 0, look: PLAIN };
    this.style = look;
    this.move(column, row);
  }

  /** A second screen, as editors use it: the first one comes back as it was. */
  setOther(isOther: boolean): void {
    if (isOther === (this.#other !== undefined)) return;
    if (isOther) {
      this.#other = this.#sheet;
      this.#sheet = this.#newSheet();
    } else if (this.#other !== undefined) {
      this.#sheet = this.#other;
      this.#other = undefined;
      this.#fit();
    }
    this.#region = { top: 0, bottom: this.lines - 1 };
  }

  resize(columns: number, lines: number): void {
    [this.columns, this.lines] = [columns, lines];
    this.#fit();
    this.#region = { top: 0, bottom: lines - 1 };
    this.move(this.column, this.row);
  }

  reset(): void {
    this.style = PLAIN;
    this.isCursorShown = true;
    this.#other = undefined;
    this.#sheet = this.#newSheet();
    this.setRegion();
  }

  /** What is on it, without blanks at the ends of rows. */
  get text(): string {
    return this.rows
      .map(({ cells }) =>
        cells
          .map(({ text }) => text)
          .join('')
          .trimEnd(),
      )
      .join('\n')
      .trimEnd();
  }

  #fit(): void {
    const sheet = this.#sheet;
    while (sheet.rows.length < this.lines) sheet.rows.push(this.#newRow());
    // Rows below the cursor are empty more often than those above.
    while (sheet.rows.length > this.lines) {
      if (sheet.row < sheet.rows.length - 1) sheet.rows.pop();
      else {
        const top = sheet.rows.shift();
        if (top !== undefined && this.#other === undefined)
          this.scrollback = [...this.scrollback, top].slice(-MAX_SCROLLBACK);
        sheet.row--;
      }
    }
  }

  #eraseIn(row: number, from: number, to: number): void {
    this.#isAtEnd = false;
    const blank: Cell =
      this.style.background === undefined
        ? BLANK
        : { text: ' ', style: { ...PLAIN, background: this.style.background } };
    this.#change(row, (cells) => {
      for (let column = from; column < Math.min(to, this.columns); column++) cells[column] = blank;
    });
  }

  #change(row: number, change: (cells: Cell[]) => void): void {
    const found = this.#sheet.rows[row];
    if (found === undefined) return;
    while (found.cells.length < this.columns) found.cells.push(BLANK);
    change(found.cells);
    found.cells.length = Math.min(found.cells.length, this.columns);
    found.version++;
  }

  #newRow(): Row {
    return { id: this.#ids++, version: 0, cells: [] };
  }

  #newSheet(): ScreenBuffer {
    return { rows: Array.from({ length: this.lines }, () => this.#newRow()), column: 0, row: 0 };
  }
}

function clamp(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}
