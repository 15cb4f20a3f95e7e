import { quoteGoTime } from '../../../../model/go/index.js';
import { DAY_NAMES, MONTH_NAMES, unixTime } from '../../../../model/formats/index.js';
import { functionError } from '../../template/template-error.js';
import { piecesOf, type Piece } from './layout.js';
import { fixedZone, UTC, type Zone } from './zone.js';

export interface ParsedTime {
  readonly unix: number;
  readonly nanoseconds: number;
  readonly zone: Zone;
}

/** Reads a time by a Go layout; what names no zone is in `local`. A failure carries Go's text. */
export function parseLayout(layout: string, value: string, local: Zone): ParsedTime {
  return new LayoutReader(layout, value, local).read();
}

class LayoutReader {
  #rest: string;
  #year = 0;
  #month: number | undefined;
  #day: number | undefined;
  #yearDay: number | undefined;
  #hour = 0;
  #minute = 0;
  #second = 0;
  #nanoseconds = 0;
  #half: 'AM' | 'PM' | undefined;
  #isUtc = false;
  #offset: number | undefined;
  #zoneName = '';

  constructor(
    readonly layout: string,
    readonly value: string,
    readonly local: Zone,
  ) {
    this.#rest = value;
  }

  read(): ParsedTime {
    const pieces = piecesOf(this.layout);
    for (const [index, { prefix, element }] of pieces.entries()) {
      this.#skip(prefix);
      if (element !== '') this.#element(element, pieces[index + 1]);
    }
    if (this.#rest !== '') throw this.#failure(`: extra text: ${quoteGoTime(this.#rest)}`);
    return this.#finish();
  }

  /** A space in the layout stands for any number of them, none at the end included. */
  #skip(prefix: string): void {
    for (let left = prefix; left !== ''; ) {
      const isSpace = left.startsWith(' ');
      if (isSpace ? this.#rest !== '' && !this.#rest.startsWith(' ') : !this.#rest.startsWith(left.charAt(0)))
        throw this.#unread(prefix, this.#rest);
      left = isSpace ? left.replace(/^ +/, '') : left.slice(1);
      this.#rest = isSpace ? this.#rest.replace(/^ +/, '') : this.#rest.slice(1);
    }
  }

  #element(element: string, next: Piece | undefined): void {
    switch (element) {
      case '2006':
        this.#year = Number(this.#take(/^\d[\d]{3}/, element));
        return;
      case '06':
        this.#shortYear();
        return;
      case 'January':
      case 'Jan':
        this.#month = this.#name(MONTH_NAMES, element) + 1;
        return;
      case 'Monday':
      case 'Mon':
        this.#name(DAY_NAMES, element);
        return;
      case '1':
      case '01':
        this.#month = this.#number(element, 'month', 1, 12);
        return;
      case '2':
      case '02':
        this.#day = this.#number(element);
        return;
      case '_2':
        this.#day = this.#number(element, '', 0, Infinity, /^ /);
        return;
      case '__2':
      case '002':
        this.#yearDay = this.#dayOfYear(element);
        return;
      default:
        this.#clockElement(element, next);
    }
  }

