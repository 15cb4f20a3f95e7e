import { StringDecoder } from 'node:string_decoder';
import type { SnapshotBuilder } from './snapshot-builder.js';
import { describedObject } from './described-object.js';
import { formatOf } from './dump-format.js';
import { jsonReader, yamlReader, type DumpReader } from './read-dump.js';
import { PrintedObjects } from './printed-objects.js';
import { tableObjects } from './table-objects.js';
import { type TextBlock, textBlocks } from './text-blocks.js';
import { hostServices } from './host-services.js';
import { printedLogs } from './printed-logs.js';
import { addPrintedUsage } from './printed-usage.js';
import { seriesJsonReader } from './series-json.js';

/**
 * Reads what people paste: `kubectl get`, `describe` and `logs`, among notes and prompts, and JSON and YAML between.
 * Less is known from text, and nothing is invented. Ages count from the latest time that the text has, else from `now`.
 */
export function textReader(builder: SnapshotBuilder, file: string, now?: number): DumpReader {
  const decoder = new StringDecoder('utf8');
  const parts: string[] = [];
  return {
    push: (chunk) => void parts.push(decoder.write(chunk)),
    end: () => {
      parts.push(decoder.end());
      const printed = new PrintedObjects();
      const blocks = textBlocks(parts.join(''));
      const before = builder.size;
      for (const block of blocks) readBlock(block, builder, file, printed);
      const found = printed.addTo(builder, file, now);
      for (const log of printedLogs(blocks, found)) builder.addLog(log);
      addPrintedUsage(blocks, found, builder);
      if (builder.size === before && !builder.hasMeasures)
        builder.loss(`${file}: no output of kubectl describe or get found`);
    },
  };
}

function readBlock(
  { kind, lines, typed }: TextBlock,
  builder: SnapshotBuilder,
  file: string,
  to: PrintedObjects,
): void {
  if (kind === 'log') return;
  if (kind === 'host') {
    for (const service of hostServices(lines, typed?.names[0] ?? '')) builder.addHostService(service);
    return;
  }
  if (kind === 'document') {
    const text = lines.join('\n');
    if (text.trim() === '') return;
    const format = formatOf(text);
    const reader =
      format === 'monitoring'
        ? seriesJsonReader(builder, file)
        : (format === 'json' ? jsonReader : yamlReader)(builder, file);
    reader.push(Buffer.from(text));
    reader.end();
    return;
  }
  const facts = kind === 'table' ? tableObjects(lines) : describedObject(lines, typed?.resource);
  if (facts !== undefined) to.add(facts, kind === 'table' ? 'table' : 'described', typed?.namespace);
}
