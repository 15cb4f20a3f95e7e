import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { requestOnce, ResponseTooLarge } from '../../net/http/index.js';
import { ApiClient } from '../api-client/index.js';

const FORM = 'application/x-www-form-urlencoded';
const MAX_RESPONSE_BYTES = 1024 * 1024;

export interface SsoOptions {
  /** Where the browser comes back to on this machine. */
  readonly port: number;
  /** Milliseconds that a person has. */
  readonly timeout: number;
  readonly print: (line: string) => void;
}

interface OidcClient {
  readonly issuer: string;
  readonly id: string;
  readonly scopes: readonly string[];
  readonly claims: JsonObject | undefined;
}

/**
 * Logs in with the provider that the server names: authorization code with PKCE, and a listener on this machine. Gives
 * the ID token.
 */
export async function ssoLogin(api: ApiClient, { port, timeout, print }: SsoOptions): Promise<string> {
  const client = clientOf(await api.get('/api/v1/settings'));
  const provider = await discover(client.issuer);
  const [state, nonce, verifier] = [randomText(), randomText(), randomText()];
  const waiting = await listen(port, state, timeout);
  try {
    const redirectUri = `http://localhost:${waiting.port}/auth/callback`;
    print(
      'Open this address in a browser to log in:\n' +
        authorizationAddress(provider.authorization, client, { redirectUri, state, nonce, verifier }),
    );
    const code = await waiting.code;
    return await exchange(
      provider.token,
      {
        client_id: client.id,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
        grant_type: 'authorization_code',
      },
      nonce,
    );
  } finally {
    waiting.close();
  }
}

const randomText = (): string => randomBytes(32).toString('base64url');

function clientOf(settings: JsonObject): OidcClient {
  const config = own(settings, 'oidcConfig');
  const textOf = (key: string): string => {
    const value = isObject(config) ? own(config, key) : undefined;
    return typeof value === 'string' ? value : '';
  };
  if (!isObject(config) || textOf('issuer') === '')
    throw new Fault('API_REFUSED', 'the server has no SSO configured', { where: 'oidc.config of argocd-cm' });
  const [scopes, claims] = [own(config, 'scopes'), own(config, 'idTokenClaims')];
  return {
    issuer: textOf('issuer'),
    id: textOf('cliClientID') || textOf('clientID'),
    claims: isObject(claims) && Object.keys(claims).length > 0 ? claims : undefined,
    scopes:
      isArray(scopes) && scopes.length > 0
        ? scopes.filter((scope) => typeof scope === 'string')
        : ['openid', 'profile', 'email', 'groups'],
  };
}

async function discover(issuer: string): Promise<{ readonly authorization: string; readonly token: string }> {
  const document = await requestProvider(requireHttps(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`));
  const [authorization, token] = [own(document, 'authorization_endpoint'), own(document, 'token_endpoint')];
  if (own(document, 'issuer') !== issuer || typeof authorization !== 'string' || typeof token !== 'string')
    throw new Fault('SSO_UNREACHABLE', 'the provider does not describe itself as the server does', { where: issuer });
  return { authorization: requireHttps(authorization), token: requireHttps(token) };
}

/** Encrypted, or on this machine. */
function requireHttps(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isNear =
    url !== undefined &&
    (['localhost', '127.0.0.1', '[::1]'].includes(url.hostname) || url.hostname.endsWith('.localhost'));
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isNear)) return address;
  throw new Fault('SSO_UNREACHABLE', 'the provider is not reached over https', { where: 'the settings of the server' });
}

function authorizationAddress(
  endpoint: string,
  client: OidcClient,
  { redirectUri, state, nonce, verifier }: Readonly<Record<'redirectUri' | 'state' | 'nonce' | 'verifier', string>>,
): string {
  const address = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: redirectUri,
    scope: client.scopes.join(' '),
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(client.claims === undefined ? {} : { claims: JSON.stringify({ id_token: client.claims }) }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

async function exchange(endpoint: string, form: Readonly<Record<string, string>>, nonce: string): Promise<string> {
  const token = own(await requestProvider(endpoint, new URLSearchParams(form)), 'id_token');
  if (typeof token !== 'string') throw new Fault('SSO_REFUSED', 'the provider gave no ID token', { where: endpoint });
  // The server checks the signature; that the token is of this very login only we can tell.
  const claims = readJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (!isObject(claims) || own(claims, 'nonce') !== nonce)
    throw new Fault('SSO_REFUSED', 'the token of the provider belongs to another login', { where: endpoint });
  return token;
}

async function requestProvider(address: string, form?: URLSearchParams): Promise<JsonObject> {
  let status: number;
  let value: Json | undefined;
  try {
    const response = await requestOnce(
      address,
      form === undefined
        ? { method: 'GET', headers: { accept: 'application/json' } }
        : { method: 'POST', headers: { accept: 'application/json', 'content-type': FORM }, body: form.toString() },
      { within: 15_000, maxBytes: MAX_RESPONSE_BYTES, refusesRedirects: true },
    );
    [status, value] = [response.status, readJson(response.body.toString())];
  } catch (error) {
    const message =
      error instanceof ResponseTooLarge
        ? `the provider answered with more than ${error.maxBytes} bytes`
        : 'the provider cannot be reached';
    throw new Fault('SSO_UNREACHABLE', message, { where: new URL(address).origin, cause: error });
  }
  if (status === 200 && isObject(value)) return value;
  const word = isObject(value) ? own(value, 'error') : undefined;
  throw new Fault(
    'SSO_REFUSED',
    `the provider refused: ${typeof word === 'string' && /^[a-z_]{3,40}$/.test(word) ? word : `it answered ${status}`}`,
    { where: new URL(address).origin },
  );
}

function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // The caller reports the status.
    return undefined;
  }
}

interface CallbackListener {
  readonly port: number;
  readonly code: Promise<string>;
  close(): void;
}

/** Waits on loopback for the one browser that comes back with our state. */
async function listen(port: number, state: string, patience: number): Promise<CallbackListener> {
  let settle: (code: string | Fault) => void = () => undefined;
  const code = new Promise<string>((resolve, reject) => {
    settle = (given) => {
      if (given instanceof Fault) reject(given);
      else resolve(given);
    };
  });
  // Whoever gives up before the browser comes has a fault of their own.
  code.catch(() => undefined);
  const server = createServer((request, response) => {
    answerBrowser(request, response, state, settle);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Fault('PORT_BUSY', `port ${port} cannot be listened on (${error.code ?? 'unknown'})`, {
          where: '--sso-port',
        }),
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const timer = setTimeout(() => {
    settle(new Fault('WAIT_TIMED_OUT', `no login within ${Math.round(patience / 1000)} s`, { where: '--sso' }));
  }, patience);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    code,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerBrowser(
  request: IncomingMessage,
  response: ServerResponse,
  state: string,
  settle: (code: string | Fault) => void,
): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const code = url.searchParams.get('code') ?? '';
  const isOurs =
    url.pathname === '/auth/callback' &&
    /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? '') &&
    url.searchParams.get('state') === state;
  const [status, message] = callbackResponse(isOurs, code);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!DOCTYPE html><html lang="en"><title>Argosy</title><p>${message}</p></html>`);
  if (isOurs)
    settle(code === '' ? new Fault('SSO_REFUSED', 'the provider denied access', { where: 'the browser' }) : code);
}

function callbackResponse(isOurs: boolean, code: string): [status: number, message: string] {
  if (!isOurs) return [404, 'No login is in progress here.'];
  if (code === '') return [403, 'The provider denied access.'];
  return [200, 'You are logged in. Go back to the terminal; you can close this page.'];
}
