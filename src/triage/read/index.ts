/**
 * read: CONTRACT.
 */
export { formatOf, type DumpFormat } from './dump-format.js';
export { fileKindOf, logOf, readManifest } from './file-layout.js';
export { isLogName } from './loose-logs.js';
export { jsonReader, type DumpReader, type FileKind, yamlReader } from './read-dump.js';
export { SnapshotBuilder } from './snapshot-builder.js';
export { textReader } from './text-reader.js';
