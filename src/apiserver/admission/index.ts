/**
 * admission: CONTRACT.
 */
export { admissionPlugins } from './admission-plugins.js';
export { amountsAt, only, sameAmounts, toList, type Amounts } from './amounts.js';
export type { Measure } from './quota-measure.js';
export { evaluatorOf, resourceOfQuotaName, usedOf } from './quota-usage.js';
