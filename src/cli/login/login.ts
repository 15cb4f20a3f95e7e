import { Fault } from '../../model/faults/index.js';
import { own } from '../../model/json/index.js';
import { type CliHost, promptPerson, readSecrets } from '../host/index.js';
import { ApiClient, Contexts, hostOf, serverAddress } from '../api-client/index.js';
import { ssoLogin } from './sso-login.js';

export interface LoginFlags {
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly sso?: boolean;
  readonly ssoPort: number;
  readonly insecure?: boolean;
  readonly plaintext?: boolean;
  readonly name?: string;
}

const SSO_TIMEOUT = 5 * 60_000;

/** Logs in and keeps the token; nothing of the password stays anywhere. */
export async function login(given: string, flags: LoginFlags, host: CliHost): Promise<void> {
  const server = serverAddress(given, flags.plaintext === true);
  const isInsecure = flags.insecure === true;
  const api = new ApiClient({ server, isInsecure });
  try {
    const token =
      flags.sso === true
        ? await ssoLogin(api, {
            port: flags.ssoPort,
            timeout: SSO_TIMEOUT,
            print: (line) => void host.stderr.write(`${line}\n`),
          })
        : await passwordLogin(api, flags);
    const username = await userNameOf(server, isInsecure, token);
    const name = flags.name ?? hostOf(server);
    new Contexts(host.environment).keep({ name, server, isInsecure, token });
    host.stdout.write(`'${username}' logged in successfully\nContext '${name}' updated\n`);
  } finally {
    await api.close();
  }
}

async function passwordLogin(api: ApiClient, { username, passwordStdin }: LoginFlags): Promise<string> {
  const name = username ?? (await promptPerson('Username', false));
  const password = passwordStdin === true ? (readSecrets(1)[0] ?? '') : await promptPerson('Password', true);
  const token = own(await api.send('POST', '/api/v1/session', { username: name, password }), 'token');
  if (typeof token !== 'string')
    throw new Fault('API_REFUSED', 'the server returned no token', { where: '/api/v1/session' });
  return token;
}

/** A token that the server does not take is no login. */
async function userNameOf(server: string, isInsecure: boolean, token: string): Promise<string> {
  const api = new ApiClient({ server, isInsecure, token });
  try {
    const info = await api.get('/api/v1/session/userinfo');
    if (own(info, 'loggedIn') !== true)
      throw new Fault('LOGIN_NEEDED', 'the server does not accept its own token', { where: server });
    const name = own(info, 'username');
    return typeof name === 'string' ? name : '';
  } finally {
    await api.close();
  }
}

/** Ends the session on the server, and forgets it here whatever the server says. */
export async function logout(given: string | undefined, host: CliHost): Promise<void> {
  const contexts = new Contexts(host.environment);
  const { name, server, isInsecure, token } = contexts.need(given);
  const api = new ApiClient({ server, isInsecure, token });
  try {
    await api.send('DELETE', '/api/v1/session');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    host.stderr.write(`argosy: the session could not be ended on the server: ${error.message}\n`);
  } finally {
    contexts.forget(name);
    await api.close();
  }
  host.stdout.write(`Logged out from '${name}'\n`);
}
