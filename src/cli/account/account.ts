import { Fault } from '../../model/faults/index.js';
import { formatTime, instantOf, parseDuration } from '../../model/formats/index.js';
import {
  isArray,
  isObject,
  objectsAt,
  own,
  textAt,
  textsAt,
  type Json,
  type JsonObject,
} from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import { type CliHost, promptPerson, readSecrets } from '../host/index.js';
import { ApiClient, Contexts } from '../api-client/index.js';
import { prettyJson, formatTable } from '../output/index.js';

export interface AccountFlags {
  /** The context; the current one unless told. */
  readonly server?: string;
  readonly account?: string;
  readonly output?: string;
}

/** Asks the server of a context; whatever happens, the connection is closed. */
async function withServer<T>({ server }: AccountFlags, host: CliHost, act: (api: ApiClient) => Promise<T>): Promise<T> {
  const context = new Contexts(host.environment).need(server);
  const api = new ApiClient(context);
  try {
    return await act(api);
  } finally {
    await api.close();
  }
}

async function accountName(api: ApiClient, { account }: AccountFlags): Promise<string> {
  if (account !== undefined) return account;
  const name = own(await api.get('/api/v1/session/userinfo'), 'username');
  if (typeof name !== 'string') throw new Fault('LOGIN_NEEDED', 'the session has expired', { where: 'the server' });
  return name;
}

const pathOf = (name: string): string => `/api/v1/account/${encodeURIComponent(name)}`;

export function listAccounts(flags: AccountFlags, host: CliHost): Promise<string> {
  return withServer(flags, host, async (api) => {
    const items = objectsAt(await api.get('/api/v1/account'), 'items');
    if (flags.output !== 'table') return formatOutput(items, flags.output, (item) => textAt(item, 'name'));
    return formatTable(
      ['NAME', 'ENABLED', 'CAPABILITIES'],
      items.map((item) => [
        textAt(item, 'name'),
        String(own(item, 'enabled') === true),
        textsAt(item, 'capabilities').join(', '),
      ]),
    );
  });
}

export function getAccount(flags: AccountFlags, host: CliHost): Promise<string> {
  return withServer(flags, host, async (api) => {
    const account = await api.get(pathOf(await accountName(api, flags)));
    if (flags.output !== 'table') return formatOutput(account, flags.output, (item) => textAt(item, 'name'));
    const tokens = objectsAt(account, 'tokens').map((token) => [
      textAt(token, 'id'),
      timeAt(token, 'issuedAt'),
      own(token, 'expiresAt') === undefined ? 'never' : timeAt(token, 'expiresAt'),
    ]);
    const head = [
      ['Name:', textAt(account, 'name')],
      ['Enabled:', String(own(account, 'enabled') === true)],
      ['Capabilities:', textsAt(account, 'capabilities').join(', ')],
    ].map(([key = '', value = '']) => `${key.padEnd(20)}${value}`.trimEnd());
    const tokenTable = tokens.length === 0 ? 'NONE\n' : formatTable(['ID', 'ISSUED AT', 'EXPIRING AT'], tokens);
    return `${head.join('\n')}\n\nTokens:\n${tokenTable}`;
  });
}

export function canI(
  [action, resource, object]: readonly [string, string, string],
  flags: AccountFlags,
  host: CliHost,
): Promise<string> {
  const path = [resource, action, ...object.split('/')].map(encodeURIComponent).join('/');
  return withServer(flags, host, async (api) => `${textAt(await api.get(`/api/v1/account/can-i/${path}`), 'value')}\n`);
}

export function userInfo(flags: AccountFlags, host: CliHost): Promise<string> {
  return withServer(flags, host, async (api) => {
    const info = await api.get('/api/v1/session/userinfo');
    if (flags.output !== 'table') return formatOutput(info, flags.output, (item) => textAt(item, 'username'));
    const isLoggedIn = own(info, 'loggedIn') === true;
    if (!isLoggedIn) return 'Logged In: false\n';
    const groups = textsAt(info, 'groups').join(',');
    const user = `Username: ${textAt(info, 'username')}\nIssuer: ${textAt(info, 'iss')}\nGroups: ${groups}\n`;
    return `Logged In: true\n${user}`;
  });
}

export interface PasswordFlags extends AccountFlags {
  readonly passwordStdin?: boolean;
}

/** Sessions of before end, so the caller logs in again. */
export function updatePassword(flags: PasswordFlags, host: CliHost): Promise<string> {
  return withServer(flags, host, async (api) => {
    const name = await accountName(api, flags);
    const [currentPassword = '', newPassword = ''] =
      flags.passwordStdin === true ? readSecrets(2) : await promptPasswords();
    await api.send('PUT', '/api/v1/account/password', { name: flags.account ?? '', currentPassword, newPassword });
    const nextStep = name === flags.account ? '' : 'Earlier sessions have ended: log in again with argosy login\n';
    return `Password updated\n${nextStep}`;
  });
}

async function promptPasswords(): Promise<[string, string]> {
  const current = await promptPerson('Your current password', true);
  const next = await promptPerson('New password', true);
  if (next !== (await promptPerson('Repeat the new password', true)))
    throw new Fault('VALUE_INVALID', 'the passwords do not match', { where: 'the terminal' });
  return [current, next];
}

export interface TokenFlags extends AccountFlags {
  readonly id?: string;
  readonly expiresIn: string;
}

export function generateToken(flags: TokenFlags, host: CliHost): Promise<string> {
  const seconds = secondsOf(flags.expiresIn);
  const request = { expiresIn: seconds, ...(flags.id === undefined ? {} : { id: flags.id }) };
  return withServer(flags, host, async (api) => {
    const path = `${pathOf(await accountName(api, flags))}/token`;
    return `${textAt(await api.send('POST', path, request), 'token')}\n`;
  });
}

export function deleteToken(id: string, flags: AccountFlags, host: CliHost): Promise<string> {
  return withServer(flags, host, async (api) => {
    await api.send('DELETE', `${pathOf(await accountName(api, flags))}/token/${encodeURIComponent(id)}`);
    return '';
  });
}

/** `0s` is for ever; days as `90d` too. */
function secondsOf(text: string): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  return days === undefined ? Number(parseDuration(text) / 1_000_000_000n) : Number(days) * 86_400;
}

function formatOutput(value: Json, format: string | undefined, nameOf: (item: JsonObject) => string): string {
  if (format === 'json') return prettyJson(value);
  if (format === 'yaml') return writeYaml(value);
  return (isArray(value) ? value : [value])
    .filter(isObject)
    .map((item) => `${nameOf(item)}\n`)
    .join('');
}

function timeAt(object: JsonObject, key: string): string {
  const value = Number(own(object, key) ?? 0);
  return Number.isSafeInteger(value) ? formatTime(instantOf(value * 1000)) : '';
}
