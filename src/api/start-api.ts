import type { ControlServices, BackgroundOptions } from '../control/index.js';
import { openAccess, routeTable } from './routes/index.js';
import { WebFiles } from './http/index.js';
import { openServerState, serveHttp, type HttpTimeouts } from './server/index.js';
import type { Logger } from '../model/logging/index.js';

export interface ApiOptions {
  readonly services: ControlServices;
  /** Of Argosy, such as 1.2.3. */
  readonly version: string;
  /** The address to listen on. */
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Names of this server besides loopback, `host` and the `url` of argocd-cm. */
  readonly hosts: readonly string[];
  /** The built page; without it only programs are served. */
  readonly webFolder?: string;
  /** The worker threads of triage and health checks. */
  readonly background: BackgroundOptions;
  /** For slow clients. */
  readonly timeouts?: HttpTimeouts;
  readonly log: Logger;
}

export interface RunningApi {
  readonly url: string;
  /** The password of admin, if this start generated it. */
  readonly newPassword: string | undefined;
  close(): Promise<void>;
}

export async function startApi({
  services,
  version,
  host,
  port,
  hosts,
  webFolder,
  background,
  timeouts,
  log,
}: ApiOptions): Promise<RunningApi> {
  const { access, routes: accessRoutes, newPassword } = await openAccess(services);
  const state = openServerState(services, { version, background, routes: routeTable(accessRoutes) });
  const server = await serveHttp({
    services,
    access,
    state,
    files: new WebFiles(webFolder),
    host,
    port,
    hosts,
    timeouts,
    log,
  });
  const close = async (): Promise<void> => {
    await server.close();
    state.close();
    access.close();
  };
  return { url: server.url, newPassword, close };
}
