import { InvalidArgumentError, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import type { LoginFlags } from './login.js';

const port = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is no port`);
  return Number(text);
};

/** `argosy login` and `argosy logout`: a session with the API of a server. Commands that read a cluster need none. */
export function addLogin(program: Command, host: CliHost): void {
  program
    .command('login <server>')
    .description('log in to a server of Argosy or Argo CD, with a password or with single sign-on')
    .option('--username <name>', 'the account; asked for unless told')
    .option('--password-stdin', 'read the password from standard input')
    .option('--sso', 'log in with the OpenID provider of the server: prints an address to open')
    .option('--sso-port <port>', 'where the browser comes back to on this machine', port, 8085)
    .option('--insecure', 'accept a certificate that cannot be checked')
    .option('--plaintext', 'without TLS, also beyond this machine')
    .option('--name <context>', 'what to call the context; the address of the server unless told')
    .addHelpText(
      'after',
      '\nExamples:\n  argosy login localhost:8080 --username admin\n  argosy login argocd.example.com ' +
        '--sso\n  printf %s "$PASSWORD" | argosy login argocd.example.com --username ci --password-stdin',
    )
    .action(async (server: string, flags: LoginFlags) => {
      const { login } = await import('./login.js');
      await login(server, flags, host);
    });
  program
    .command('logout [context]')
    .description('end the session of a context, on the server and here; the current one unless told')
    .addHelpText('after', '\nExample:\n  argosy logout argocd.example.com')
    .action(async (context: string | undefined) => {
      const { logout } = await import('./login.js');
      await logout(context, host);
    });
}
