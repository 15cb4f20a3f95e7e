import type { Command } from 'commander';
import { type CliHost, openChangedCluster, type ClusterFlags } from '../host/index.js';
import type { ExtractFlags } from './extract.js';
import type { LoadFlags } from './load.js';

/** `argosy secrets ...`: credentials from where they are to where they are needed; values are never printed. */
export function addSecrets(program: Command, host: CliHost): void {
  const secrets = program
    .command('secrets')
    .description('copy credentials to where they are needed, without printing them');
  const print = (line: string): void => void host.stdout.write(`${line}\n`);
  secrets
    .command('load')
    .description('create Secrets from a file of variables; the Gitea admin password is read from the Gitea object')
    .requiredOption('--env-file <file>', 'file with NAME=value lines')
    .option('--kubeconfig <file>', 'path to the kubeconfig')
    .option('--context <name>', 'kubeconfig context')
    .option('-n, --namespace <namespace>', 'namespace of the Secrets; that of the context by default')
    .option(
      '--secret <name=key:variable,...>',
      'a Secret and its keys; gitea-credentials-source by default; may be repeated',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option(
      '--gitea <namespace/name>',
      'the Gitea object to read GITEA_USER and GITEA_PASSWORD from; none to use the file alone',
      'gitea/gitea-with-admin',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  argosy secrets load --env-file .env -n self-healing-platform\n  argosy secrets load ' +
        '--env-file .env -n ml --secret model-storage=AWS_ACCESS_KEY_ID:S3_KEY,AWS_SECRET_ACCESS_KEY:S3_SECRET',
    )
    .action(async (flags: LoadFlags & ClusterFlags) => {
      const { loadSecrets } = await import('./load.js');
      const cluster = await openChangedCluster(flags, host);
      try {
        print(`context ${cluster.context}`);
        await loadSecrets(cluster, flags, print);
      } finally {
        await cluster.close();
      }
    });
  secrets
    .command('extract')
    .description('copy client secrets that Keycloak generated to Vault, for ExternalSecrets to use')
    .requiredOption('-f, --values <file>', 'values with clientPatcher.secretExtraction.clients: [{clientId, vaultKey}]')
    .requiredOption(
      '--keycloak <url>',
      'URL of Keycloak; credentials in KEYCLOAK_ADMIN_USER and KEYCLOAK_ADMIN_PASSWORD (or ..._FILE)',
    )
    .requiredOption('--realm <realm>', 'the realm of the clients')
    .requiredOption('--vault <url>', 'URL of Vault; token in VAULT_TOKEN (or VAULT_TOKEN_FILE)')
    .option('--mount <path>', 'mount path of the KV engine', 'secret')
    .addHelpText(
      'after',
      '\nExample:\n  argosy secrets extract -f platform-keycloak-realm.yaml --keycloak ' +
        'https://keycloak.example.com --realm ameide --vault https://vault.example.com',
    )
    .action(async (flags: ExtractFlags) => {
      const { extractSecrets } = await import('./extract.js');
      await extractSecrets(flags, host.environment, print);
    });
}
