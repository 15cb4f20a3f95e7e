/**
 * triage: a snapshot of a fleet in, the few causes behind all that is wrong in it out, each with its proof, its order
 * and its fix. Takes objects, events and bounded logs as they were at one moment, from a cluster or from files.
 * Never calls a cluster, never writes, never reads the clock: the snapshot has its own time. Equal snapshots give equal
 * reports, whatever order things were read in. Values of Secrets are dropped where they are read.
 */
export { type EventFact, type Listing, type ListingFact, type LogFact, type Snapshot } from './snapshot/snapshot.js';
export { SnapshotBuilder } from './read/snapshot-builder.js';
export { jsonReader, yamlReader, type DumpReader, type FileKind } from './read/read-dump.js';
export { textReader } from './read/text-reader.js';
export { formatOf, type DumpFormat } from './read/dump-format.js';
export { fileKindOf, logOf, readManifest } from './read/file-layout.js';
export { isLogName } from './read/loose-logs.js';
export { createRuleSet } from './rules/rule-set.js';
export { triage, type TriageOptions } from './report/triage.js';
export { isSameCause, WhatIf, type Expectation } from './what-if/what-if.js';
export { type Repair } from './what-if/simulate-repair.js';
export { editObject, resolvePath, valueAt } from './what-if/edit-object.js';
export { type Assess, type BlockingWindow, type Lint, type LintFact } from './findings/rule-engine.js';
export { type Action, type Addition, type Edit, type Fix, type FixStep } from './findings/finding.js';
export { type Report, type ReportedCause, type ChainStep, type Consequence, type NodePool } from './report/report.js';
export { toMarkdown } from './report/markdown.js';
export { toHtml } from './report/html.js';
export { toTerminal } from './report/terminal.js';
export { toSarif } from './report/sarif.js';
export { compareReports } from './report/compare-reports.js';
export { readReport } from './report/read-report.js';
export { watchedChanges } from './report/watched-changes.js';
