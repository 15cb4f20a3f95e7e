import type { FrontDesk, SideOptions } from '../control/index.js';
import { openAccess } from './access/open-access.js';
import { WebFiles } from './http/web-files.js';
import { Router } from './route/router.js';
import { openServices } from './routes/services.js';
import { routeTable } from './routes/table.js';
import { serveHttp, type Patience } from './server.js';

export interface ApiOptions {
  readonly desk: FrontDesk;
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
  /** Threads beside the one that answers. */
  readonly side: SideOptions;
  /** With clients that take their time; as usual unless told. */
  readonly patience?: Patience;
  readonly log: (line: string) => void;
}

export interface RunningApi {
  readonly url: string;
  /** The password of admin, where it was made by this start. */
  readonly newPassword: string | undefined;
  close(): Promise<void>;
}

export async function startApi({
  desk,
  version,
  host,
  port,
  hosts,
  webFolder,
  side,
  patience,
  log,
}: ApiOptions): Promise<RunningApi> {
  const { access, routes, newPassword } = await openAccess(desk);
  const services = openServices(desk, version, side);
  const server = await serveHttp({
    desk,
    access,
    router: new Router(routeTable(services, routes)),
    files: new WebFiles(webFolder),
    host,
    port,
    hosts,
    patience,
    log,
  });
  const close = async (): Promise<void> => {
    await server.close();
    services.close();
    access.close();
  };
  return { url: server.url, newPassword, close };
}
