import type { Command } from 'commander';

/** Values are checked by `chooseSecurity`, wherever they come from. */
export function withSecurityProfile(command: Command): Command {
  return command.option(
    '--security-profile <name>',
    'laptop (loopback only) or shared (TLS, no local folders, no unsigned webhooks, no admin unless enabled); ' +
      'default: shared in a cluster, otherwise laptop',
  );
}

export function withTlsFlags(command: Command): Command {
  return command
    .option('--insecure', 'with the profile shared: serve plain HTTP, behind a proxy that terminates TLS')
    .option('--tlsminversion <version>', 'lowest TLS version to accept: 1.2 (default) or 1.3')
    .option('--tlsmaxversion <version>', 'highest TLS version to accept: 1.2 or 1.3 (default)');
}

export function withMetricsAddress(command: Command): Command {
  return command.option(
    '--metrics-address <address>',
    'the address that /metrics listens on; only loopback (127.0.0.1, the default) in the profile laptop',
  );
}
