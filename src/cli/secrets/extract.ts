import { readFile } from 'node:fs/promises';
import { isArray, isObject, own, parseJson, type Json, type JsonObject } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { Fault } from '../../model/faults/index.js';
import { requestOnce, ResponseTooLarge, type HttpRequest, type WholeResponse } from '../../net/http/index.js';

export interface ExtractFlags {
  /** Values with `clientPatcher.secretExtraction.clients`. */
  readonly values: string;
  readonly keycloak: string;
  readonly realm: string;
  readonly vault: string;
  readonly mount: string;
}

interface ClientRequest {
  readonly clientId: string;
  readonly vaultKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The key under which the value stands in Vault, where ExternalSecrets look for it. */
const PROPERTY = 'value';
const TIMEOUT = 15_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Reads the secrets that Keycloak generated for its clients and puts them into Vault. Tells clients and keys, never a
 * value.
 */
export async function extractSecrets(
  flags: ExtractFlags,
  environment: Environment,
  tell: (line: string) => void,
): Promise<void> {
  const clients = readClientRequests(await readText(flags.values), flags.values);
  const keycloak = new Keycloak(address(flags.keycloak, '--keycloak'), flags.realm);
  await keycloak.login(
    await secretOf(environment, 'KEYCLOAK_ADMIN_USER'),
    await secretOf(environment, 'KEYCLOAK_ADMIN_PASSWORD'),
  );
  const vault = new Vault(address(flags.vault, '--vault'), flags.mount, await secretOf(environment, 'VAULT_TOKEN'));
  for (const { clientId, vaultKey } of clients) {
    const secret = await keycloak.secretOf(clientId);
    const isNew = await vault.write(vaultKey, secret);
    tell(`client ${clientId}: ${flags.mount}/${vaultKey} ${isNew ? 'written' : 'unchanged'}`);
  }
}

function readClientRequests(text: string, file: string): ClientRequest[] {
  const value = readOneYaml(text, { dialect: 'kubernetes', file });
  const patcher = isObject(value) && isObject(value.clientPatcher) ? value.clientPatcher : {};
  const clients = isObject(patcher.secretExtraction) ? patcher.secretExtraction.clients : undefined;
  const list = isArray(clients) ? clients.filter(isObject) : [];
  if (list.length === 0)
    throw new Fault(
      'VALUE_INVALID',
      'clientPatcher.secretExtraction.clients names no client: list clients with clientId and vaultKey',
      { where: file },
    );
  return list.map(({ clientId, vaultKey }, index) => {
    if (
      typeof clientId !== 'string' ||
      clientId === '' ||
      typeof vaultKey !== 'string' ||
      !/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(vaultKey) ||
      vaultKey.includes('..')
    ) {
      throw new Fault(
        'VALUE_INVALID',
        `clients[${index}] must have clientId and vaultKey, a path such as argocd-dex-client-secret`,
        { where: file },
      );
    }
    return { clientId, vaultKey };
  });
}

/** From `NAME`, or from the file that `NAME_FILE` names: a mounted Secret. */
async function secretOf(environment: Environment, name: string): Promise<string> {
  const file = environment[`${name}_FILE`];
  const value = file === undefined ? environment[name] : (await readText(file)).replace(/\r?\n$/, '');
  if (value === undefined || value === '')
    throw new Fault('VALUE_INVALID', `${name} is not set: set it, or ${name}_FILE to a file that has it`, {
      where: 'environment',
    });
  return value;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Fault('FILE_UNREADABLE', 'the file cannot be read', { where: file, cause });
  }
}

function address(text: string, flag: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new Fault('VALUE_INVALID', `"${text}" is not an https:// or http:// URL`, { where: flag });
  return text.replace(/\/$/, '');
}

class Keycloak {
  #token = '';

  constructor(
    readonly url: string,
    readonly realm: string,
  ) {}

