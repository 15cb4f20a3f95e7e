import type { Exchange } from '../http/exchange.js';
import { startDouble, type Double, type DoubleOptions } from '../http/start-double.js';
import { AdminApi } from './admin-api.js';
import { OidcProvider } from './oidc-provider.js';
import { Realm, type KeycloakRealm, type Session } from './realm.js';

export interface KeycloakOptions extends DoubleOptions {
  readonly now?: () => Date;
  /** Of the realm `master`. */
  readonly admin: { readonly username: string; readonly password: string };
  readonly realms?: readonly KeycloakRealm[];
}

export interface Keycloak extends Double {
  /** Where the OIDC provider of a realm is. */
  issuer(realm: string): string;
  /** A new key signs; unless the old ones are kept, what they signed no longer holds. */
  rotateKeys(realm: string, options?: { readonly keepOld?: boolean }): void;
  changeGroups(realm: string, username: string, groups: readonly string[]): void;
  /** An administrator signs a user out everywhere. */
  endSessions(realm: string, username: string): void;
}

/** Keycloak: each realm an OIDC provider, and the admin API over them. */
export async function startKeycloak({
  now = () => new Date(),
  admin,
  realms = [],
  ...options
}: KeycloakOptions): Promise<Keycloak> {
  const known = new Map<string, Realm>([
    ['master', new Realm({ realm: 'master', users: [admin], clients: [{ clientId: 'admin-cli', isPublic: true }] })],
  ]);
  for (const realm of realms) known.set(realm.realm, new Realm(realm));
  const state = { origin: '' };
  const provider = (realm: Realm): OidcProvider => new OidcProvider(realm, `${state.origin}/realms/${realm.name}`, now);
  const api = new AdminApi(known, () => state.origin);
  const double = await startDouble(async (exchange) => {
    if (/^\/admin\/realms(\/|$)/.test(exchange.path)) {
      if (isAdmin(exchange, known, provider)) await api.answer(exchange);
      return;
    }
    const [, name = '', part = ''] = /^\/realms\/([^/]+)(\/.*)?$/.exec(exchange.path) ?? [];
    const realm = known.get(name);
    if (realm === undefined) exchange.send(404, { error: name === '' ? 'HTTP 404 Not Found' : 'Realm does not exist' });
    else if (!(await provider(realm).answer(part, exchange))) exchange.send(404, { error: 'HTTP 404 Not Found' });
  }, options);
  state.origin = double.url;
  return {
    ...double,
    issuer: (realm) => `${double.url}/realms/${realm}`,
    rotateKeys: (realm, { keepOld = false } = {}) => {
      known.get(realm)?.keys.rotate(keepOld);
    },
    changeGroups: (realm, username, groups) => {
      const user = known.get(realm)?.users.get(username);
      if (user !== undefined) user.groups = groups;
    },
    endSessions: (realm, username) => {
      const sessions = known.get(realm)?.sessions ?? new Map<string, Session>();
      for (const { id, user } of sessions.values()) if (user.username === username) sessions.delete(id);
    },
  };
}

/** The admin API opens for tokens of `master`; those of other realms are good tokens without that right. */
function isAdmin(
  exchange: Exchange,
  realms: ReadonlyMap<string, Realm>,
  provider: (realm: Realm) => OidcProvider,
): boolean {
  if (exchange.bearer === undefined) {
    exchange.send(401, { error: 'HTTP 401 Unauthorized' });
    return false;
  }
  for (const realm of realms.values()) {
    if (provider(realm).sessionOf(exchange.bearer) === undefined) continue;
    if (realm.name === 'master') return true;
    exchange.send(403, { error: 'HTTP 403 Forbidden' });
    return false;
  }
  exchange.send(401, { error: 'HTTP 401 Unauthorized' });
  return false;
}
