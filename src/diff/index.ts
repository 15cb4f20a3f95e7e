/**
 * diff: a target and a live object in, the fields that really differ out, each with its owner.
 * Quiet by default: what the server or a controller added, and what a rule ignores, is no difference.
 * Never calls the cluster: where only the server can know, the caller asks it and passes the prediction in.
 */
export { type Difference } from './difference.js';
export { compileRules, OUR_MANAGERS, type DiffRules, type IgnoreStatus, type RuleOptions } from './rules.js';
export { type RuleProblem } from './rule-problem.js';
export { type KnownTypeField } from './known-fields.js';
export { IGNORE_ANNOTATION } from './annotation-rule.js';
export { compare } from './compare.js';
export { confirm } from './confirm.js';
export { dryRunKey } from './dry-run-key.js';
export { respectIgnored } from './respect-ignored.js';
export { withStoredData } from './prepare.js';
export { LAST_APPLIED } from './last-applied.js';
export { maskSecrets, maskDifferences, type MaskOptions } from './mask-secrets.js';
export { unifiedDiff, plainDiff, type UnifiedOptions } from './unified-diff.js';
export { asGitWants } from './as-git-wants.js';
