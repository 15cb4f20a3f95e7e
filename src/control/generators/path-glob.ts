import { RE2JS } from 're2js';
import { Fault } from '../../model/faults/index.js';

/**
 * Whether a file fits a pattern of `git.files`. `pathspec`: as `git ls-files PATTERN` has it, `*` and `?` cross
 * folders, and the name of a folder stands for all in it. `doublestar`: `*` stays within a folder, `**` crosses them,
 * `{a,b}` is one of them.
 */
export function fileMatcher(pattern: string, style: 'pathspec' | 'doublestar'): (path: string) => boolean {
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(`^(?:${style === 'pathspec' ? pathspec(pattern) : doublestar(pattern)})$`, RE2JS.DOTALL);
  } catch (error) {
    throw new Fault('VALUE_INVALID', `the pattern ${pattern} of git.files is invalid`, {
      where: 'git.files',
      cause: error,
    });
  }
  return (path) => regex.test(path);
}

function pathspec(pattern: string): string {
  const folder = pattern.replace(/\/$/, '');
  if (!/[*?[\\]/.test(pattern)) return folder === '' ? '.*' : `${RE2JS.quote(folder)}(?:/.*)?`;
  return translate(pattern, { single: '.', many: '.*', across: '.*', alternatives: false });
}

function doublestar(pattern: string): string {
  return translate(pattern, { single: '[^/]', many: '[^/]*', across: '.*', alternatives: true });
}

interface Style {
  readonly single: string;
  readonly many: string;
  readonly across: string;
  readonly alternatives: boolean;
}

function translate(pattern: string, { single, many, across, alternatives }: Style): string {
  let expression = '';
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '\\') expression += RE2JS.quote(pattern.charAt(++at));
    else if (character === '?') expression += single;
    else if (character === '*' && pattern.charAt(at + 1) === '*') {
      const isFolder = pattern.charAt(at + 2) === '/';
      expression += alternatives && isFolder ? '(?:.*/)?' : across;
      at += alternatives && isFolder ? 2 : 1;
    } else if (character === '*') expression += many;
    else if (character === '[') {
      const end = pattern.indexOf(']', at + 2);
      if (end < 0) throw new SyntaxError('a class without an end');
      expression += `[${pattern
        .slice(at + 1, end)
        .replace(/^!/, '^')
        .replaceAll(/[\\[\]&~]/g, '\\$&')}]`;
      at = end;
    } else if (alternatives && character === '{') {
      depth++;
      expression += '(?:';
    } else if (alternatives && character === '}' && depth > 0) {
      depth--;
      expression += ')';
    } else expression += depth > 0 && character === ',' ? '|' : RE2JS.quote(character);
  }
  return expression;
}
