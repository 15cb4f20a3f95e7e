/**
 * diff: a target and a live object in, the fields that really differ out, each with its owner.
 * Quiet by default: what the server or a controller added, and what a rule ignores, is no difference.
 * Never calls the cluster: where only the server can know, the caller asks it and passes the prediction in.
 */
export { type Difference } from './fields/difference.js';
export { compileRules, OUR_MANAGERS, type DiffRules, type IgnoreStatus, type RuleOptions } from './rules/diff-rules.js';
export { type RuleError } from './rules/rule-error.js';
export { type KnownTypeField } from './normalize/known-type-fields.js';
export { IGNORE_ANNOTATION } from './rules/ignore-annotation.js';
export { compare } from './compare.js';
export { confirm } from './confirm.js';
export { dryRunKey } from './dry-run-key.js';
export { respectIgnoreDifferences } from './respect-ignore-differences.js';
export { withStoredData } from './normalize/normalize-objects.js';
export { LAST_APPLIED } from './fields/last-applied.js';
export { maskSecrets, maskDifferences, type MaskOptions } from './output/mask-secrets.js';
export { unifiedDiff, plainDiff, type UnifiedOptions } from './output/unified-diff.js';
export { applyDifferences } from './output/apply-differences.js';
