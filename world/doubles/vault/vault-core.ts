import { randomBytes, randomUUID } from 'node:crypto';
import { isArray, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { KeyValues } from './key-values.js';
import { KubernetesAuth, type Login, type ReviewToken } from './kubernetes-auth.js';
import { isAllowed, parsePolicy, type Capability } from './policy.js';
import { Seal } from './seal.js';
import { badRequest, invalidToken, denied, notAllowed, notFound, noRoute, sealed, wrongMethod } from './vault-error.js';

export interface VaultRequest {
  readonly method: string;
  /** Without `/v1/`. */
  readonly path: string;
  readonly body: JsonObject;
  readonly token: string;
  readonly version: number;
}

interface Token {
  readonly policies: readonly string[];
  readonly accessor: string;
  readonly login?: Login;
}

type Route = (request: VaultRequest, rest: string) => JsonObject | undefined | Promise<JsonObject | undefined>;

const CAPABILITIES: Readonly<Record<string, Capability>> = {
  GET: 'read',
  LIST: 'list',
  POST: 'update',
  DELETE: 'delete',
};
const MOUNT = 'secret';

/** The whole of a Vault but for HTTP. */
export class VaultCore {
  readonly seal: Seal;
  readonly #auth: KubernetesAuth;
  readonly #values: KeyValues;
  readonly #tokens = new Map<string, Token>();
  readonly #policies = new Map<string, string>();
  /** Longest first; what stands behind the prefix is handed on. */
  readonly #routes: readonly (readonly [string, Route])[];

  constructor(
    readonly now: () => Date,
    autoUnseal: boolean,
    review: ReviewToken,
  ) {
    this.seal = new Seal(autoUnseal);
    this.#auth = new KubernetesAuth(review);
    this.#values = new KeyValues(now);
    this.#routes = [
      ['sys/seal', ({ method }) => this.#close(method)],
      ['sys/policies/acl/', (request, name) => this.#policy(request, name)],
      ['sys/internal/ui/mounts/', () => this.wrap({ ...MOUNTS[`${MOUNT}/`], path: `${MOUNT}/` })],
      ['sys/mounts/', ({ method }) => (method === 'POST' ? undefined : this.wrap(MOUNTS[`${MOUNT}/`] ?? {}))],
      ['sys/mounts', () => this.wrap({ ...MOUNTS })],
      ['sys/auth/', ({ method }) => (method === 'POST' ? undefined : this.wrap({ type: 'kubernetes' }))],
      ['auth/kubernetes/config', (request) => this.#authConfig(request)],
      ['auth/kubernetes/role/', (request, name) => this.#authRole(request, name)],
      ['auth/token/lookup-self', ({ token }) => this.#lookUp(token)],
      [`${MOUNT}/data/`, (request, path) => this.#data(request, path)],
      [`${MOUNT}/metadata/`, (request, path) => this.#metadata(request, path)],
      [
        `${MOUNT}/delete/`,
        ({ body }, path) => {
          this.#values.hide(path, versionsOf(body));
          return undefined;
        },
      ],
      [
        `${MOUNT}/undelete/`,
        ({ body }, path) => {
          this.#values.unhide(path, versionsOf(body));
          return undefined;
        },
      ],
      [
        `${MOUNT}/destroy/`,
        ({ body }, path) => {
          this.#values.destroy(path, versionsOf(body));
          return undefined;
        },
      ],
    ];
  }

  /** The body of a success; undefined for one without. */
  async answer(request: VaultRequest): Promise<JsonObject | undefined> {
    const { method, path, body } = request;
    if (path === 'sys/init') return this.#initialise(method, body);
    if (path === 'sys/seal-status') return this.seal.status();
    if (path === 'sys/unseal') return this.#unseal(method, body);
    if (this.seal.isSealed) throw sealed();
    if (path === 'auth/kubernetes/login') return this.#login(method, body);
    const found = this.#routes.find(([prefix]) =>
      prefix.endsWith('/') ? path.startsWith(prefix) || `${path}/` === prefix : path === prefix,
    );
    this.#authorise(request);
    if (found === undefined) throw noRoute(path);
    return found[1](request, path.slice(found[0].length));
  }

  /** Data as every path of the logical layer gives them. */
  wrap(data: JsonObject | null, auth: JsonObject | null = null): JsonObject {
    return {
      request_id: randomUUID(),
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data,
      wrap_info: null,
      warnings: null,
      auth,
      mount_type: auth === null ? 'kv' : 'kubernetes',
    };
  }

  #initialise(method: string, body: JsonObject): JsonObject {
    if (method !== 'POST') return { initialized: this.seal.isInitialised };
    const keys = this.seal.initialise(
      Number(body.secret_shares ?? body.recovery_shares ?? 0),
      Number(body.secret_threshold ?? body.recovery_threshold ?? 0),
    );
    const root = `hvs.${randomBytes(18).toString('base64url')}`;
    this.#tokens.set(root, { policies: ['root'], accessor: randomUUID() });
    const encoded = { keys: [...keys], keys_base64: keys.map((key) => Buffer.from(key, 'hex').toString('base64')) };
    return {
      ...(this.seal.autoUnseal
        ? { keys: [], keys_base64: [], recovery_keys: encoded.keys, recovery_keys_base64: encoded.keys_base64 }
        : encoded),
      root_token: root,
    };
  }

  #unseal(method: string, body: JsonObject): JsonObject {
    if (method !== 'POST') throw wrongMethod();
    if (body.reset === true) this.seal.reset();
    else if (typeof body.key !== 'string' || body.key === '')
      throw badRequest("'key' must be specified in request body as JSON, or 'reset' set to true");
    else this.seal.unseal(body.key);
    return this.seal.status();
  }

  #close(method: string): undefined {
    if (method !== 'POST') throw wrongMethod();
    this.seal.seal();
    return undefined;
  }

  #authorise({ token, method, path }: VaultRequest): void {
    if (token === '') throw denied();
    const known = this.#tokens.get(token);
    if (known === undefined) throw invalidToken();
    if (
      known.policies.includes('root') ||
      path.startsWith('auth/token/lookup-self') ||
      path.startsWith('sys/internal/ui/mounts/')
    )
      return;
    const rules = known.policies.flatMap((name) => parsePolicy(this.#policies.get(name) ?? ''));
    const capability = CAPABILITIES[method] ?? 'read';
    if (!isAllowed(rules, path, capability) && !(capability === 'update' && isAllowed(rules, path, 'create')))
      throw notAllowed();
  }

  async #login(method: string, body: JsonObject): Promise<JsonObject> {
    if (method !== 'POST') throw wrongMethod();
    const login = await this.#auth.login(body);
    const token = `hvs.${randomBytes(66).toString('base64url')}`;
    const accessor = randomUUID();
    this.#tokens.set(token, { policies: login.policies, accessor, login });
    const metadata = {
      role: login.role,
      service_account_name: login.name,
      service_account_namespace: login.namespace,
      service_account_secret_name: '',
      service_account_uid: login.uid,
    };
    return this.wrap(null, {
      client_token: token,
      accessor,
      policies: [...login.policies],
      token_policies: [...login.policies],
      metadata,
      lease_duration: login.ttl,
      renewable: true,
      entity_id: login.uid,
      token_type: 'service',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    });
  }

  #lookUp(token: string): JsonObject {
    const { policies = [], accessor = '', login } = this.#tokens.get(token) ?? {};
    return this.wrap({
      accessor,
      display_name: login === undefined ? 'root' : `kubernetes-${login.namespace}-${login.name}`,
      id: token,
      num_uses: 0,
      orphan: true,
      path: login === undefined ? 'auth/token/root' : 'auth/kubernetes/login',
      policies: [...policies],
      ttl: login?.ttl ?? 0,
      renewable: login !== undefined,
      type: 'service',
      expire_time: null,
    });
  }

  #policy({ method, body }: VaultRequest, name: string): JsonObject | undefined {
    if (method === 'POST') this.#policies.set(name, typeof body.policy === 'string' ? body.policy : '');
    else if (method === 'DELETE') this.#policies.delete(name);
    else {
      const policy = this.#policies.get(name);
      if (policy === undefined) throw notFound();
      return this.wrap({ name, policy });
    }
    return undefined;
  }

  #authConfig({ method, body }: VaultRequest): JsonObject | undefined {
    if (method !== 'POST') return this.wrap(this.#auth.config());
    this.#auth.configure(body);
    return undefined;
  }

  #authRole({ method, body }: VaultRequest, name: string): JsonObject | undefined {
    if (method !== 'POST') return this.wrap(this.#auth.role(name));
    this.#auth.setRole(name, body);
    return undefined;
  }

  #data({ method, body, version }: VaultRequest, path: string): JsonObject | undefined {
    if (method === 'GET') return this.wrap(this.#values.read(path, version));
    if (method === 'POST') return this.wrap(this.#values.write(path, body));
    if (method !== 'DELETE') throw wrongMethod();
    this.#values.hide(path);
    return undefined;
  }

  #metadata({ method, body }: VaultRequest, path: string): JsonObject | undefined {
    if (method === 'LIST') return this.wrap({ keys: this.#values.list(path) });
    if (method === 'GET') return this.wrap(this.#values.metadata(path));
    if (method === 'POST') this.#values.setMetadata(path, body);
    else this.#values.forget(path);
    return undefined;
  }
}

const MOUNTS: Readonly<Record<string, JsonObject>> = {
  [`${MOUNT}/`]: {
    type: 'kv',
    description: 'key/value secret storage',
    options: { version: '2' },
    local: false,
    seal_wrap: false,
    uuid: 'f2cbb2f2-6a0f-4c4d-8c3c-4d7a8e4a2a10',
  },
};

function versionsOf({ versions }: JsonObject): number[] {
  if (!isArray(versions) || versions.length === 0) throw badRequest('No version number provided');
  return versions.map((version: Json) => Number(version));
}
