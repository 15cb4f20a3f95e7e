/**
 * audit: the record of what was changed and refused. Takes entries; gives a file, or standard output, of JSON lines
 * that are chained by hash, so that a line that is missing, changed or out of place shows; finds and verifies lines.
 * I/O: disk. Entries never hold bodies, and addresses lose their passwords and queries; what cannot be written is
 * counted and named once the disk takes lines again.
 */
export { NO_AUDIT, type Audit, type AuditCounts } from './audit-log.js';
export { findRecords, type AuditPage, type AuditQuery } from './find-records.js';
export { readLineHash } from './line-hash.js';
export { openAuditLog, type OpenAudit } from './open-audit-log.js';
export { readSince } from './read-since.js';
export type { AuditEntry, AuditRecord } from './record.js';
export { verifyFile, verifyStream, type Verification } from './verify.js';
