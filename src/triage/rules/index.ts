/**
 * rules: what is wrong with one object, a file for each subject with its table of kinds. Takes a node and the graph,
 * gives findings with code, evidence, field and fix. Never searches for the cause of a consequence: edges lead there.
 */
export { complaintsAbout } from './complaints.js';
export { fieldPath, kubectlName, shellWord, templateOf } from './make-finding.js';
export { unpullableImages } from './pods/images.js';
export { createRuleSet } from './rule-set.js';
export { servicesFor, usersOf } from './service-users.js';
