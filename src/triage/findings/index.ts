/**
 * findings: what a rule reports, the registry of its codes, and the engine that runs rules once for each object.
 * Takes a set of rules and what other rooms know (health, lint, sync windows). Knows no kind and no rule by name.
 */
export {
  TRIAGE_CODES,
  isTriageCode,
  pageOf,
  usualImpact,
  type Impact,
  type Severity,
  type TriageCode,
} from './codes.js';
export type { Action, Addition, Edit, Evidence, Finding, Fix, FixStep } from './finding.js';
export {
  RuleEngine,
  type Assess,
  type BlockingWindow,
  type Lint,
  type LintFact,
  type Rule,
  type RuleServices,
  type RuleSet,
  type RuleTable,
} from './rule-engine.js';
