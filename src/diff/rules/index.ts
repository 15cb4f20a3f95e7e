/**
 * rules: CONTRACT.
 */
export {
  OUR_MANAGERS,
  compileRules,
  type DiffRules,
  type IgnoreStatus,
  type ObjectRules,
  type RuleOptions,
} from './diff-rules.js';
export { IGNORE_ANNOTATION } from './ignore-annotation.js';
export type { RuleError } from './rule-error.js';
