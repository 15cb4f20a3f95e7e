/**
 * rules: CONTRACT.
 */
export { setting, templateOf } from './make-finding.js';
export { unpullableImages } from './pods/images.js';
export { createRuleSet } from './rule-set.js';
