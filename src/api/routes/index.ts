/**
 * routes: CONTRACT.
 */
export { openAccess } from './access/open-access.js';
export { routeTable } from './table.js';
