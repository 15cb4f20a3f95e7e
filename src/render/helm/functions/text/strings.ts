import { quoteBytes } from '../../../../model/go/index.js';
import type { CallContext, GoFunction, GoFunctions } from '../../template/value/go-function.js';
import { ANY, BOOL, INT, STRING, STRING_MAP, STRINGS } from '../../template/value/go-type.js';
import { functionError } from '../../template/template-error.js';
import { setEntry, type GoObject, type GoValue } from '../../template/value/go-value.js';
import { textLength, fromByteString, toByteString } from '../../template/value/go-text.js';
import { define, defineVariadic, type Arguments } from '../define.js';
import { abbreviate, wrapText } from './line-wrap.js';
import { isSpace, lowerText, swapCase, titleText, trimSet, trimSpace, untitleText, upperText } from './runes.js';
import { contains, hasPrefix, hasSuffix, replaceAll, splitText, trimPrefix, trimSuffix } from './search.js';
import { displayText, stringOf } from '../text.js';
import { joinWords, pascalCase } from './word-case.js';

/** A function from one text to another. */
function ofText(change: (text: string) => string, stepsACharacter = 0.25): GoFunction {
  return define([STRING], STRING, (args, context) => {
    context.charge(Math.floor(args.text(0).length * stepsACharacter));
    return change(args.text(0));
  });
}

function trunc(count: number, text: string): string {
  const bytes = toByteString(text);
  if (count < 0 && bytes.length + count > 0) return fromByteString(bytes.slice(bytes.length + count));
  return count >= 0 && bytes.length > count ? fromByteString(bytes.slice(0, count)) : text;
}

function substr(start: number, end: number, text: string): string {
  const bytes = toByteString(text);
  const { length } = bytes;
  if (start < 0) {
    if (end < 0 || end > length) throw outOfRange(end < 0 ? `[:${end}]` : `[:${end}] with length ${length}`);
    return fromByteString(bytes.slice(0, end));
  }
  if (end < 0 || end > length) {
    if (start > length) throw outOfRange(`[${start}:${length}]`);
    return fromByteString(bytes.slice(start));
  }
  if (start > end) throw outOfRange(`[${start}:${end}]`);
  return fromByteString(bytes.slice(start, end));
}

function outOfRange(where: string): Error {
  return functionError(`runtime error: slice bounds out of range ${where}`);
}

/** As long as a text may become; Go would go on until memory is gone. */
const MAX_LENGTH = 512 * 1024 * 1024;

function repeat(count: number, text: string, context: CallContext): string {
  if (count < 0) throw functionError('strings: negative Repeat count');
  if (text.length * count > MAX_LENGTH) throw functionError('strings: Repeat output length overflow');
  context.charge((text.length * count) >> 6);
  return text.repeat(count);
}

function indent(spaces: number, text: string, context: CallContext): string {
  const pad = repeat(spaces, ' ', context);
  const lines = text.split('\n');
  context.charge(((pad.length + 1) * lines.length) >> 6);
  return pad + lines.join(`\n${pad}`);
}

/** Go looks at bytes here and writes each as a character of its own, so texts beyond ASCII come out broken. */
function initials(text: string): string {
  let out = '';
  let isAtStart = true;
  for (const char of toByteString(text)) {
    if (isSpace(char)) isAtStart = true;
    else if (isAtStart) {
      out += char;
      isAtStart = false;
    }
  }
  return out;
}

/** Breaks texts beyond ASCII as `initials` does, but only where there is a space to take out. */
function nospace(text: string): string {
  const kept = Array.from(toByteString(text)).filter((char) => !isSpace(char));
  return kept.length === textLength(text) ? text : kept.join('');
}

function numbered(parts: readonly string[]): GoObject {
  const map: GoObject = {};
  parts.forEach((part, index) => setEntry(map, `_${index}`, part));
  return map;
}

function quote(value: GoValue): string {
  return fromByteString(quoteBytes(toByteString(stringOf(value)), false));
}

function present(args: Arguments): readonly GoValue[] {
  return args.all.filter((value) => value !== null);
}

