import { InvalidArgumentError, type Command } from 'commander';
import { Fault } from '../../model/faults/index.js';
import { defaultInstance, type CliHost } from '../host/index.js';
import type { LoginFlags } from './login.js';

const port = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError(`${JSON.stringify(text)} is not a port`);
  return Number(text);
};

function ownServer({ environment }: CliHost): string {
  const web = defaultInstance(environment)?.web ?? '';
  if (web === '') throw new Fault('USAGE', 'name a server: no argosy up runs on this machine');
  return web;
}

/** `argosy login` and `argosy logout`: a session with the API of a server. Commands that read a cluster need none. */
export function addLogin(program: Command, host: CliHost): void {
  program
    .command('login [server]')
    .description(
      'log in to an Argosy or Argo CD server with a password or single sign-on; by default to the running argosy up',
    )
    .option('--username <name>', 'user name; prompted if omitted')
    .option('--password-stdin', 'read the password from standard input')
    .option('--sso', 'log in with the OIDC provider of the server; prints a URL to open')
    .option('--sso-port <port>', 'local port for the SSO callback', port, 8085)
    .option('--insecure', 'skip certificate verification')
    .option('--plaintext', 'disable TLS, also for remote servers')
    .option('--name <context>', 'name of the context; the server address by default')
    .addHelpText(
      'after',
      '\nExamples:\n  argosy login localhost:8080 --username admin\n  argosy login argocd.example.com ' +
        '--sso\n  printf %s "$PASSWORD" | argosy login argocd.example.com --username ci --password-stdin',
    )
    .action(async (server: string | undefined, flags: LoginFlags) => {
      const { login } = await import('./login.js');
      await login(server ?? ownServer(host), flags, host);
    });
  program
    .command('logout [context]')
    .description('log out of a context, the current one by default')
    .addHelpText('after', '\nExample:\n  argosy logout argocd.example.com')
    .action(async (context: string | undefined) => {
      const { logout } = await import('./login.js');
      await logout(context, host);
    });
}
