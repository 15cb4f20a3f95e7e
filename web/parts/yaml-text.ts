type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** A value as YAML, for people to read: block style, text quoted only where it would be read as something else. */
export function yamlText(value: unknown): string {
  return `${block(value as Value, 0)}\n`;
}

function block(value: Value, depth: number): string {
  const pad = '  '.repeat(depth);
  if (isList(value))
    return value.length === 0 ? '[]' : value.map((item) => `${pad}- ${nested(item, depth + 1).trimStart()}`).join('\n');
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    return entries.length === 0
      ? '{}'
      : entries.map(([key, item]) => `${pad}${scalar(key)}:${member(item, depth)}`).join('\n');
  }
  return scalar(value);
}

/** Lists and maps inside of a list begin on the line of their dash. */
function nested(value: Value, depth: number): string {
  return typeof value === 'string' && value.includes('\n') ? literal(value, depth) : block(value, depth);
}

function member(value: Value, depth: number): string {
  if (isList(value)) return value.length === 0 ? ' []' : `\n${block(value, depth)}`;
  if (value !== null && typeof value === 'object')
    return Object.keys(value).length === 0 ? ' {}' : `\n${block(value, depth + 1)}`;
  return ` ${typeof value === 'string' && value.includes('\n') ? literal(value, depth + 1) : scalar(value)}`;
}

function literal(text: string, depth: number): string {
  const pad = '  '.repeat(depth);
  const mark = text.endsWith('\n') ? '|' : '|-';
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `${mark}\n${lines.map((line) => (line === '' ? '' : `${pad}${line}`)).join('\n')}`;
}

const PLAIN = /^[A-Za-z_./][\w ./@+*()-]*(?:[:#][\w./@+*()-]+)*$/;
const OTHER = /^(?:true|false|yes|no|on|off|null|y|n|\.inf|\.nan)$|^[.\d]/i;

function scalar(value: Exclude<Value, object> | Value): string {
  if (typeof value !== 'string') return String(value);
  return PLAIN.test(value) && !OTHER.test(value) && !value.endsWith(' ') && !value.endsWith(':')
    ? value
    : JSON.stringify(value);
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
