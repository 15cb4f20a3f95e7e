import { StringDecoder } from 'node:string_decoder';
import type { SnapshotBuilder } from '../snapshot-builder.js';
import { describedObject } from './described-object.js';
import type { DumpReader } from './read-dump.js';
import { tableObjects } from './table-objects.js';

/** Reads what people paste: `kubectl describe` and `kubectl get -o wide`. Less is known from them, and nothing is invented. */
export function textReader(builder: SnapshotBuilder, file: string): DumpReader {
  const decoder = new StringDecoder('utf8');
  let text = '';
  return {
    push: (chunk) => { text += decoder.write(chunk); },
    end: () => {
      text += decoder.end();
      for (const block of blocksOf(text)) {
        const found = block.isTable ? tableObjects(block.lines) : describedObject(block.lines);
        if (found === undefined) continue;
        for (const object of found.objects) builder.add(object, file);
        for (const event of found.events) builder.addEvent(event);
      }
    },
  };
}

interface Block {
  readonly lines: readonly string[];
  readonly isTable: boolean;
}

/** A described object starts with `Name:` in the first column, a table with its heading. */
function blocksOf(text: string): Block[] {
  const blocks: { lines: string[]; isTable: boolean }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const isTable = /^(NAMESPACE|NAME|LAST SEEN)(\s{2,}|\s*$)/.test(line);
    if (isTable || /^Name:\s/.test(line)) blocks.push({ lines: [line], isTable });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}
