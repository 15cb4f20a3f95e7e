import { isArray, isObject, parseJson, type Json, type JsonObject } from '../../../src/model/json/index.js';
import { matchesGlob } from '../../../src/model/formats/index.js';
import { badRequest, denied, notFound, VaultError } from './vault-error.js';

/** Who a service account's token belongs to, as the cluster says. */
export interface ReviewedToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Asks the cluster at `host` about a token, as Vault does with a TokenReview; undefined where it is not valid there.
 */
export type ReviewToken = (
  host: string,
  token: string,
) => ReviewedToken | undefined | Promise<ReviewedToken | undefined>;

export interface Login extends ReviewedToken {
  readonly role: string;
  readonly policies: readonly string[];
  readonly ttl: number;
}

interface Role {
  readonly names: readonly string[];
  readonly namespaces: readonly string[];
  readonly policies: readonly string[];
  readonly audience: string;
  readonly ttl: number;
}

const DEFAULT_TTL = 2_764_800;

/** The auth method `kubernetes`: tokens of service accounts in, Vault tokens out. */
export class KubernetesAuth {
  #config: JsonObject | undefined;
  readonly #roles = new Map<string, Role>();

  constructor(readonly review: ReviewToken) {}

  configure(body: JsonObject): void {
    if (textOf(body.kubernetes_host) === '') throw badRequest('no host provided');
    this.#config = {
      kubernetes_host: textOf(body.kubernetes_host),
      kubernetes_ca_cert: textOf(body.kubernetes_ca_cert),
      pem_keys: listOf(body.pem_keys),
      issuer: textOf(body.issuer),
      // What is left out goes back to its default: each write is the whole configuration.
      disable_iss_validation: flagOf(body.disable_iss_validation, true),
      disable_local_ca_jwt: flagOf(body.disable_local_ca_jwt, false),
      token_reviewer_jwt_set: textOf(body.token_reviewer_jwt) !== '',
      use_annotations_as_alias_metadata: flagOf(body.use_annotations_as_alias_metadata, false),
    };
  }

  config(): JsonObject {
    if (this.#config === undefined) throw notFound();
    return this.#config;
  }

  setRole(name: string, body: JsonObject): void {
    const [names, namespaces] = [
      listOf(body.bound_service_account_names),
      listOf(body.bound_service_account_namespaces),
    ];
    if (names.length === 0) throw badRequest('"bound_service_account_names" can not be empty');
    if (namespaces.length === 0)
      throw badRequest(
        '"bound_service_account_namespaces" can not be empty if "bound_service_account_namespace_selector" is not set',
      );
    const ttl = Number(textOf(body.token_ttl ?? body.ttl).replace(/s$/, ''));
    this.#roles.set(name, {
      names,
      namespaces,
      policies: listOf(body.token_policies ?? body.policies),
      audience: textOf(body.audience),
      ttl: ttl > 0 ? ttl : DEFAULT_TTL,
    });
  }

  role(name: string): JsonObject {
    const role = this.#roles.get(name);
    if (role === undefined) throw notFound();
    return {
      bound_service_account_names: [...role.names],
      bound_service_account_namespaces: [...role.namespaces],
      token_policies: [...role.policies],
      audience: role.audience,
      token_ttl: role.ttl,
    };
  }

  async login(body: JsonObject): Promise<Login> {
    const [name, token] = [textOf(body.role), textOf(body.jwt)];
    if (name === '') throw badRequest('missing role');
    if (token === '') throw badRequest('missing jwt');
    const role = this.#roles.get(name);
    if (role === undefined) throw badRequest(`invalid role name "${name}"`);
    if (this.#config === undefined) throw new VaultError(500, ['could not load backend configuration']);
    const claims = readClaims(token);
    this.#checkClaims(claims, role);
    const said = accountOf(claims);
    if (!role.names.some((each) => each === '*' || matchesGlob(each, said.name)))
      throw new VaultError(403, ['service account name not authorized']);
    if (!role.namespaces.some((each) => each === '*' || matchesGlob(each, said.namespace)))
      throw new VaultError(403, ['namespace not authorized']);
    const reviewed = await this.review(textOf(this.#config.kubernetes_host), token);
    // The reason stays in Vault's log.
    if (
      reviewed === undefined ||
      reviewed.name !== said.name ||
      reviewed.namespace !== said.namespace ||
      reviewed.uid !== said.uid
    )
      throw denied();
    return { ...said, role: name, policies: [...new Set(['default', ...role.policies])].sort(), ttl: role.ttl };
  }

  #checkClaims(claims: JsonObject, role: Role): void {
    const issuer = textOf(this.#config?.issuer);
    if (this.#config?.disable_iss_validation === false && issuer !== '' && claims.iss !== issuer)
      throw new VaultError(403, ['invalid issuer (iss) claim']);
    const audiences = isArray(claims.aud) ? claims.aud : [claims.aud];
    if (role.audience !== '' && !audiences.includes(role.audience))
      throw new VaultError(403, ['invalid audience (aud) claim: audience claim does not match any expected audience']);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Lists come as such or as text with commas. */
function listOf(value: Json | undefined): string[] {
  const items = isArray(value) ? value.map(textOf) : textOf(value).split(',');
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** `vault write` sends everything as text. */
function flagOf(value: Json | undefined, byDefault: boolean): boolean {
  return value === undefined ? byDefault : value === true || value === 'true' || value === '1';
}

function readClaims(token: string): JsonObject {
  const [header, claims, signature] = token.split('.');
  if (header === undefined || claims === undefined || signature === undefined)
    throw new VaultError(403, ['error parsing token: go-jose/go-jose: compact JWS format must have three parts']);
  try {
    const value = parseJson(Buffer.from(claims, 'base64url').toString());
    return isObject(value) ? value : {};
  } catch {
    // Whoever sends this is told as for any token that does not hold.
    throw denied();
  }
}

/** Bound tokens say it below `kubernetes.io`, those of Secrets in claims of their own. */
export function accountOf(claims: JsonObject): ReviewedToken {
  const bound = claims['kubernetes.io'];
  if (isObject(bound)) {
    const account = isObject(bound.serviceaccount) ? bound.serviceaccount : {};
    return { namespace: textOf(bound.namespace), name: textOf(account.name), uid: textOf(account.uid) };
  }
  return {
    namespace: textOf(claims['kubernetes.io/serviceaccount/namespace']),
    name: textOf(claims['kubernetes.io/serviceaccount/service-account.name']),
    uid: textOf(claims['kubernetes.io/serviceaccount/service-account.uid']),
  };
}

/** Takes a token for what it says. */
export const believeToken: ReviewToken = (_host, token) => accountOf(readClaims(token));
