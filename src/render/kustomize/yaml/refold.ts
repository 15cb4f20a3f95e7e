import { blockScalar } from './block-scalar.js';
import { Scanner } from './scanner.js';

function isBlankChar(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** Folded text may not hold a blank at its end or before a break, nor characters that need an escape. */
const NOT_FOLDED = / $| \n|[^\t\n\x20-\x7e\xa0-\ufeff]/;

/**
 * What is left of a folded scalar that go-yaml v3 writes and reads again. Its writer doubles the break before an
 * indented line and the breaks at the end, so the text is not always the same; `kustomize build` prints the changed
 * one.
 */
export function refold(value: string): string {
  if (!value.includes('\n') || NOT_FOLDED.test(value)) return value;
  return blockScalar(new Scanner(foldedText(value)), -1);
}

/** The hints and lines of a folded scalar, indented by two. */
export function foldedText(value: string, indent = '  '): string {
  let out = `>${blockHints(value)}\n`;
  // The writer looks at the start of the whole text where it means the start of the next line.
  const startsBlank = /^\n*([ \t]|$)/.test(value);
  let breaks = true;
  let leadingSpaces = true;
  for (const char of value) {
    if (char === '\n') {
      if (!breaks && !leadingSpaces && !startsBlank) out += '\n';
      out += '\n';
      breaks = true;
    } else {
      if (breaks) {
        out += indent;
        leadingSpaces = isBlankChar(char);
      }
      out += char;
      breaks = false;
    }
  }
  return out;
}

/** What stands after `|` or `>`. */
export function blockHints(value: string): string {
  const indent = /^[ \n]/.test(value) ? '2' : '';
  if (!value.endsWith('\n')) return `${indent}-`;
  return value === '\n' || value.endsWith('\n\n') ? `${indent}+` : indent;
}
