import { isTrue, LuaTable, type HostFunction, type LuaValue, type Run } from '../value.js';
import { checkAny, checkString, checkTypes, optionalInt } from './arguments.js';
import { FlagScanner } from './flag-scanner.js';
import { captured, matchesOf } from './matches.js';
import { numberToText } from './number-text.js';
import type { PatternMatch } from './pattern.js';

/** string.gsub. Without a match the first argument comes back as it is, even if it is a number. */
export const gsub: HostFunction = (run, args) => {
  const text = checkString(run, args, 1);
  const pattern = checkString(run, args, 2);
  checkTypes(run, args, 3, ['string', 'table', 'function']);
  const replacement = checkAny(run, args, 3);
  const limit = optionalInt(run, args, 4, -1);
  const matches = matchesOf(run, pattern, text, 0, limit);
  if (matches.length === 0) return [args[0], 0];
  const replace = replacer(run, text, replacement);
  const pieces: string[] = [];
  let last = 0;
  let length = 0;
  for (const match of matches) {
    const piece = replace(match);
    if (piece === undefined) continue;
    length += match.begin - last + piece.length;
    // What is made so far counts at once, so that an endless replacement ends here and not after the loop.
    if (length > CHUNK) {
      run.chargeString(length);
      length = 0;
    }
    pieces.push(text.slice(last, match.begin), piece);
    last = match.end;
  }
  pieces.push(text.slice(last));
  const result = pieces.join('');
  run.chargeString(result.length);
  return [result, matches.length];
};

const CHUNK = 64 * 1024;

/** Gives the text for a match, or undefined to leave it as it is. */
function replacer(run: Run, text: string, replacement: LuaValue): (match: PatternMatch) => string | undefined {
  if (typeof replacement === 'string') return (match) => expand(run, text, replacement, match);
  if (replacement instanceof LuaTable) {
    return (match) => replacing(run.index(replacement, match.capture(match.captures === 0 ? 0 : 1, text)));
  }
  return (match) => replacing(run.call(replacement, captured(match, text))[0]);
}

/** Anything true that is neither string nor number stands for the empty string. */
function replacing(value: LuaValue): string | undefined {
  if (!isTrue(value)) return undefined;
  if (typeof value === 'number') return numberToText(value);
  return typeof value === 'string' ? value : '';
}

/** `%0` to `%9` stand for captures; `%` before anything else stays. */
function expand(run: Run, text: string, template: string, match: PatternMatch): string {
  run.chargeSteps(1 + (template.length >> 3));
  if (!template.includes('%')) return template;
  let out = '';
  const scanner = new FlagScanner(template);
  for (let item = scanner.next(); item !== undefined; item = scanner.next()) {
    if (!item.isFlagged) out += item.char;
    else if (item.char >= '0' && item.char <= '9') out += captureText(run, text, match, Number(item.char));
    else out += `%${item.char}`;
  }
  return out;
}

function captureText(run: Run, text: string, match: PatternMatch, index: number): string {
  if (index > 1 && index > match.captures) run.fail('invalid capture index');
  // Without captures %1 is the whole match.
  const capture = match.capture(index > match.captures ? 0 : index, text);
  if (typeof capture === 'number') return String(capture);
  run.chargeMemory(16 + capture.length);
  return capture;
}
