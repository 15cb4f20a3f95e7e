/**
 * routes: CONTRACT.
 */
export { openAccess } from './access/open-access.js';
export { openServices } from './shared/services.js';
export { routeTable } from './table.js';
