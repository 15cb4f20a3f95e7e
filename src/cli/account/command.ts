import { Option, type Command } from 'commander';
import type { CliHost } from '../host/index.js';
import type { AccountFlags, PasswordFlags, TokenFlags } from './account.js';

/** `argosy account ...`: local accounts of the server that `argosy login` opened. */
export function addAccount(program: Command, host: CliHost): void {
  const account = program.command('account').description('local accounts of a server: rights, passwords, tokens');
  const open = (): Promise<typeof import('./account.js')> => import('./account.js');
  const print = (text: string): void => void host.stdout.write(text);
  const command = (words: string, description: string, examples: readonly string[]): Command =>
    account
      .command(words)
      .description(description)
      .option('--server <context>', 'the server or context to ask; the one of the last login unless told')
      .addHelpText(
        'after',
        `\nExample${examples.length > 1 ? 's' : ''}:\n` +
          `${examples.map((example) => `  argosy account ${example}`).join('\n')}`,
      );
  const output = (): Option =>
    new Option('-o, --output <format>', 'how to print').choices(['table', 'name', 'json', 'yaml']).default('table');
  const forAccount = (made: Command): Command =>
    made.option('-a, --account <name>', 'the account; who is logged in unless told');

  command('list', 'list accounts', ['list'])
    .addOption(output())
    .action(async (flags: AccountFlags) => {
      print(await (await open()).listAccounts(flags, host));
    });
  forAccount(command('get', 'show an account with its tokens', ['get', 'get --account ci']))
    .addOption(output())
    .action(async (flags: AccountFlags) => {
      print(await (await open()).getAccount(flags, host));
    });
  command('get-user-info', 'show who is logged in', ['get-user-info'])
    .addOption(output())
    .action(async (flags: AccountFlags) => {
      print(await (await open()).userInfo(flags, host));
    });
  command('can-i <action> <resource> <object>', 'whether one may do something', [
    "can-i sync applications '*'",
    'can-i update projects shop',
    "can-i get applications 'shop/web'",
  ]).action(async (action: string, resource: string, object: string, flags: AccountFlags) => {
    print(await (await open()).canI([action, resource, object], flags, host));
  });
  forAccount(
    command('update-password', 'change a password; sessions of before end', [
      'update-password',
      'update-password --account alice',
    ]),
  )
    .option('--password-stdin', 'read two lines from standard input: the password of who is logged in, and the new one')
    .action(async (flags: PasswordFlags) => {
      print(await (await open()).updatePassword(flags, host));
    });
  forAccount(
    command('generate-token', 'make a token for programs; it is shown this once', [
      'generate-token --account ci',
      'generate-token --account ci --expires-in 90d --id build',
    ]),
  )
    .option('--expires-in <duration>', 'how long it counts, such as 24h or 90d; 0s for ever', '0s')
    .option('--id <id>', 'what to call it; made by chance unless told')
    .action(async (flags: TokenFlags) => {
      print(await (await open()).generateToken(flags, host));
    });
  forAccount(
    command('delete-token <id>', 'delete a token: it opens nothing any more', ['delete-token --account ci build']),
  ).action(async (id: string, flags: AccountFlags) => {
    print(await (await open()).deleteToken(id, flags, host));
  });
}
