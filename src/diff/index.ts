/**
 * diff: a target and a live object in, the fields that really differ out, each with its owner.
 * Quiet by default: what the server or a controller added, and what a rule ignores, is no difference.
 * Never calls the cluster: where only the server can know, the caller asks it and passes the prediction in.
 */
export { type Difference, LAST_APPLIED } from './fields/index.js';
export {
  compileRules,
  OUR_MANAGERS,
  type DiffRules,
  type IgnoreStatus,
  type RuleOptions,
  type RuleError,
  IGNORE_ANNOTATION,
} from './rules/index.js';
export { type KnownTypeField, withStoredData } from './normalize/index.js';
export { compare } from './compare.js';
export { confirm } from './confirm.js';
export { dryRunKey } from './dry-run-key.js';
export { respectIgnoreDifferences } from './respect-ignore-differences.js';
export {
  maskSecrets,
  maskDifferences,
  type MaskOptions,
  unifiedDiff,
  type UnifiedOptions,
  applyDifferences,
} from './output/index.js';
