/**
 * read: dumps of kubectl, must-gather and support bundles into a snapshot, chunk by chunk. Gives what could be read and
 * names what could not. Opens no file and drops the values of Secrets while it reads.
 */
export { formatOf, type DumpFormat } from './dump-format.js';
export { fileKindOf, logOf, readManifest } from './file-layout.js';
export { hostServices, isHostText } from './host-services.js';
export { isLogName } from './loose-logs.js';
export { jsonReader, type DumpReader, type FileKind, yamlReader } from './read-dump.js';
export { readAnswer, seriesJsonReader } from './series-json.js';
export { seriesTextReader } from './series-text.js';
export { SnapshotBuilder } from './snapshot-builder.js';
export { textReader } from './text-reader.js';
