import type { Route } from '../route/route.js';
import { APPLICATION_ROUTES } from './application-routes.js';
import { serverRoutes } from './server-routes.js';

/** Every route there is: what is not in this table is not served, and each row says who may use it. */
export function routeTable(version: string, accessRoutes: readonly Route[]): readonly Route[] {
  const table: readonly Route[] = [...serverRoutes(version, () => table), ...accessRoutes, ...APPLICATION_ROUTES];
  return table;
}
