import { Fault } from '../../../model/faults/index.js';

/** A path as `--set` writes it: names with dots between, dots in names after a backslash. */
export function pathText(path: readonly string[]): string {
  return path.map((name) => name.replace(/[\\.,=[\]]/g, '\\$&')).join('.');
}

/** Reads `a.b`, `a\.b/c` and `a[0].b`. */
export function parsePath(text: string): string[] {
  const names: string[] = [];
  let name: string | undefined = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\' && at + 1 < text.length) name = `${name ?? ''}${text.charAt(++at)}`;
    else if (char === '.') {
      if (name !== undefined) names.push(name);
      name = '';
    } else if (char === '[') {
      const end = text.indexOf(']', at);
      if (name !== undefined) names.push(name);
      if (!/^\d+$/.test(text.slice(at + 1, end)))
        throw new Fault('USAGE', `"${text}" is no key: write a.b or a[0].b`, { where: 'KEY' });
      names.push(text.slice(at + 1, end));
      name = undefined;
      at = end;
    } else name = `${name ?? ''}${char}`;
  }
  if (name !== undefined) names.push(name);
  if (names.includes('')) throw new Fault('USAGE', `"${text}" is no key: write a.b or a[0].b`, { where: 'KEY' });
  return names;
}
