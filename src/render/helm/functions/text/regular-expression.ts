import { RE2JS, RE2JSException, type Matcher } from 're2js';
import { fromByteString, quoteText, toByteString } from '../../template/value/go-text.js';
import { canBackquote } from '../../../../model/go/index.js';
import { functionError, type TemplateError } from '../../template/template-error.js';
import { brokenAt, isBroken, runesText } from './broken-text.js';

/** Where a match and its groups start and end, in pairs; -1 where a group took no part. */
type Match = readonly number[];

/** Go's regexp package on re2js: its own way with empty matches, splitting and replacement texts. */
export class RegularExpression {
  private constructor(private readonly program: RE2JS) {}

  /** The failure carries Go's text. */
  static compile(pattern: string): RegularExpression {
    const known = cache.get(pattern);
    if (known !== undefined) return known;
    if (isBroken(pattern))
      throw functionError(`error parsing regexp: invalid UTF-8: \`${pattern.slice(brokenAt(pattern))}\``);
    try {
      return remember(pattern, new RegularExpression(RE2JS.compile(pattern)));
    } catch (error) {
      if (error instanceof RE2JSException)
        throw functionError(error.message.replace(/ at end of expression$/, '$&: ``'));
      throw error;
    }
  }

  /** Steps that a search takes: it may look at every part of the pattern for every character. */
  costOn(text: string): number {
    return Math.ceil((this.program.programSize() * text.length) / 64);
  }

  /**
   * Answered by an automaton that is built on the way: far fewer steps than a search that knows where the groups are.
   */
  test(text: string): boolean {
    makeRoom(this.program.programSize() * text.length);
    return this.program.test(runesText(text));
  }

  find(text: string): string {
    const [match] = this.matches(text, 1);
    return match === undefined ? '' : text.slice(match[0], match[1]);
  }

  findAll(text: string, limit: number): string[] {
    return this.matches(text, limit).map(([start, end]) => text.slice(start, end));
  }

  replaceAll(text: string, replacement: (match: Match) => string): string {
    let out = '';
    let end = 0;
    for (const match of this.matches(text, -1)) {
      out += text.slice(end, match[0]) + replacement(match);
      end = match[1] ?? end;
    }
    return out + text.slice(end);
  }

  /** At most `limit` pieces; below zero means all. */
  split(text: string, limit: number): string[] | undefined {
    if (limit === 0) return undefined;
    if (this.program.pattern() !== '' && text === '') return [''];
    const pieces: string[] = [];
    let start = 0;
    let end = 0;
    for (const [from = 0, to = 0] of this.matches(text, limit)) {
      if (limit > 0 && pieces.length === limit - 1) break;
      end = from;
      // An empty match at the start cuts nothing off.
      if (to !== 0) pieces.push(text.slice(start, end));
      start = to;
    }
    if (end !== text.length) pieces.push(text.slice(start));
    return pieces;
  }

  groupIndex(name: string): number {
    const groups = this.program.namedGroups();
    return Object.hasOwn(groups, name) ? (groups[name] ?? -1) : -1;
  }

  /** An empty match right behind another does not count; after an empty one the search moves on by a character. */
  matches(text: string, limit: number): Match[] {
    const found: Match[] = [];
    const runes = runesText(text);
    if (!this.test(text)) return found;
    const matcher = this.program.matcher(runes);
    let at = 0;
    let previousEnd = -1;
    while (at <= runes.length && (limit < 0 || found.length < limit)) {
      if (!matcher.find(at)) break;
      const [start, end] = [matcher.start(), matcher.end()];
      const isAccepted = end !== at || start !== previousEnd;
      if (end > at) at = end;
      else at += (runes.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      previousEnd = end;
      if (isAccepted) found.push(pairs(matcher));
    }
    return found;
  }
}

const MAX_CACHED = 500;
/** Parts of patterns in the states of all automata at most: some 128 MB. */
const MAX_PARTS = 16_000_000;
const cache = new Map<string, RegularExpression>();
let parts = 0;

/** An automaton keeps a state for each character at worst, and a state names every part of the pattern at worst. */
function makeRoom(more: number): void {
  parts += more;
  if (parts <= MAX_PARTS) return;
  cache.clear();
  parts = more;
}

function remember(pattern: string, expression: RegularExpression): RegularExpression {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(pattern, expression);
  return expression;
}

function pairs(matcher: Matcher): Match {
  const match: number[] = [];
  for (let group = 0; group <= matcher.groupCount(); group++) match.push(matcher.start(group), matcher.end(group));
  return match;
}

const REFERENCE = /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * `$1`, `${1}` and `${name}` in a replacement stand for groups, `$$` for a dollar sign; any other dollar sign stays.
 */
export function expander(expression: RegularExpression, template: string, text: string): (match: Match) => string {
  return (match) =>
    template.replace(REFERENCE, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare;
      if (name === undefined) return '$';
      const group = /^\d+$/.test(name) ? numberOf(name) : expression.groupIndex(name);
      const [start = -1, end = -1] = group < 0 ? [] : match.slice(2 * group, 2 * group + 2);
      return start < 0 ? '' : text.slice(start, end);
    });
}

/** Numbers from a hundred million on, and those with a zero in front, are names to Go. */
function numberOf(digits: string): number {
  return digits.length > 8 || (digits.length > 1 && digits.startsWith('0')) ? -1 : Number(digits);
}

/** What Go's MustCompile says of a pattern that is wrong. */
export function mustCompileFailure(pattern: string, error: TemplateError): TemplateError {
  const bytes = toByteString(pattern);
  const quoted = canBackquote(bytes) ? `\`${fromByteString(bytes)}\`` : quoteText(pattern);
  return functionError(`regexp: Compile(${quoted}): ${error.message}`);
}

export function quoteMeta(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}
