/** What Go calls white space; JavaScript's own set differs in two characters. */
const BLANK = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING = new RegExp(`^${BLANK}+`);
const TRAILING = new RegExp(`(?<!${BLANK})${BLANK}+$`);

export function trimBlanks(text: string): string {
  return text.replace(LEADING, '').replace(TRAILING, '');
}

/**
 * The fields of one line of a policy, read as Go's encoding/csv does with TrimLeadingSpace: blanks before a field go,
 * those after it stay. Undefined where the quotes are wrong.
 */
export function readCsvLine(line: string): string[] | undefined {
  const fields: string[] = [];
  let rest = line;
  for (;;) {
    rest = rest.replace(LEADING, '');
    const field = rest.startsWith('"') ? quotedField(rest) : plainField(rest);
    if (field === undefined) return undefined;
    fields.push(field.value);
    if (field.rest === undefined) return fields;
    rest = field.rest;
  }
}

interface Field {
  readonly value: string;
  /** What stands behind the comma; undefined at the end of the line. */
  readonly rest: string | undefined;
}

function plainField(text: string): Field | undefined {
  const comma = text.indexOf(',');
  const value = comma < 0 ? text : text.slice(0, comma);
  return value.includes('"') ? undefined : { value, rest: comma < 0 ? undefined : text.slice(comma + 1) };
}

function quotedField(text: string): Field | undefined {
  let value = '';
  for (let from = 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    const next = text.charAt(quote + 1);
    if (next === '') return { value, rest: undefined };
    if (next === ',') return { value, rest: text.slice(quote + 2) };
    if (next !== '"') return undefined;
    value += '"';
    from = quote + 2;
  }
}