  #clockElement(element: string, next: Piece | undefined): void {
    switch (element) {
      case '15':
        this.#hour = this.#number(element, 'hour', 0, 23);
        return;
      case '3':
      case '03':
        this.#hour = this.#number(element, 'hour', 0, 12);
        return;
      case '4':
      case '04':
        this.#minute = this.#number(element, 'minute', 0, 59);
        return;
      case '5':
      case '05':
        this.#seconds(element, next);
        return;
      case 'PM':
      case 'pm':
        this.#halfDay(element);
        return;
      case 'MST':
        this.#zone();
        return;
      default:
        if (/^[.,]/.test(element)) this.#fraction(element);
        else this.#numericZone(element);
    }
  }

  #take(pattern: RegExp, element: string): string {
    const found = pattern.exec(this.#rest);
    if (found === null) throw this.#unread(element, this.#rest);
    this.#rest = this.#rest.slice(found[0].length);
    return found[0];
  }

  /** Elements that start with 0 want two digits, the others one or two. */
  #number(element: string, name = '', least = 0, most = Infinity, before?: RegExp): number {
    const hold = this.#rest;
    if (before !== undefined) this.#rest = this.#rest.replace(before, '');
    const found = (/^0/.test(element) ? /^\d\d/ : /^\d\d?/).exec(this.#rest);
    if (found === null) throw this.#unread(element, hold);
    this.#rest = this.#rest.slice(found[0].length);
    const value = Number(found[0]);
    if (value < least || value > most) throw this.#failure(`: ${name} out of range`);
    return value;
  }

  #shortYear(): void {
    const hold = this.#rest;
    const text = this.#take(/^[^]{2}/, '06');
    if (!/^(?:\d\d|[-+]\d)$/.test(text)) throw this.#unread('06', hold);
    const year = Number(text);
    this.#year = year >= 69 ? year + 1900 : year + 2000;
  }

  #name(names: readonly string[], element: string): number {
    const isShort = element.length === 3;
    const rest = this.#rest.toLowerCase();
    const index = names.findIndex((name) => rest.startsWith((isShort ? name.slice(0, 3) : name).toLowerCase()));
    const name = names[index];
    if (name === undefined) throw this.#unread(element, this.#rest);
    this.#rest = this.#rest.slice(isShort ? 3 : name.length);
    return index;
  }

  #dayOfYear(element: string): number {
    const hold = this.#rest;
    if (element === '__2') this.#rest = this.#rest.replace(/^ {1,2}/, '');
    const found = (element === '002' ? /^\d{3}/ : /^\d{1,3}/).exec(this.#rest);
    if (found === null) throw this.#unread(element, hold);
    this.#rest = this.#rest.slice(found[0].length);
    return Number(found[0]);
  }

  /** A fraction may follow the seconds even where the layout has none. */
  #seconds(element: string, next: Piece | undefined): void {
    this.#second = this.#number(element, 'second', 0, 59);
    const found = /^[.,]\d+/.exec(this.#rest);
    if (found === null || (next?.prefix === '' && /^[.,]/.test(next.element))) return;
    this.#nanoseconds = nanosecondsOf(found[0]);
    this.#rest = this.#rest.slice(found[0].length);
  }

  #fraction(element: string): void {
    if (element.endsWith('9')) {
      const found = /^[.,]\d+/.exec(this.#rest)?.[0] ?? '';
      this.#nanoseconds = found === '' ? this.#nanoseconds : nanosecondsOf(found);
      this.#rest = this.#rest.slice(found.length);
      return;
    }
    const text = this.#rest.slice(0, element.length);
    if (text.length < element.length || !/^[.,]/.test(text)) throw this.#unread(element, this.#rest);
    const digits = text.slice(1, 10);
    if (!/^[-+]?\d+$/.test(digits)) throw this.#unread(element, this.#rest);
    this.#rest = this.#rest.slice(element.length);
    if (Number(digits) < 0) throw this.#failure(': fractional second out of range');
    this.#nanoseconds = Number(digits) * 10 ** (9 - digits.length);
  }

  #halfDay(element: string): void {
    const hold = this.#rest;
    const text = this.#take(/^[^]{2}/, element);
    const isUpper = element === 'PM';
    if (text === (isUpper ? 'PM' : 'pm')) this.#half = 'PM';
    else if (text === (isUpper ? 'AM' : 'am')) this.#half = 'AM';
    else throw this.#unread(element, hold);
  }

  #numericZone(element: string): void {
    const hold = this.#rest;
    if (element.startsWith('Z') && hold.startsWith('Z')) {
      this.#rest = hold.slice(1);
      this.#isUtc = true;
      return;
    }
    const shape = new RegExp(`^[^]${element.slice(1).replaceAll(/\d\d/g, '([^]{2})')}`);
    const found = shape.exec(hold);
    if (found === null) throw this.#unread(element, hold);
    this.#rest = hold.slice(found[0].length);
    const parts = found.slice(1);
    const [hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
    if (!parts.every((part) => /^\d\d$/.test(part))) throw this.#unread(element, hold);
    if (seconds > 60) throw this.#failure(': time zone offset second out of range');
    if (minutes > 60) throw this.#failure(': time zone offset minute out of range');
    if (hours > 24) throw this.#failure(': time zone offset hour out of range');
    if (!/^[-+]/.test(hold)) throw this.#unread(element, hold);
    const size = (hours * 60 + minutes) * 60 + seconds;
    this.#offset = hold.startsWith('-') ? -size : size;
  }

  #zone(): void {
    if (this.#rest.startsWith('UTC')) {
      this.#rest = this.#rest.slice(3);
      this.#isUtc = true;
      return;
    }
    const name = zoneNameAt(this.#rest);
    if (name === '') throw this.#unread('MST', this.#rest);
    this.#zoneName = name;
    this.#rest = this.#rest.slice(name.length);
  }

  #finish(): ParsedTime {
    if (this.#half === 'PM' && this.#hour < 12) this.#hour += 12;
    else if (this.#half === 'AM' && this.#hour === 12) this.#hour = 0;
    const { month, day } = this.#date();
    if (day < 1 || day > daysIn(this.#year, month)) throw this.#failure(': day out of range');
    const unix = unixTime({
      year: this.#year,
      month,
      day,
      hour: this.#hour,
      minute: this.#minute,
      second: this.#second,
    });
    return this.#placed(unix);
  }

  #date(): { month: number; day: number } {
    if (this.#yearDay === undefined) return { month: this.#month ?? 1, day: this.#day ?? 1 };
    const isLeap = daysIn(this.#year, 2) === 29;
    if (this.#yearDay < 1 || this.#yearDay > (isLeap ? 366 : 365)) throw this.#failure(': day-of-year out of range');
    let month = 1;
    let day = this.#yearDay;
    for (; day > daysIn(this.#year, month); month++) day -= daysIn(this.#year, month);
    if (this.#month !== undefined && this.#month !== month) throw this.#failure(': day-of-year does not match month');
    if (this.#day !== undefined && this.#day !== day) throw this.#failure(': day-of-year does not match day');
    return { month, day };
  }

  /**
   * The moment, once it is known which clock the text speaks of. Names that the local zone does not use have no offset.
   */
  #placed(unix: number): ParsedTime {
    const nanoseconds = this.#nanoseconds;
    const name = this.#zoneName;
    if (this.#isUtc) return { unix, nanoseconds, zone: UTC };
    if (this.#offset !== undefined && this.#offset !== -1) {
      const moment = this.local.at(unix - this.#offset);
      const isLocal = moment.offset === this.#offset && (name === '' || moment.abbreviation === name);
      return { unix: unix - this.#offset, nanoseconds, zone: isLocal ? this.local : fixedZone(name, this.#offset) };
    }
    if (name === '') return { unix: unix - localOffset(this.local, unix), nanoseconds, zone: this.local };
    const moment = this.local.at(unix);
    if (moment.abbreviation === name) return { unix: unix - moment.offset, nanoseconds, zone: this.local };
    const offset = /^GMT[-+]/.test(name) ? Number(name.slice(3)) * 3600 : 0;
    return { unix, nanoseconds, zone: fixedZone(name, offset) };
  }

  #unread(element: string, rest: string): Error {
    return this.#failure(
      ` as ${quoteGoTime(this.layout)}: cannot parse ${quoteGoTime(rest)} as ${quoteGoTime(element)}`,
    );
  }

  #failure(message: string): Error {
    return functionError(`parsing time ${quoteGoTime(this.value)}${message}`);
  }
}

/** Go looks first as if the local time were UTC, then with the offset found there. */
export function localOffset(zone: Zone, local: number): number {
  const first = zone.at(local).offset;
  if (first === 0) return 0;
  const second = zone.at(local - first).offset;
  return second;
}

function nanosecondsOf(fraction: string): number {
  return Number(fraction.slice(1, 10).padEnd(9, '0'));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** What looks like a zone: ChST, GMT+3, +03, three to five capitals. */
function zoneNameAt(text: string): string {
  const [special] = /^(?:ChST|MeST)/.exec(text) ?? [];
  if (special !== undefined) return special;
  if (text.startsWith('GMT')) return `GMT${signedOffset(text.slice(3))}`;
  if (/^[-+]/.test(text)) return text.length < 3 ? '' : signedOffset(text);
  const [capitals = ''] = /^[A-Z]{0,6}/.exec(text) ?? [];
  if (capitals.length === 3) return capitals;
  if (capitals.length === 4) return capitals.endsWith('T') || capitals === 'WITA' ? capitals : '';
  return capitals.length === 5 && capitals.endsWith('T') ? capitals : '';
}

function signedOffset(text: string): string {
  const [found = ''] = /^[-+]\d+/.exec(text) ?? [];
  return found !== '' && Number(found.slice(1)) <= 23 ? found : '';
}
