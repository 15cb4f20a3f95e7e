/**
 * rules: ignore rules of Applications, settings and objects, compiled once. Takes their text; gives a matcher for each
 * object, and the rules that cannot be parsed with the reason. Never throws on a bad rule.
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
