import type { ControlServices, BackgroundOptions } from '../control/index.js';
import { ARGOCD_SECRET, type SecretCache } from './access/index.js';
import { openAccess, routeTable } from './routes/index.js';
import { ArgoCdPage, type ArgoCdPageFolders, WebFiles } from './http/index.js';
import { ServerCertificate, type TlsVersions } from './tls/index.js';
import { openServerState, serveHttp, type HttpTimeouts } from './server/index.js';
import type { Logger } from '../model/logging/index.js';
import type { TrustedProxies } from '../model/formats/index.js';

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
  readonly security: ApiSecurity;
  /** The built page; without it only programs are served. */
  readonly webFolder?: string;
  /** A build of Argo CD's page, served beside ours. */
  readonly argoCdPage?: ArgoCdPageFolders;
  /** The worker threads of triage and health checks. */
  readonly background: BackgroundOptions;
  /** For slow clients. */
  readonly timeouts?: HttpTimeouts;
  readonly log: Logger;
}

/** What a security profile demands. */
export interface ApiSecurity {
  /** Undefined for plain HTTP. */
  readonly tls?: TlsVersions;
  /** Whether webhooks are refused while no secret is set for them. */
  readonly requiresWebhookSecret: boolean;
  /** Whether there is a local admin where `admin.enabled` says nothing. */
  readonly isAdminEnabledByDefault: boolean;
  /** Whether the first password of admin is kept in a Secret of its own, instead of being shown. */
  readonly storesInitialPassword?: boolean;
  /** Reverse proxies that say who the client is; none without it. */
  readonly trustedProxies?: TrustedProxies;
}

export interface RunningApi {
  readonly url: string;
  /** The password of admin, if this start generated it and no Secret keeps it. */
  readonly newPassword: string | undefined;
  /** Whether there is any way to sign in. */
  readonly hasSignIn: boolean;
  close(): Promise<void>;
}

export async function startApi({
  services,
  version,
  host,
  port,
  hosts,
  security,
  webFolder,
  argoCdPage,
  background,
  timeouts,
  log,
}: ApiOptions): Promise<RunningApi> {
  const {
    tls,
    isAdminEnabledByDefault,
    storesInitialPassword = false,
    requiresWebhookSecret,
    trustedProxies,
  } = security;
  const opened = await openAccess(services, {
    servesTls: tls !== undefined,
    isAdminEnabledByDefault,
    storesInitialPassword,
  });
  const { access, routes: accessRoutes, newPassword } = opened;
  const state = openServerState(services, {
    version,
    background,
    requiresWebhookSecret,
    routes: routeTable(accessRoutes),
  });
  if (requiresWebhookSecret && !hasWebhookSecret(opened.secrets))
    log.info('webhooks are refused until argocd-secret has a secret for them, such as webhook.github.secret');
  const certificate =
    tls === undefined ? undefined : await ServerCertificate.open(opened.secrets, services, { hosts, log });
  const server = await serveHttp({
    services,
    ...(tls === undefined || certificate === undefined ? {} : { tls: { ...tls, certificate } }),
    access,
    state,
    files: new WebFiles(webFolder),
    ...(argoCdPage === undefined ? {} : { argoCdPage: new ArgoCdPage(argoCdPage) }),
    host,
    port,
    hosts,
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    timeouts,
    log,
  });
  const close = async (): Promise<void> => {
    await server.close();
    certificate?.close();
    state.close();
    access.close();
  };
  const { hasPasswords, oidc } = access.signInMethods;
  return { url: server.url, newPassword, hasSignIn: hasPasswords || oidc !== undefined, close };
}

function hasWebhookSecret(secrets: SecretCache): boolean {
  return [...secrets.data(ARGOCD_SECRET)].some(([key, value]) => key.startsWith('webhook.') && value !== '');
}
