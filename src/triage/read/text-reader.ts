import { StringDecoder } from 'node:string_decoder';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { SnapshotBuilder } from './snapshot-builder.js';
import { describedObject } from './described-object.js';
import { formatOf } from './dump-format.js';
import { jsonReader, yamlReader, type DumpReader } from './read-dump.js';
import { ownedByName } from './owned-by-name.js';
import { tableObjects } from './table-objects.js';

/**
 * Reads what people paste: `kubectl describe` and `kubectl get -o wide`, among notes and prompts, and blocks of JSON
 * and YAML between. Less is known from text, and nothing is invented.
 */
export function textReader(builder: SnapshotBuilder, file: string): DumpReader {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  return {
    push: (chunk) => void parts.push(decoder.write(chunk)),
    end: () => {
      parts.push(decoder.end());
      let found = 0;
      const objects: KubeObject[] = [];
      for (const block of blocksOf(parts.join(''))) found += readBlock(block, builder, file, objects);
      for (const object of ownedByName(objects)) builder.add(object, file);
      if (found === 0) builder.loss(`${file}: no output of kubectl describe or get found`);
    },
  };
}

interface Block {
  readonly lines: readonly string[];
  readonly kind: 'table' | 'described' | 'fenced';
}

/** How many objects were found. */
function readBlock({ kind, lines }: Block, builder: SnapshotBuilder, file: string, objects: KubeObject[]): number {
  if (kind === 'fenced') {
    const text = lines.join('\n');
    const before = builder.size;
    const reader = (formatOf(text) === 'json' ? jsonReader : yamlReader)(builder, file);
    reader.push(Buffer.from(text));
    reader.end();
    return builder.size - before;
  }
  const found = kind === 'table' ? tableObjects(lines) : describedObject(lines);
  objects.push(...(found?.objects ?? []));
  for (const event of found?.events ?? []) builder.addEvent(event);
  return (found?.objects.length ?? 0) + (found?.events.length ?? 0);
}

const TABLE = /^(NAMESPACE|NAME|LAST SEEN)(\s{2,}|\t|\s*$)/;
const FENCE = /^\s*(```|~~~)/;

/**
 * A described object starts with `Name:` in the first column, a table with its heading and ends with an empty line;
 * fenced blocks are JSON, YAML or text.
 */
function blocksOf(text: string): Block[] {
  const blocks: { lines: string[]; kind: Block['kind'] }[] = [];
  let fenced: string[] | undefined;
  let isOpen = false;
  const take = (line: string): void => {
    const isTable = TABLE.test(line);
    if (isTable || /^Name:\s/.test(line)) {
      blocks.push({ lines: [line], kind: isTable ? 'table' : 'described' });
      isOpen = true;
    } else if (line.trim() === '' && blocks.at(-1)?.kind === 'table') isOpen = false;
    // A prompt is no part of what was printed before it.
    else if (/^\s*[$#%>] \S/.test(line)) isOpen = false;
    else if (isOpen) blocks.at(-1)?.lines.push(line);
  };
  const close = (lines: readonly string[]): void => {
    const format = formatOf(lines.join('\n'));
    if (format === 'json' || format === 'yaml') blocks.push({ lines: [...lines], kind: 'fenced' });
    else lines.forEach(take);
    isOpen = false;
  };
  for (const line of text.split(/\r?\n/)) {
    if (FENCE.test(line)) {
      if (fenced !== undefined) close(fenced);
      fenced = fenced === undefined ? [] : undefined;
    } else if (fenced === undefined) take(line);
    else fenced.push(line);
  }
  if (fenced !== undefined) close(fenced);
  return blocks;
}
