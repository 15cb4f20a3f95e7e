import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOneYaml } from '../yaml/read-yaml.js';
import { parseAppProject } from './app-project.js';
import { requireSyncAccounts, syncAccountOf } from './sync-account.js';

interface Case {
  readonly name: string;
  readonly accounts: readonly string[];
  readonly at: string;
  readonly user?: string;
  readonly invalid?: string;
}

const CASES = readOneYaml(readFileSync(join(import.meta.dirname, 'cases/sync-accounts.yaml'), 'utf8'), {
  dialect: 'kubernetes',
}) as unknown as readonly Case[];

const words = (line: string): string[] => line.split('|').map((word) => word.trim());

describe('the account of a sync', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('%s', (_, { accounts, at, user, invalid }) => {
    const project = parseAppProject({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'p' },
      spec: {
        destinationServiceAccounts: accounts.map((line) => {
          const [server = '', namespace = '', defaultServiceAccount = ''] = words(line);
          return { server, namespace, defaultServiceAccount };
        }),
      },
    });
    const [server = '', namespace = '', applicationNamespace = ''] = words(at);
    const account = syncAccountOf(project, { server, namespace, applicationNamespace });
    if (invalid !== undefined) expect(account).toEqual({ kind: 'invalid', message: invalid });
    else expect(account).toEqual(user === undefined ? { kind: 'none' } : { kind: 'account', user });
  });
});

describe('a project over the API', () => {
  const entry = (server: string, namespace: string, defaultServiceAccount: string): object => ({
    server,
    namespace,
    defaultServiceAccount,
  });
  it.each([
    ['https://*', 'team-*', 'tenants:deployer', ''],
    ['!https://a', '*', 'deployer', "server has an invalid format, '!https://a'"],
    ['*', 'team[', 'deployer', "namespace has an invalid format, 'team['"],
    ['*', '*', ' ', "defaultServiceAccount has an invalid format, ' '"],
    ['*', '*', 'a/b', "defaultServiceAccount has an invalid format, 'a/b'"],
    ['*', 'twice', 'deployer', "destinationServiceAccount '*/twice' already added"],
  ])('may name for %s and %s the account %s: %s', (server, namespace, account, refusal) => {
    const check = (): void => {
      requireSyncAccounts(
        parseAppProject({
          apiVersion: 'argoproj.io/v1alpha1',
          kind: 'AppProject',
          metadata: { name: 'p' },
          spec: { destinationServiceAccounts: [entry('*', 'twice', 'x'), entry(server, namespace, account)] as never },
        }),
      );
    };
    if (refusal === '') expect(check).not.toThrow();
    else expect(check).toThrow(refusal);
  });
});
