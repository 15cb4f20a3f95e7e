import { isArray, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { Exchange } from '../http/exchange.js';
import { newSecret, Realm, type Client } from './realm.js';

const error = (exchange: Exchange, status: number, text: string): void => {
  exchange.send(status, { error: text });
};

/** `/admin/realms...`: realms, clients and their secrets. Who may ask was checked before. */
export class AdminApi {
  constructor(
    readonly realms: Map<string, Realm>,
    readonly origin: () => string,
  ) {}

  async answer(exchange: Exchange): Promise<void> {
    const [name, part = '', id, more] = exchange.path.slice('/admin/realms'.length).split('/').slice(1);
    if (name === undefined || name === '') return this.#realms(exchange);
    const realm = this.realms.get(name);
    if (realm === undefined) return error(exchange, 404, 'Realm not found.');
    if (part === '') return exchange.send(200, { id: realm.name, realm: realm.name, enabled: true });
    if (part === 'keys') return exchange.send(200, { keys: realm.keys.jwks().keys ?? [] });
    if (part !== 'clients') return error(exchange, 404, 'HTTP 404 Not Found');
    if (id === undefined || id === '') return this.#clients(exchange, realm);
    const client = realm.clients.get(id);
    if (client === undefined) return error(exchange, 404, 'Could not find client');
    return more === 'client-secret' ? answerSecret(exchange, client) : answerClient(exchange, realm, client);
  }

  async #realms(exchange: Exchange): Promise<void> {
    if (exchange.method !== 'POST')
      return exchange.send(
        200,
        [...this.realms.values()].map(({ name }) => ({ id: name, realm: name, enabled: true })),
      );
    const { realm: name } = (await exchange.json()) ?? {};
    if (typeof name !== 'string' || name === '') return error(exchange, 400, 'Realm name cannot be empty');
    if (this.realms.has(name)) return exchange.send(409, { errorMessage: `Conflict detected. See logs for details` });
    this.realms.set(name, new Realm({ realm: name }));
    exchange.send(201, undefined, { location: `${this.origin()}/admin/realms/${name}` });
  }

  async #clients(exchange: Exchange, realm: Realm): Promise<void> {
    if (exchange.method !== 'POST') {
      const wanted = exchange.query.get('clientId');
      return exchange.send(
        200,
        [...realm.clients.values()].filter(({ clientId }) => wanted === null || clientId === wanted).map(describe),
      );
    }
    const body = (await exchange.json()) ?? {};
    const clientId = body.clientId;
    if (typeof clientId !== 'string' || clientId === '') return error(exchange, 400, 'clientId missing');
    if (realm.clientById(clientId) !== undefined)
      return exchange.send(409, { errorMessage: `Client ${clientId} already exists` });
    const { id } = realm.addClient({
      clientId,
      redirectUris: textsOf(body.redirectUris),
      isPublic: body.publicClient === true,
      ...(typeof body.secret === 'string' ? { secret: body.secret } : {}),
    });
    exchange.send(201, undefined, { location: `${this.origin()}/admin/realms/${realm.name}/clients/${id}` });
  }
}

function answerSecret(exchange: Exchange, client: Client): void {
  if (exchange.method === 'POST') client.secret = newSecret();
  exchange.send(200, { type: 'secret', value: client.secret });
}

async function answerClient(exchange: Exchange, realm: Realm, client: Client): Promise<void> {
  if (exchange.method === 'DELETE') {
    realm.clients.delete(client.id);
    return exchange.send(204);
  }
  if (exchange.method !== 'PUT') return exchange.send(200, describe(client));
  const body = (await exchange.json()) ?? {};
  realm.clients.set(client.id, {
    ...client,
    ...(typeof body.secret === 'string' ? { secret: body.secret } : {}),
    ...(isArray(body.redirectUris) ? { redirectUris: textsOf(body.redirectUris) } : {}),
  });
  return exchange.send(204);
}

function describe({ id, clientId, redirectUris, isPublic, secret }: Client): JsonObject {
  return {
    id,
    clientId,
    enabled: true,
    protocol: 'openid-connect',
    publicClient: isPublic,
    clientAuthenticatorType: 'client-secret',
    ...(isPublic ? {} : { secret }),
    redirectUris: [...redirectUris],
    standardFlowEnabled: true,
    directAccessGrantsEnabled: true,
  };
}

function textsOf(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