const CASES: GoFunctions = {
  upper: ofText(upperText),
  lower: ofText(lowerText),
  title: ofText(titleText, 1),
  untitle: ofText(untitleText),
  swapcase: ofText(swapCase),
  snakecase: ofText((text) => joinWords(text, '_'), 4),
  kebabcase: ofText((text) => joinWords(text, '-'), 4),
  camelcase: ofText(pascalCase, 4),
  initials: ofText(initials),
  nospace: ofText(nospace),
  trim: ofText(trimSpace),
};

const TRIM_ALL = define([STRING, STRING], STRING, (args) => trimSet(args.text(1), args.text(0)));

const PARTS: GoFunctions = {
  trimall: TRIM_ALL,
  trimAll: TRIM_ALL,
  trimSuffix: define([STRING, STRING], STRING, (args) => trimSuffix(args.text(1), args.text(0))),
  trimPrefix: define([STRING, STRING], STRING, (args) => trimPrefix(args.text(1), args.text(0))),
  contains: define([STRING, STRING], BOOL, (args) => contains(args.text(1), args.text(0))),
  hasPrefix: define([STRING, STRING], BOOL, (args) => hasPrefix(args.text(1), args.text(0))),
  hasSuffix: define([STRING, STRING], BOOL, (args) => hasSuffix(args.text(1), args.text(0))),
  replace: define([STRING, STRING, STRING], STRING, (args, context) => {
    const replaced = replaceAll(args.text(2), args.text(0), args.text(1));
    context.charge(replaced.length >> 6);
    return replaced;
  }),
  split: define([STRING, STRING], STRING_MAP, (args) => numbered(splitText(args.text(1), args.text(0)))),
  splitn: define([STRING, INT, STRING], STRING_MAP, (args) =>
    numbered(splitText(args.text(2), args.text(0), args.count(1))),
  ),
  splitList: define([STRING, STRING], STRINGS, (args, context) => {
    const parts = splitText(args.text(1), args.text(0));
    context.charge(parts.length);
    return parts;
  }),
  trunc: define([INT, STRING], STRING, (args) => trunc(args.count(0), args.text(1))),
  substr: define([INT, INT, STRING], STRING, (args) => substr(args.count(0), args.count(1), args.text(2))),
  abbrev: define([INT, STRING], STRING, (args) =>
    args.count(0) < 4 ? args.text(1) : abbreviate(args.text(1), 0, args.count(0)),
  ),
  abbrevboth: define([INT, INT, STRING], STRING, (args) => {
    const [left, right] = [args.count(0), args.count(1)];
    return right < 4 || (left > 0 && right < 7) ? args.text(2) : abbreviate(args.text(2), left, right);
  }),
};

const LAYOUT: GoFunctions = {
  repeat: define([INT, STRING], STRING, (args, context) => repeat(args.count(0), args.text(1), context)),
  indent: define([INT, STRING], STRING, (args, context) => indent(args.count(0), args.text(1), context)),
  nindent: define([INT, STRING], STRING, (args, context) => `\n${indent(args.count(0), args.text(1), context)}`),
  wrap: define([INT, STRING], STRING, (args) =>
    wrapText(args.text(1), args.count(0), { separator: '', cutsLongWords: false }),
  ),
  wrapWith: define([INT, STRING, STRING], STRING, (args) =>
    wrapText(args.text(2), args.count(0), { separator: args.text(1), cutsLongWords: true }),
  ),
  plural: define([STRING, STRING, INT], STRING, (args) => (args.int(2) === 1n ? args.text(0) : args.text(1))),
  quote: defineVariadic([], ANY, STRING, (args) => present(args).map(quote).join(' ')),
  squote: defineVariadic([], ANY, STRING, (args) =>
    present(args)
      .map((value) => `'${displayText(value)}'`)
      .join(' '),
  ),
  cat: defineVariadic([], ANY, STRING, (args) => present(args).map(displayText).join(' ')),
  toString: define([ANY], STRING, (args) => stringOf(args.any(0))),
  hello: define([], STRING, () => 'Hello!'),
};

export const STRING_FUNCTIONS: GoFunctions = { ...CASES, ...PARTS, ...LAYOUT };
