import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError, PlainTextError } from '../errors/index.js';
import { decide, type RbacSource } from './rbac.js';
import type { ServiceAccountTokens } from './service-account-tokens.js';
import { ANONYMOUS, type AccessAttributes, type User } from './user.js';

/** Authentication by client certificate or service-account token, authorisation by RBAC. */
export class AccessControl {
  /** Certificates are read once per connection. */
  readonly #certificates = new WeakMap<TLSSocket, User | 'none'>();

  constructor(
    readonly rbac: RbacSource,
    readonly tokens: ServiceAccountTokens,
  ) {}

  /** Undefined: credentials were given and are wrong. */
  authenticate(request: IncomingMessage): User | undefined {
    const header = request.headers.authorization ?? '';
    if (header !== '') {
      const [scheme = '', token = ''] = header.split(' ');
      // Other schemes are nobody's business here, as in the real server: such a client is anonymous.
      if (scheme.toLowerCase() === 'bearer') return this.tokens.check(token)?.user;
    }
    return this.#certificateUser(request) ?? ANONYMOUS;
  }

  #certificateUser({ socket }: IncomingMessage): User | undefined {
    if (!(socket instanceof TLSSocket)) return undefined;
    let known = this.#certificates.get(socket);
    if (known === undefined) this.#certificates.set(socket, (known = readCertificate(socket) ?? 'none'));
    return known === 'none' ? undefined : known;
  }

  authorize(user: User, asked: AccessAttributes): { allowed: boolean; reason: string } {
    return decide(this.rbac, user, asked);
  }

  impersonate(user: User, { headers, url }: IncomingMessage): User {
    const name = first(headers['impersonate-user']);
    const groups = all(headers['impersonate-group']);
    if (name === '') {
      if (groups.length === 0) return user;
      const asked = groups.map((group) => `{Group  ${group}    }`).join(' ');
      throw new PlainTextError(
        500,
        `Internal Server Error: ${JSON.stringify(url)}: requested [${asked}] without impersonating a user`,
      );
    }
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
    if (account) this.#mayImpersonate(user, 'serviceaccounts', account[2] ?? '', account[1] ?? '');
    else this.#mayImpersonate(user, 'users', name, '');
    for (const group of groups) this.#mayImpersonate(user, 'groups', group, '');
    const implied = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`] : [];
    const uid = first(headers['impersonate-uid']);
    if (uid !== '') this.#mayImpersonate(user, 'uids', uid, '');
    const extra = readExtra(headers);
    for (const [key, values] of Object.entries(extra))
      for (const value of values) this.#mayImpersonate(user, `userextras/${key}`, value, '');
    return {
      name,
      groups: [...new Set([...(groups.length > 0 ? groups : implied), 'system:authenticated'])],
      ...(uid === '' ? {} : { uid }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  }

  #mayImpersonate(user: User, resource: string, name: string, namespace: string): void {
    const asked = { verb: 'impersonate', group: '', version: '', resource, subresource: '', namespace, name };
    if (this.authorize(user, asked).allowed) return;
    const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
    throw new ApiError(
      403,
      'Forbidden',
      `${resource} ${JSON.stringify(name)} is forbidden: User ${JSON.stringify(user.name)} cannot ` +
        `impersonate resource ${JSON.stringify(resource)} in API group "" ${scope}`,
      { name, kind: resource },
    );
  }
}

function readCertificate(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate() as { subject?: { CN?: string | string[]; O?: string | string[] } };
  const name = first(subject?.CN);
  return name === '' ? undefined : { name, groups: [...all(subject?.O), 'system:authenticated'] };
}

/** `Impersonate-Extra-scopes: view`; keys are percent-encoded and case does not matter. */
function readExtra(headers: IncomingMessage['headers']): Record<string, string[]> {
  const start = 'impersonate-extra-';
  const names = Object.keys(headers).filter((name) => name.startsWith(start));
  return Object.fromEntries(names.map((name) => [decodeURIComponent(name.slice(start.length)), all(headers[name])]));
}

function all(value: string | string[] | undefined): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : value.split(/,\s*/);
}

function first(value: string | string[] | undefined): string {
  return Array.isArray(value) ? (value[0] ?? '') : (value ?? '');
}
