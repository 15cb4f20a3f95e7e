import { Fault } from '../../model/faults/index.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * `NAME=value` a line, as shells and docker read it: `export` and blanks around are allowed, `#` begins a comment,
 * single quotes keep everything, double quotes know \n, \t, \" and \\. Nothing is substituted and nothing is run.
 * Faults name the line, never its content.
 */
export function readEnvFile(text: string, file: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (isComment(trimmed)) continue;
    const equals = trimmed.indexOf('=');
    const left = trimmed.slice(0, Math.max(equals, 0)).trim();
    const name = /^export\s/.test(left) ? left.slice('export'.length).trim() : left;
    if (!NAME.test(name)) throw wrong(file, index, 'is not NAME=value');
    values.set(name, readValue(trimmed.slice(equals + 1).trim(), file, index));
  }
  return values;
}

function readValue(text: string, file: string, index: number): string {
  const [quote] = text;
  if (quote !== '"' && quote !== "'") return withoutComment(text);
  const end = quote === "'" ? text.indexOf("'", 1) : closingQuote(text);
  if (end < 0 || !isComment(text.slice(end + 1).trim())) throw wrong(file, index, 'has a quote that does not end');
  const inner = text.slice(1, end);
  return quote === "'"
    ? inner
    : inner.replace(/\\(.)/g, (_, char: string) => ({ n: '\n', t: '\t', r: '\r' })[char] ?? char);
}

/** A `#` begins a comment only after a blank: values may hold one. */
function withoutComment(text: string): string {
  for (let at = text.indexOf('#', 1); at > 0; at = text.indexOf('#', at + 1))
    if (/\s/.test(text[at - 1] ?? '')) return text.slice(0, at).trim();
  return text.startsWith('#') ? '' : text;
}

function isComment(text: string): boolean {
  return text === '' || text.startsWith('#');
}

function closingQuote(text: string): number {
  for (let index = 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"') return index;
  }
  return -1;
}

function wrong(file: string, index: number, what: string): Fault {
  return new Fault(
    'VALUE_INVALID',
    `line ${index + 1} ${what}: write NAME=value, with quotes around values that have blanks or #`,
    { where: file },
  );
}
