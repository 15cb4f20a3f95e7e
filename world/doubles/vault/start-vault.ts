import type { JsonObject } from '../../../src/model/json/index.js';
import type { Exchange } from '../http/exchange.js';
import { startDouble, type Double, type DoubleOptions } from '../http/start-double.js';
import { Gone } from './key-values.js';
import { believeToken, type ReviewToken } from './kubernetes-auth.js';
import { VaultCore } from './vault-core.js';
import { badRequest, VaultError } from './vault-error.js';

export interface VaultOptions extends DoubleOptions {
  readonly now?: () => Date;
  /** Opens itself after a start, as with a key management service. */
  readonly autoUnseal?: boolean;
  /** How service accounts' tokens are checked; unless given they are believed. */
  readonly review?: ReviewToken;
}

export interface Vault extends Double {
  /** What a client sees after the process was started again over the same storage: sealed, unless it opens itself. */
  restart(): void;
}

/** HashiCorp Vault: seal, Kubernetes logins, policies and KV version 2 at `secret/`. A new one is not initialised. */
export async function startVault(options: VaultOptions = {}): Promise<Vault> {
  const core = new VaultCore(
    options.now ?? (() => new Date()),
    options.autoUnseal ?? false,
    options.review ?? believeToken,
  );
  const double = await startDouble((exchange) => answer(core, exchange), options);
  return {
    ...double,
    restart: () => {
      core.seal.restart();
    },
  };
}

async function answer(core: VaultCore, exchange: Exchange): Promise<void> {
  exchange.response.setHeader('cache-control', 'no-store');
  try {
    if (!exchange.path.startsWith('/v1/')) throw new VaultError(404);
    const path = exchange.path.slice('/v1/'.length);
    // Clients ask for lists like this; the method LIST, which the server of Node refuses, never comes.
    const isList = exchange.method === 'GET' && exchange.query.get('list') === 'true';
    const written = exchange.method === 'PUT' ? 'POST' : exchange.method;
    const method = isList ? 'LIST' : written;
    const body = method === 'POST' ? await exchange.json() : {};
    if (body === undefined) throw badRequest('failed to parse JSON input: invalid character');
    if (path === 'sys/health') {
      answerHealth(core, exchange);
      return;
    }
    const version = Number(exchange.query.get('version') ?? 0);
    const said: JsonObject | undefined = await core.answer({
      method,
      path,
      body,
      token: exchange.header('x-vault-token') || (exchange.bearer ?? ''),
      version,
    });
    exchange.send(said === undefined ? 204 : 200, said);
  } catch (error) {
    if (error instanceof Gone) exchange.send(404, core.wrap(error.data));
    else if (error instanceof VaultError) exchange.send(error.status, { errors: [...error.errors] });
    else throw error;
  }
}

/** The caller may choose other status codes, as probes do. */
function answerHealth({ seal, now }: VaultCore, exchange: Exchange): void {
  const { status, body } = seal.health(now());
  const chosen = exchange.query.get({ 200: 'activecode', 501: 'uninitcode', 503: 'sealedcode' }[status] ?? '');
  exchange.send(chosen === null ? status : Number(chosen), body);
}
