/**
 * findings: CONTRACT.
 */
export type { Action, Addition, Edit, Evidence, Finding, Fix, FixStep, Impact } from './finding.js';
export {
  RuleEngine,
  type Assess,
  type BlockingWindow,
  type Lint,
  type LintFact,
  type Rule,
  type RuleServices,
  type RuleSet,
} from './rule-engine.js';
