import { isAscii } from '../text.js';
import { hostFunction, LuaUserdata, type HostFunction, type HostLibrary, type LuaValues, type Run } from '../value.js';
import { checkInt, checkString, optionalInt } from './arguments.js';
import { formatText } from './format.js';
import { lowerBytes, upperBytes } from './go-case.js';
import { INT64_MIN, INT64_OVER, intText } from './go-int.js';
import { gsub } from './gsub.js';
import { captured, matchesOf } from './matches.js';
import type { PatternMatch } from './pattern.js';

/**
 * A place given by a script as an offset; counted from the end if negative. The smallest int64 overflows and is past
 * the end.
 */
function startOffset(text: string, place: number): number {
  if (place === INT64_MIN) return INT64_OVER;
  const offset = place === 0 ? 0 : place - 1;
  return Math.max(offset < 0 ? text.length + offset + 1 : offset, 0);
}

function endOffset(text: string, place: number): number {
  return Math.min(Math.max(place < 0 ? text.length + place + 1 : place, 0), text.length);
}

const byte: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const given = optionalInt(run, args, 2, 1);
  const last = optionalInt(run, args, 3, -1);
  const first = given === INT64_MIN ? INT64_OVER : given - 1;
  const start = first < 0 ? text.length + first + 1 : first;
  if (args.length === 2) return start < 0 || start >= text.length ? [] : [text.charCodeAt(start)];
  const from = Math.max(start, 0);
  const to = Math.min(last < 0 ? text.length + last + 1 : last, text.length);
  if (to <= from) return [];
  run.chargeMemory(16 * (to - from));
  run.chargeSteps((to - from) >> 2);
  return Array.from(text.slice(from, to), (char) => char.charCodeAt(0));
};

const char: HostFunction = (run, args) => {
  run.chargeString(args.length);
  let text = '';
  // Only the lowest byte counts.
  for (let i = 1; i <= args.length; i++) text += String.fromCharCode(((checkInt(run, args, i) % 256) + 256) % 256);
  return [text];
};

const find: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const pattern = checkString(run, args, 2);
  if (pattern === '') return [1, 0];
  const start = startOffset(text, optionalInt(run, args, 3, 1));
  if (args.length === 4 && args[3] !== undefined && args[3] !== false) return findPlain(run, text, pattern, start);
  const match = matchesOf(run, pattern, text, start, 1)[0];
  if (match === undefined) return [undefined];
  return [match.begin + 1, match.end, ...(match.captures === 0 ? [] : captured(match, text))];
};

function findPlain(run: Run, text: string, wanted: string, start: number): LuaValues {
  if (start > text.length) run.fail(`runtime error: slice bounds out of range [${intText(start)}:${text.length}]`, 0);
  run.chargeSteps((text.length - start) >> 4);
  const place = text.indexOf(wanted, start);
  return place < 0 ? [undefined] : [place + 1, place + wanted.length];
}

/** gopher-lua finds all matches before the loop begins, and keeps them in a userdata. */
class Matches extends LuaUserdata {
  next = 0;
  constructor(
    readonly text: string,
    readonly list: readonly PatternMatch[],
  ) {
    super();
  }
}

const nextMatch = hostFunction((run, args) => {
  const matches = args[0];
  if (!(matches instanceof Matches)) return run.typeError(1, 'userdata', args);
  const match = matches.list[matches.next];
  if (match === undefined) return [];
  matches.next++;
  return captured(match, matches.text);
});

const gmatch: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const pattern = checkString(run, args, 2);
  return [nextMatch, new Matches(text, matchesOf(run, pattern, text, 0, -1))];
};

const match: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const pattern = checkString(run, args, 2);
  const place = optionalInt(run, args, 3, 1);
  const from = place < 0 ? text.length + place + 1 : place;
  const found = matchesOf(run, pattern, text, Math.max(from - 1, 0), 1)[0];
  return found === undefined ? [] : captured(found, text);
};

const rep: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const count = checkInt(run, args, 2);
  if (count <= 0 || text === '') return [''];
  run.chargeString(text.length * count);
  return [text.repeat(count)];
};

const sub: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const start = startOffset(text, checkInt(run, args, 2));
  const end = endOffset(text, optionalInt(run, args, 3, -1));
  return [start >= text.length || end < start ? '' : text.slice(start, end)];
};

/** The library `string`; its table is also the metatable of strings and has itself as `__index`. */
export const STRING: HostLibrary = {
  byte,
  char,
  dump: (run) => run.fail('GopherLua does not support the string.dump'),
  find,
  format: (run, args) => {
    const text = checkString(run, args, 1);
    const values = args.slice(1);
    chargeFormat(run, text, values);
    return [formatText(text, values, run)];
  },
  gmatch,
  gfind: gmatch,
  gsub,
  len: (run, args) => [checkString(run, args, 1).length],
  lower: (run, args) => [recase(run, checkString(run, args, 1), lowerBytes)],
  match,
  rep,
  reverse: (run, args) => {
    const text = checkString(run, args, 1);
    run.chargeString(text.length);
    run.chargeSteps(text.length);
    return [reversed(text)];
  },
  sub,
  upper: (run, args) => [recase(run, checkString(run, args, 1), upperBytes)],
};

function recase(run: Run, text: string, change: (text: string) => string): string {
  run.chargeString(text.length);
  run.chargeSteps(isAscii(text) ? text.length >> 1 : text.length * 8);
  return change(text);
}

const CHUNK = 4096;

function reversed(text: string): string {
  const chunks: string[] = [];
  for (let end = text.length; end > 0; end -= CHUNK) {
    const codes: number[] = [];
    for (let at = end - 1; at >= Math.max(end - CHUNK, 0); at--) codes.push(text.charCodeAt(at));
    chunks.push(String.fromCharCode(...codes));
  }
  return chunks.join('');
}

/** Formatting is slow beside a step of the script, most of all for numbers with hundreds of digits. */
function chargeFormat(run: Run, format: string, args: LuaValues): void {
  let steps = 20 + format.length;
  for (const arg of args) {
    const size = typeof arg === 'number' ? Math.abs(arg) : 1;
    steps += size > 1e25 || (size < 1e-25 && size > 0) ? 2000 : 40;
  }
  run.chargeSteps(steps);
}
