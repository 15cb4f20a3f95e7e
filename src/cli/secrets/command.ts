import type { Command } from 'commander';
import { type CliHost, openCluster, type ClusterFlags } from '../host/index.js';
import type { ExtractFlags } from './extract.js';
import type { LoadFlags } from './load.js';

/** `argosy secrets ...`: credentials from where they are to where they are needed; values are never printed. */
export function addSecrets(program: Command, host: CliHost): void {
  const secrets = program
    .command('secrets')
    .description('bring credentials to where they are needed, without showing them');
  const tell = (line: string): void => void host.stdout.write(`${line}\n`);
  secrets
    .command('load')
    .description(
      'make Secrets of a file of variables; the password of the administrator of Gitea is read from the Gitea object',
    )
    .requiredOption('--env-file <file>', 'the file, with NAME=value a line')
    .option('--kubeconfig <file>', 'the kubeconfig to use')
    .option('--context <name>', 'the context to use')
    .option('-n, --namespace <namespace>', 'the namespace of the Secrets; that of the context unless told')
    .option(
      '--secret <name=key:variable,...>',
      'a Secret and its keys (repeatable); gitea-credentials-source unless told',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option(
      '--gitea <namespace/name>',
      'the Gitea object that knows GITEA_USER and GITEA_PASSWORD',
      'gitea/gitea-with-admin',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  argosy secrets load --env-file .env -n self-healing-platform\n  argosy secrets load ' +
        '--env-file .env -n ml --secret model-storage=AWS_ACCESS_KEY_ID:S3_KEY,AWS_SECRET_ACCESS_KEY:S3_SECRET',
    )
    .action(async (flags: LoadFlags & ClusterFlags) => {
      const { loadSecrets } = await import('./load.js');
      const cluster = await openCluster(flags, host, false);
      try {
        tell(`context ${cluster.context}`);
        await loadSecrets(cluster, flags, tell);
      } finally {
        await cluster.close();
      }
    });
  secrets
    .command('extract')
    .description('put the secrets that Keycloak generated for its clients into Vault, for ExternalSecrets to bring on')
    .requiredOption('-f, --values <file>', 'values with clientPatcher.secretExtraction.clients: [{clientId, vaultKey}]')
    .requiredOption(
      '--keycloak <url>',
      'the address of Keycloak; KEYCLOAK_ADMIN_USER and KEYCLOAK_ADMIN_PASSWORD (or ..._FILE) open it',
    )
    .requiredOption('--realm <realm>', 'the realm of the clients')
    .requiredOption('--vault <url>', 'the address of Vault; VAULT_TOKEN (or VAULT_TOKEN_FILE) opens it')
    .option('--mount <path>', 'where the KV engine is', 'secret')
    .addHelpText(
      'after',
      '\nExample:\n  argosy secrets extract -f platform-keycloak-realm.yaml --keycloak ' +
        'https://keycloak.example.com --realm ameide --vault https://vault.example.com',
    )
    .action(async (flags: ExtractFlags) => {
      const { extractSecrets } = await import('./extract.js');
      await extractSecrets(flags, host.environment, tell);
    });
}
