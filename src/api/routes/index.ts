/**
 * routes: every route of the API, one file for each subject, listed in `table.ts`. Takes what the request brings
 * with it; gives answers. Handlers call the services of `control` and hold no state of their own.
 */
export { openAccess } from './access/open-access.js';
export { routeTable } from './table.js';
