import { during, invalid } from '../fault.js';
import type { Loader } from '../load/loader.js';
import type { GeneratorArgs } from '../kustomization/types.js';

/** The content of one entry; bytes that are no UTF-8 stay bytes. */
export type EntryValue = string | Uint8Array;

/** The entries that a generator's sources name. */
export function keyValues(args: GeneratorArgs, loader: Loader): Map<string, EntryValue> {
  const pairs = during('loading KV pairs', () => [
    ...during(
      () => `env source files: [${args.envs.join(' ')}]`,
      () => args.envs.flatMap((path) => envLines(loader.bytes(path))),
    ),
    ...during(
      () => `literal sources [${args.literals.join(' ')}]`,
      () => args.literals.map(literal),
    ),
    ...during(
      () => `file sources: [${args.files.join(' ')}]`,
      () => args.files.map((source) => fromFile(source, loader)),
    ),
  ]);
  const entries = new Map<string, EntryValue>();
  for (const [key, value] of pairs) {
    if (entries.has(key)) throw invalid(`configmap ${args.name} illegally repeats the key \`${key}\``);
    entries.set(key, value);
  }
  return entries;
}

type Pair = readonly [key: string, value: EntryValue];

function literal(source: string): Pair {
  const at = source.indexOf('=');
  if (at < 1) throw invalid(`invalid literal source ${source}, expected key=value`);
  return [source.slice(0, at), withoutQuotes(source.slice(at + 1))];
}

function withoutQuotes(text: string): string {
  const first = text.charAt(0);
  return text.length >= 2 && first === text.at(-1) && (first === '"' || first === "'") ? text.slice(1, -1) : text;
}

function fromFile(source: string, loader: Loader): Pair {
  const { key, path } = fileSource(source);
  const bytes = loader.bytes(path);
  return [key, decodeText(bytes) ?? bytes];
}

function fileSource(source: string): { key: string; path: string } {
  const parts = source.split('=');
  if (parts.length === 1) return { key: baseName(source), path: source };
  const [key = '', path = ''] = parts;
  if (parts.length > 2) throw invalid(`source "${source}" key name or file path contains '='`);
  if (key === '') throw invalid(`missing key name for file path "${path}" in source "${source}"`);
  if (path === '') throw invalid(`missing file path for key name "${key}" in source "${source}"`);
  return { key, path };
}

function baseName(path: string): string {
  return (
    path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) ?? path
  );
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, or undefined where the bytes are no UTF-8. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function envLines(bytes: Uint8Array): Pair[] {
  const content = decodeText(bytes);
  if (content === undefined) throw invalid('line has invalid utf8 bytes');
  const lines = content.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.flatMap((line, index): Pair[] => {
    const text = (index === 0 ? line.replace(/^\ufeff/, '') : line).replace(/^[\s\u0085]+/, '');
    if (text === '' || text.startsWith('#')) return [];
    const at = text.indexOf('=');
    if (at === 0) return [];
    return at < 0 ? [[text, '']] : [[text.slice(0, at), text.slice(at + 1)]];
  });
}
