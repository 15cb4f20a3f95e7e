/**
 * admission: the admission plugins of the server in the order of kube-apiserver: defaults from classes, accounts and
 * limit ranges, then validation by Pod Security, quota, RBAC escalation and ValidatingAdmissionPolicy. Takes an
 * admission request and the stored objects, gives the object to write, or an ApiError with the plugin's text. Quota
 * also exports its usage sums, so that the quota controller counts the same way.
 */
export { admissionPlugins } from './admission-plugins.js';
export { amountsAt, only, sameAmounts, toList, type Amounts } from './amounts.js';
export type { Measure } from './quota-measure.js';
export { evaluatorOf, resourceOfQuotaName, usedOf } from './quota-usage.js';
