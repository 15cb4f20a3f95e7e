import { Fault } from '../../../model/faults/index.js';
import { PathPattern } from '../../../model/formats/index.js';

interface Rule {
  readonly matches: (path: string) => boolean;
  /** `!` in front: everything that does not match is ignored. */
  readonly negated: boolean;
  /** `/` at the end: only folders. */
  readonly folders: boolean;
}

/** Decides which files of a folder belong to the chart, as Helm reads `.helmignore`. */
export class Helmignore {
  readonly #rules: Rule[] = [];

  constructor(text: string, file: string) {
    for (const line of text.replace(/^\ufeff/, '').split('\n')) {
      const rule = parseRule(line, file);
      if (rule !== undefined) this.#rules.push(rule);
    }
    // Hidden files among the templates never count.
    const hidden = parseRule('templates/.?*', '');
    if (hidden !== undefined) this.#rules.push(hidden);
  }

  ignores(path: string, isFolder: boolean): boolean {
    for (const { matches, negated, folders } of this.#rules) {
      if (negated) {
        if ((folders && !isFolder) || !matches(path)) return true;
      } else if ((isFolder || !folders) && matches(path)) return true;
    }
    return false;
  }
}

function parseRule(line: string, file: string): Rule | undefined {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return undefined;
  if (text.includes('**'))
    throw new Fault('CHART_INVALID', 'double-star (**) syntax is not supported', { where: file });
  readPattern(text, file);
  const negated = text.startsWith('!');
  const folders = text.endsWith('/');
  let rule = text.slice(negated ? 1 : 0);
  if (rule.endsWith('/')) rule = rule.slice(0, -1);
  const isRooted = rule.startsWith('/');
  const isPath = isRooted || rule.includes('/');
  const pattern = readPattern(isRooted ? rule.slice(1) : rule, file);
  // Without a slash only the last name counts.
  return {
    negated,
    folders,
    matches: (path) => pattern.matches(isPath ? path : path.slice(path.lastIndexOf('/') + 1)),
  };
}

function readPattern(text: string, file: string): PathPattern {
  try {
    return new PathPattern(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new Fault('CHART_INVALID', cause.message, { where: file, cause });
    throw cause;
  }
}