  async login(username: string, password: string): Promise<void> {
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username, password });
    const answer = await call(
      `${this.url}/realms/master/protocol/openid-connect/token`,
      { method: 'POST', headers: { 'content-type': FORM }, body: body.toString() },
      'Keycloak',
    );
    if (answer.status !== 200 || typeof answer.body.access_token !== 'string')
      throw responseFault('Keycloak does not let the administrator in', this.url, answer);
    this.#token = answer.body.access_token;
  }

  async secretOf(clientId: string): Promise<string> {
    const found = await this.#get(`/clients?clientId=${encodeURIComponent(clientId)}`);
    const client = isArray(found.list)
      ? found.list.filter(isObject).find((each) => each.clientId === clientId)
      : undefined;
    if (typeof client?.id !== 'string')
      throw new Fault(
        'VALUE_INVALID',
        `realm ${this.realm} has no client ${clientId}: import the realm first, or correct clientId`,
        { where: this.url },
      );
    if (client.publicClient === true)
      throw new Fault('VALUE_INVALID', `client ${clientId} is public and has no secret`, { where: this.url });
    const { value } = (await this.#get(`/clients/${encodeURIComponent(client.id)}/client-secret`)).body;
    if (typeof value !== 'string' || value === '')
      throw new Fault('VALUE_INVALID', `client ${clientId} has no secret: let Keycloak generate one`, {
        where: this.url,
      });
    return value;
  }

  async #get(path: string): Promise<HttpResult> {
    const answer = await call(
      `${this.url}/admin/realms/${encodeURIComponent(this.realm)}${path}`,
      { method: 'GET', headers: { authorization: `Bearer ${this.#token}` } },
      'Keycloak',
    );
    if (answer.status !== 200) throw responseFault(`Keycloak refuses to show realm ${this.realm}`, this.url, answer);
    return answer;
  }
}

class Vault {
  constructor(
    readonly url: string,
    readonly mount: string,
    readonly token: string,
  ) {}

  /** Whether something was written: a new version of the same is none. */
  async write(key: string, value: string): Promise<boolean> {
    const path = `${this.url}/v1/${this.mount}/data/${key}`;
    const headers = { 'x-vault-token': this.token };
    const before = await call(path, { method: 'GET', headers }, 'Vault');
    if (before.status !== 200 && before.status !== 404)
      throw responseFault('Vault refuses to show what it has', this.url, before);
    const known = isObject(before.body.data) && isObject(before.body.data.data) ? before.body.data.data : {};
    if (own(known, PROPERTY) === value) return false;
    const answer = await call(
      path,
      {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { ...known, [PROPERTY]: value } }),
      },
      'Vault',
    );
    if (answer.status !== 200 && answer.status !== 204)
      throw responseFault('Vault does not take the secret', this.url, answer);
    return true;
  }
}

interface HttpResult {
  readonly status: number;
  readonly body: JsonObject;
  readonly list: Json;
}

async function call(url: string, request: Omit<HttpRequest, 'origin' | 'path'>, who: string): Promise<HttpResult> {
  let response: WholeResponse;
  try {
    response = await requestOnce(url, request, {
      within: TIMEOUT,
      maxBytes: MAX_RESPONSE_BYTES,
      refusesRedirects: true,
    });
  } catch (cause) {
    const message =
      cause instanceof ResponseTooLarge
        ? `${who} answered with more than ${cause.maxBytes} bytes`
        : `${who} does not answer`;
    throw new Fault('SOURCE_UNREACHABLE', message, { where: new URL(url).origin, cause });
  }
  const value = readJson(response.body.toString());
  return { status: response.status, body: isObject(value) ? value : {}, list: value };
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // Proxies answer in HTML; the status says enough.
    return null;
  }
}

/** What they say of why; it never has a value of ours. */
function responseFault(what: string, where: string, { status, body }: HttpResult): Fault {
  const errors = isArray(body.errors)
    ? body.errors.map(String)
    : [body.error_description, body.error].filter((each) => typeof each === 'string');
  return new Fault(
    'CREDENTIALS_REFUSED',
    `${what} (${status}${errors.length === 0 ? '' : `: ${errors.join('; ').slice(0, 300)}`})`,
    { where },
  );
}
