import { Fault } from '../../model/index.js';

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/;

/**
 * `NAME=value` a line, as shells and docker read it: `export` and blanks around are allowed, `#` begins a comment, single quotes keep
 * everything, double quotes know \n, \t, \" and \\. Nothing is substituted and nothing is run. Faults name the line, never its content.
 */
export function readEnvFile(text: string, file: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, name, rest = ''] = LINE.exec(line) ?? [];
    if (name === undefined) throw wrong(file, index, 'is not NAME=value');
    values.set(name, readValue(rest, file, index));
  }
  return values;
}

function readValue(text: string, file: string, index: number): string {
  const [quote] = text;
  if (quote !== '"' && quote !== "'") return text.replace(/\s+#.*$/, '');
  const end = quote === "'" ? text.indexOf("'", 1) : closingQuote(text);
  if (end < 0 || !/^\s*(#.*)?$/.test(text.slice(end + 1))) throw wrong(file, index, 'has a quote that does not end');
  const inner = text.slice(1, end);
  return quote === "'" ? inner : inner.replace(/\\(.)/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char);
}

function closingQuote(text: string): number {
  for (let index = 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return -1;
}

function wrong(file: string, index: number, what: string): Fault {
  return new Fault('VALUE_INVALID', `line ${index + 1} ${what}: write NAME=value, with quotes around values that have blanks or #`, { where: file });
}
