/**
 * triage: a snapshot of a fleet in, the root causes of all failures out, each with evidence, order of repair and fix.
 * Takes objects, events and bounded logs as they were at one moment, from a cluster or from files. Never calls a
 * cluster, never writes, never reads the clock: the snapshot has its own time. Equal snapshots give equal reports, in
 * whatever order files were read. Values of Secrets are dropped while reading.
 */
export type { EventFact, Listing, ListingFact, LogFact, SeriesFact, Snapshot } from './snapshot/index.js';
export {
  SnapshotBuilder,
  jsonReader,
  yamlReader,
  type DumpReader,
  type FileKind,
  textReader,
  formatOf,
  type DumpFormat,
  fileKindOf,
  logOf,
  readManifest,
  isLogName,
  hostServices,
  isHostText,
  readAnswer,
  seriesJsonReader,
  seriesTextReader,
} from './read/index.js';
export { createRuleSet, fieldPath } from './rules/index.js';
export {
  causesBehind,
  triage,
  type TriageOptions,
  type Report,
  type ReportedCause,
  type ChainStep,
  type Consequence,
  type NodePool,
  toMarkdown,
  toHtml,
  toTerminal,
  type FilePlaces,
  toSarif,
  compareReports,
  readReport,
  watchedChanges,
} from './report/index.js';
export {
  isSameCause,
  WhatIf,
  type Expectation,
  type Repair,
  editObject,
  resolvePath,
  valueAtSteps,
} from './what-if/index.js';
export { TRIAGE_CODES, pageOf } from './findings/index.js';
export type { Assess, BlockingWindow, Lint, LintFact, Action, Addition, Edit, Fix, FixStep } from './findings/index.js';
