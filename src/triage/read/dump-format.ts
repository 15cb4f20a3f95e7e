export type DumpFormat = 'json' | 'yaml' | 'text';

const OBJECT_LINE = /^(?:apiVersion|kind|items|metadata):(?:\s|$)/m;
const TEXT_LINE = /^(?:Name:\s|(?:NAMESPACE|NAME|LAST SEEN)(?:\s{2,}|\s*$)|```)/m;

/**
 * The format of a file by its beginning, whatever its name: people save output of kubectl under any name, with prompts
 * and notes around it. Undefined if unknown.
 */
export function formatOf(start: string): DumpFormat | undefined {
  if (/^\s*[[{]/.test(start)) return 'json';
  if (hasControls(start)) return undefined;
  const [object, text] = [OBJECT_LINE.exec(start)?.index ?? Infinity, TEXT_LINE.exec(start)?.index ?? Infinity];
  if (text < object) return 'text';
  return object < Infinity || /^---\s*$/m.test(start) ? 'yaml' : undefined;
}

/** A program or an archive has bytes that no text has. */
function hasControls(start: string): boolean {
  return /[\u0000-\u0008\u000e-\u001a]/.test(start);
}
