import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../model/logging/index.js';
import type { TrustedProxies } from '../../model/formats/index.js';
import { ApiError, type ArgoCdPage, hostOfUrl, isOurHost, type WebFiles } from '../http/index.js';
import type { Router } from '../route/index.js';
import type { RpcMethods } from '../rpc/index.js';
import type { TlsOptions } from '../tls/index.js';
import type { DispatchContext } from './dispatch.js';

export interface ServerOptions extends DispatchContext {
  readonly files: WebFiles;
  /** Argo CD's own, at /ui/. */
  readonly argoCdPage?: ArgoCdPage;
  readonly host: string;
  readonly port: number;
  /** Names of this server besides loopback and what the settings say. */
  readonly hosts: readonly string[];
  /** Absent for plain HTTP. */
  readonly tls?: TlsOptions;
  readonly timeouts?: HttpTimeouts | undefined;
  /** Whose `X-Forwarded-For` says who the client is. */
  readonly trustedProxies?: TrustedProxies;
  readonly log: Logger;
}

/** Milliseconds for the headers of a request, for all of it, and between two checks of open connections. */
export interface HttpTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly checkInterval: number;
}

export interface RoutedOptions extends ServerOptions {
  readonly router: Router;
  readonly methods: RpcMethods;
}

export function schemeOf({ tls }: ServerOptions): 'http' | 'https' {
  return tls === undefined ? 'http' : 'https';
}

/** Of the client, as far as it is known: budgets and the audit log count by it. */
export function clientAddress(
  { remoteAddress = '' }: Pick<Socket, 'remoteAddress'>,
  headers: IncomingHttpHeaders,
  { trustedProxies }: ServerOptions,
): string {
  return trustedProxies?.clientOf(remoteAddress, headers['x-forwarded-for']) ?? remoteAddress;
}

/** A page of another host that points its own name at us is refused. */
export function mustBeOurHost(named: string | undefined, { services, host, hosts }: ServerOptions): void {
  const url = hostOfUrl(services.settings.current.url);
  if (isOurHost(named, [...hosts, host, ...(url === undefined ? [] : [url])])) return;
  throw new ApiError('PermissionDenied', 'unknown host name: set url in argocd-cm, or start with --allow-host', {
    status: 421,
  });
}
