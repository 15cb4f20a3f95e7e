import { randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/model/json/index.js';
import { SigningKeys } from './signing-keys.js';

export interface KeycloakUser {
  /** The `sub` of its tokens; made by chance unless given. */
  readonly id?: string;
  readonly username: string;
  readonly password: string;
  readonly email?: string;
  readonly groups?: readonly string[];
}

export interface KeycloakClient {
  readonly clientId: string;
  /** Made by chance unless given. */
  readonly secret?: string;
  /** May end in `*`. */
  readonly redirectUris?: readonly string[];
  readonly isPublic?: boolean;
}

export interface KeycloakRealm {
  readonly realm: string;
  readonly clients?: readonly KeycloakClient[];
  readonly users?: readonly KeycloakUser[];
  /** Scopes beside the built-in ones; `groups` unless given. */
  readonly scopes?: readonly string[];
  /** Groups are told by the user info alone, not by tokens. */
  readonly groupsInUserInfoOnly?: boolean;
  /** A refresh token is taken once; a second time ends the session, as it may have been stolen. */
  readonly revokesRefreshTokens?: boolean;
}

export interface Client {
  readonly id: string;
  readonly clientId: string;
  secret: string;
  readonly redirectUris: readonly string[];
  readonly isPublic: boolean;
}

export interface User {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly email: string;
  groups: readonly string[];
}

/** Somebody who logged in for a client. */
export interface Session {
  readonly id: string;
  readonly user: User;
  readonly client: Client;
  readonly scope: string;
  readonly nonce: string;
  /** The refresh token that counts, where each is taken once. */
  refreshId: string;
}

/** What was asked for before the user logged in. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly scope: string;
  readonly state: string | null;
  readonly nonce: string;
  readonly challenge: string;
  readonly challengeMethod: string;
}

const BUILT_IN_SCOPES = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'roles',
  'web-origins',
  'microprofile-jwt',
  'acr',
  'basic',
];

/** A realm: its clients, users, keys, and who is logging in. */
export class Realm {
  readonly name: string;
  readonly keys = new SigningKeys();
  readonly clients = new Map<string, Client>();
  readonly users = new Map<string, User>();
  readonly sessions = new Map<string, Session>();
  /** Login pages that are open. */
  readonly logins = new Map<string, AuthorizationRequest>();
  /** Codes that were given out, each good for one exchange. */
  readonly codes = new Map<
    string,
    { readonly request: AuthorizationRequest; readonly session: Session; readonly until: number }
  >();
  readonly groupsInUserInfoOnly: boolean;
  readonly revokesRefreshTokens: boolean;
  readonly #scopes: ReadonlySet<string>;

  constructor({
    realm,
    clients = [],
    users = [],
    scopes = ['groups'],
    groupsInUserInfoOnly = false,
    revokesRefreshTokens = false,
  }: KeycloakRealm) {
    this.name = realm;
    this.groupsInUserInfoOnly = groupsInUserInfoOnly;
    this.revokesRefreshTokens = revokesRefreshTokens;
    this.#scopes = new Set([...BUILT_IN_SCOPES, ...scopes]);
    for (const client of clients) this.addClient(client);
    for (const { id = randomUUID(), username, password, email = `${username}@example.com`, groups = [] } of users)
      this.users.set(username, { id, username, password, email, groups });
  }

  addClient({ clientId, secret = newSecret(), redirectUris = [], isPublic = false }: KeycloakClient): Client {
    const client = { id: randomUUID(), clientId, secret, redirectUris, isPublic };
    this.clients.set(client.id, client);
    return client;
  }

  clientById(clientId: string): Client | undefined {
    return [...this.clients.values()].find((client) => client.clientId === clientId);
  }

  userWith(username: string, password: string): User | undefined {
    const user = this.users.get(username);
    return user?.password === password ? user : undefined;
  }

  openSession(user: User, client: Client, scope: string, nonce = ''): Session {
    const session = { id: randomUUID(), user, client, scope, nonce, refreshId: '' };
    this.sessions.set(session.id, session);
    return session;
  }

  knowsScopes(scope: string): boolean {
    return scope.split(' ').every((each) => each === '' || this.#scopes.has(each));
  }
}

export function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** What the scopes of a session let others know of its user. */
export function userClaims({ user, scope }: Session): JsonObject {
  const scopes = scope.split(' ');
  return {
    ...(scopes.includes('profile') ? { preferred_username: user.username, name: user.username } : {}),
    ...(scopes.includes('email') ? { email: user.email, email_verified: true } : {}),
    ...(scopes.includes('groups') ? { groups: [...user.groups] } : {}),
  };
}
