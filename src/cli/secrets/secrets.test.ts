import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startKeycloak, startVault } from '../../../world/doubles/index.js';
import { isObject, parseJson, type JsonObject } from '../../model/json/index.js';
import { readEnvFile } from './env-file.js';
import { extractSecrets } from './extract.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-secrets-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('a file of variables', () => {
  it('is parsed like a shell does, without executing anything', () => {
    const text =
      '# all of it\n\nA=1\nexport B = two words # and a comment\nC=\'$(rm -rf /) # kept\'\nD="a\\n\\"b\\" ' +
      '\\\\"\nE=\nF=a=b#c\r\nA=2\n';
    expect(Object.fromEntries(readEnvFile(text, '.env'))).toEqual({
      A: '2',
      B: 'two words',
      C: '$(rm -rf /) # kept',
      D: 'a\n"b" \\',
      E: '',
      F: 'a=b#c',
    });
  });

  it.each(['CANARY', '1A=CANARY', 'A="CANARY', "A='CANARY", 'A="x" CANARY'])(
    'with a line that is wrong (%s) is refused without saying what stands there',
    (line) => {
      expect(() => readEnvFile(`OK=1\n${line}\n`, '.env')).toThrow(/^line 2 (?!.*CANARY)/);
    },
  );
});

describe('secrets of clients', () => {
  const VALUES =
    'clientPatcher:\n  secretExtraction:\n    clients:\n      - {clientId: argocd, vaultKey: ' +
    'argocd-dex-client-secret}\n      - {clientId: grafana, vaultKey: team/grafana}\n';

  it('go from Keycloak to Vault, and are written only if they changed', async () => {
    const keycloak = await startKeycloak({
      admin: { username: 'admin', password: 'CANARY-admin' },
      realms: [
        {
          realm: 'ameide',
          clients: [
            { clientId: 'argocd', secret: 'CANARY-argocd' },
            { clientId: 'grafana', secret: 'CANARY-grafana' },
            { clientId: 'web', isPublic: true },
          ],
        },
      ],
    });
    const vault = await startVault();
    const ask = async (path: string, body?: JsonObject, token = ''): Promise<JsonObject> => {
      const answer = await fetch(`${vault.url}/v1/${path}`, {
        method: body === undefined ? 'GET' : 'PUT',
        headers: { 'x-vault-token': token },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const value = parseJson((await answer.text()) || '{}');
      return isObject(value) ? value : {};
    };
    try {
      const { keys, root_token: token } = await ask('sys/init', { secret_shares: 1, secret_threshold: 1 });
      await ask('sys/unseal', { key: Array.isArray(keys) ? String(keys[0]) : '' });
      await ask('secret/data/team/grafana', { data: { note: 'kept' } }, String(token));
      const environment = {
        KEYCLOAK_ADMIN_USER: 'admin',
        KEYCLOAK_ADMIN_PASSWORD_FILE: file('password', 'CANARY-admin\n'),
        VAULT_TOKEN: String(token),
      };
      const flags = {
        values: file('values.yaml', VALUES),
        keycloak: `${keycloak.url}/`,
        realm: 'ameide',
        vault: vault.url,
        mount: 'secret',
      };
      const lines: string[] = [];
      await extractSecrets(flags, environment, (line) => {
        lines.push(line);
      });
      await extractSecrets(flags, environment, (line) => {
        lines.push(line);
      });
      expect(lines).toEqual([
        'client argocd: secret/argocd-dex-client-secret written',
        'client grafana: secret/team/grafana written',
        'client argocd: secret/argocd-dex-client-secret unchanged',
        'client grafana: secret/team/grafana unchanged',
      ]);
      expect(await ask('secret/data/argocd-dex-client-secret', undefined, String(token))).toMatchObject({
        data: { data: { value: 'CANARY-argocd' }, metadata: { version: 1 } },
      });
      expect(await ask('secret/data/team/grafana', undefined, String(token))).toMatchObject({
        data: { data: { value: 'CANARY-grafana', note: 'kept' } },
      });
      const fails = async (more: Partial<typeof flags>, env: Readonly<Record<string, string>> = {}): Promise<string> =>
        extractSecrets({ ...flags, ...more }, { ...environment, ...env }, () => undefined).then(
          () => 'no failure',
          (error: unknown) => (error instanceof Error ? `${error.message}${String(error.cause ?? '')}` : ''),
        );
      const said = [
        await fails({}, { KEYCLOAK_ADMIN_PASSWORD_FILE: file('wrong', 'CANARY-wrong') }),
        await fails({}, { VAULT_TOKEN: 'CANARY-token' }),
        await fails({ realm: 'none' }),
        await fails({ vault: 'http://127.0.0.1:1' }),
        await fails({ keycloak: 'ftp://x' }),
        await fails({
          values: file('other.yaml', 'clientPatcher: {secretExtraction: {clients: [{clientId: nobody, vaultKey: a}]}}'),
        }),
        await fails({
          values: file('public.yaml', 'clientPatcher: {secretExtraction: {clients: [{clientId: web, vaultKey: a}]}}'),
        }),
        await fails({
          values: file(
            'escape.yaml',
            'clientPatcher: {secretExtraction: {clients: [{clientId: argocd, vaultKey: ../../sys/seal}]}}',
          ),
        }),
        await fails({ values: file('empty.yaml', 'a: 1') }),
      ];
      expect(said.map((text) => text.split(/[(:]/)[0]?.trim())).toEqual([
        'Keycloak does not let the administrator in',
        'Vault refuses to show what it has',
        'Keycloak refuses to show realm none',
        'Vault does not answerError',
        '"ftp',
        'realm ameide has no client nobody',
        'client web is public and has no secret',
        'clients[0] must have clientId and vaultKey, a path such as argocd-dex-client-secret',
        'clientPatcher.secretExtraction.clients names no client',
      ]);
      expect([...said, ...lines].join('\n')).not.toContain('CANARY');
    } finally {
      await keycloak.close();
      await vault.close();
    }
  });

  it('accept responses of up to 16 MiB, and report a larger one', async () => {
    // A realm may describe its clients at length.
    const client = { id: '1', clientId: 'argocd', attributes: { note: 'x'.repeat(15 * 1024 * 1024) } };
    let isLarge = false;
    const server = createServer((request, response) => {
      if (request.url?.includes('openid-connect') === true) response.end('{"access_token":"t"}');
      else if (request.url?.includes('client-secret') === true) response.end('{"value":"s"}');
      else if (request.url?.startsWith('/v1/') === true) response.writeHead(404).end('{}');
      else if (isLarge) response.writeHead(200, { 'content-length': 17 * 1024 * 1024 }).write('[');
      else response.end(JSON.stringify([client]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = (): Promise<void> =>
      extractSecrets(
        {
          values: file('one.yaml', 'clientPatcher: {secretExtraction: {clients: [{clientId: argocd, vaultKey: a}]}}'),
          keycloak: url,
          realm: 'r',
          vault: url,
          mount: 'secret',
        },
        { KEYCLOAK_ADMIN_USER: 'admin', KEYCLOAK_ADMIN_PASSWORD: 'p', VAULT_TOKEN: 't' },
        () => undefined,
      );
    try {
      await expect(run()).rejects.toThrow('Vault does not take the secret (404)');
      isLarge = true;
      await expect(run()).rejects.toThrow('Keycloak answered with more than 16777216 bytes');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
