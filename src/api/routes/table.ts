import type { Route } from '../route/index.js';
import { EVENT_AND_REVISION_ROUTES } from './applications/events-and-revisions.js';
import { MANAGED_RESOURCE_ROUTES } from './applications/managed-resources.js';
import { READ_ROUTES } from './applications/read.js';
import { RESOURCE_ROUTES } from './applications/resource.js';
import { TERMINAL_ROUTES } from './applications/terminal.js';
import { SERVER_SIDE_DIFF_ROUTES } from './applications/server-side-diff.js';
import { WRITE_ROUTES } from './applications/write.js';
import { EXPLAIN_ROUTES } from './explain/explain-routes.js';
import { FLEET_ROUTES } from './explain/fleet-routes.js';
import { NOTEBOOK_ROUTES } from './explain/notebook-routes.js';
import { APPLICATION_SET_WATCH_ROUTES } from './control-plane/application-set-watch-routes.js';
import { APPLICATION_SET_ROUTES } from './control-plane/application-set-routes.js';
import { AUDIT_ROUTES } from './control-plane/audit-routes.js';
import { CLUSTER_ROUTES } from './control-plane/cluster-routes.js';
import { CLUSTER_WRITE_ROUTES } from './control-plane/cluster-write-routes.js';
import { CREDENTIAL_ROUTES } from './control-plane/credential-routes.js';
import { NOTIFICATION_ROUTES } from './control-plane/notification-routes.js';
import { PROJECT_ROUTES } from './control-plane/project-routes.js';
import { REPOSITORY_CONTENT_ROUTES } from './control-plane/repository-content-routes.js';
import { REPOSITORY_ROUTES } from './control-plane/repository-routes.js';
import { SETTINGS_ROUTES } from './control-plane/settings-routes.js';
import { TRUST_ROUTES } from './control-plane/trust-routes.js';
import { WRITE_REPOSITORY_ROUTES } from './control-plane/write-repository-routes.js';
import { BADGE_ROUTES } from './badge-routes.js';
import { LINK_ROUTES } from './link-routes.js';
import { SERVER_ROUTES } from './server-routes.js';
import { WEBHOOK_ROUTES } from './webhook-routes.js';

/** One list for each route file. A route that is not in this table is not served. */
const ROUTES: readonly (readonly Route[])[] = [
  READ_ROUTES,
  WRITE_ROUTES,
  MANAGED_RESOURCE_ROUTES,
  RESOURCE_ROUTES,
  TERMINAL_ROUTES,
  EVENT_AND_REVISION_ROUTES,
  SERVER_SIDE_DIFF_ROUTES,
  LINK_ROUTES,
  FLEET_ROUTES,
  EXPLAIN_ROUTES,
  NOTEBOOK_ROUTES,
  PROJECT_ROUTES,
  REPOSITORY_ROUTES,
  REPOSITORY_CONTENT_ROUTES,
  CREDENTIAL_ROUTES,
  WRITE_REPOSITORY_ROUTES,
  TRUST_ROUTES,
  CLUSTER_ROUTES,
  CLUSTER_WRITE_ROUTES,
  NOTIFICATION_ROUTES,
  APPLICATION_SET_ROUTES,
  APPLICATION_SET_WATCH_ROUTES,
  SETTINGS_ROUTES,
  AUDIT_ROUTES,
  WEBHOOK_ROUTES,
  BADGE_ROUTES,
];

/** Every route there is, each with the access it requires. */
export function routeTable(accessRoutes: readonly Route[]): readonly Route[] {
  return [...SERVER_ROUTES, ...accessRoutes, ...ROUTES.flat()];
}
