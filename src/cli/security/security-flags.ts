import type { Command } from 'commander';

/** Values are checked by `chooseSecurity`, wherever they come from. */
export function withSecurityProfile(command: Command): Command {
  return command.option(
    '--security-profile <name>',
    'laptop (loopback only) or shared (TLS, no local folders, no unsigned webhooks, no admin unless enabled); ' +
      'default: shared in a cluster, otherwise laptop',
  );
}

/** How the API is reached: TLS, and proxies in front of it. */
export function withTlsFlags(command: Command): Command {
  return command
    .option('--insecure', 'with the profile shared: serve plain HTTP, behind a proxy that terminates TLS')
    .option('--enable-admin', 'with the profile shared: there is an account admin unless admin.enabled is false')
    .option('--tlsminversion <version>', 'lowest TLS version to accept: 1.2 (default) or 1.3')
    .option('--tlsmaxversion <version>', 'highest TLS version to accept: 1.2 or 1.3 (default)')
    .option(
      '--trusted-proxies <addresses>',
      'addresses or networks of reverse proxies whose X-Forwarded-For names the client, such as 10.0.0.0/8,192.0.2.7',
    );
}

export function withMetricsAddress(command: Command): Command {
  return command.option(
    '--metrics-address <address>',
    'the address that /metrics listens on; only loopback (127.0.0.1, the default) in the profile laptop',
  );
}
