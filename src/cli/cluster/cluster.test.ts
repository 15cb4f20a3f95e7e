import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, runCommand, type AppLab, type Ran } from '../../../contracts/cli/app-lab.js';
import { clusterSecretConfig, connect, systemClock, type Cluster } from '../../cluster/index.js';
import { readClusterSecret } from '../../model/argo/index.js';
import { readOneYaml, writeYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { CLUSTER_ROLES, CONFIG_MAPS, ROLE_BINDINGS, SECRETS } from '../../model/resources/index.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-clusters-'));

let lab: AppLab;
let other: AppLab;
/** A kubeconfig with the cluster of the control plane as the current context, and another one. */
const kubeconfig = join(scratch, 'kubeconfig');
beforeAll(async () => {
  [lab, other] = await Promise.all([openAppLab(), openAppLab({ controllers: true })]);
  const read = (path: string): Record<string, { name: string; context?: { cluster: string; user: string } }[]> =>
    readOneYaml(readFileSync(path, 'utf8'), { dialect: 'kubernetes' }) as never;
  const [home, away] = [read(lab.kubeconfig), read(other.kubeconfig)];
  const renamed = (list: string): object[] =>
    (away[list] ?? []).map((each) => ({
      ...each,
      name: 'staging',
      ...(each.context === undefined ? {} : { context: { cluster: 'staging', user: 'staging' } }),
    }));
  writeFileSync(
    kubeconfig,
    writeYaml({
      ...home,
      clusters: [...(home['clusters'] ?? []), ...renamed('clusters')],
      users: [...(home['users'] ?? []), ...renamed('users')],
      contexts: [...(home['contexts'] ?? []), ...renamed('contexts')],
    } as never),
  );
});
afterAll(async () => {
  await Promise.all([lab.close(), other.close()]);
  rmSync(scratch, { recursive: true, force: true });
});

const run = (...words: string[]): Promise<Ran> =>
  runCommand(['cluster', ...words, '--kubeconfig', kubeconfig], {}).then(({ code, out, err }) => ({
    code,
    out,
    err: err.split('\n').slice(1).join('\n'),
  }));
const clusterSecrets = async (): Promise<KubeObject[]> =>
  (await lab.cluster.list(SECRETS, { namespace: 'argocd', labelSelector: 'argocd.argoproj.io/secret-type=cluster' }))
    .items;
const openAs = (secret: KubeObject): Cluster =>
  connect(
    clusterSecretConfig(secret),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0.0.0', environment: {} },
  );
const tokenIn = (secret: KubeObject | undefined): string =>
  secret === undefined ? '' : String(readClusterSecret(secret).config.bearerToken);

describe('cluster add', () => {
  it('creates the account, and a Secret with its token but no credentials of the user', async () => {
    const { code, out, err } = await run(
      'add',
      'staging',
      '--name',
      'stage',
      '--label',
      'tier=test',
      '--annotation',
      'note=x',
      '--project',
      'team',
    );
    expect([code, out, err]).toEqual([0, expect.stringMatching(/^Cluster 'https:\/\/127\.0\.0\.1:\d+' added\n$/), '']);
    const [secret] = await clusterSecrets();
    expect(secret?.metadata).toMatchObject({
      name: expect.stringMatching(/^cluster-127\.0\.0\.1-\d+$/) as string,
      labels: { tier: 'test', 'argocd.argoproj.io/secret-type': 'cluster' },
      annotations: { note: 'x', 'managed-by': 'argocd.argoproj.io' },
    });
    const { config, ...record } = readClusterSecret(secret!);
    expect(record).toMatchObject({ name: 'stage', project: 'team', namespaces: [] });
    expect(Object.keys(config).sort()).toEqual(['bearerToken', 'tlsClientConfig']);
    expect(Object.keys(config.tlsClientConfig as object).sort()).toEqual(['caData', 'insecure']);
    expect(await other.cluster.get(CLUSTER_ROLES, { name: 'argocd-manager-role' })).toMatchObject({
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ],
    });
    const there = openAs(secret!);
    await there.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'by-manager', namespace: 'shop' },
    });
    await there.close();
    expect((await run('list')).out).toMatch(/stage +\S+ +Successful/);
    expect((await lab.run(['cluster', 'get', 'stage', '-o', 'yaml'])).out).not.toContain(tokenIn(secret));
  });

  it('is idempotent, and changes an existing cluster only with --upsert', async () => {
    const before = tokenIn((await clusterSecrets())[0]);
    expect((await run('add', 'staging', '--name', 'stage', '--project', 'team')).code).toBe(0);
    expect((await run('add', 'staging', '--name', 'other')).err).toContain(
      'existing cluster spec is different; use upsert flag to force update',
    );
    expect(
      (
        await run(
          'add',
          'staging',
          '--name',
          'narrow',
          '--upsert',
          '--namespace',
          'shop',
          '--namespace',
          'team',
          '--cluster-resources',
          '--shard',
          '2',
        )
      ).code,
    ).toBe(0);
    const all = await clusterSecrets();
    expect([all.length, readClusterSecret(all[0]!)]).toEqual([
      1,
      expect.objectContaining({ name: 'narrow', namespaces: ['shop', 'team'], clusterResources: true, project: '' }),
    ]);
    expect(tokenIn(all[0])).toBe(before);
    expect(
      await other.cluster.get(ROLE_BINDINGS, { namespace: 'team', name: 'argocd-manager-role-binding' }),
    ).toMatchObject({ subjects: [{ kind: 'ServiceAccount', name: 'argocd-manager', namespace: 'kube-system' }] });
  });

  it('supports exec credentials', async () => {
    const token = tokenIn((await clusterSecrets())[0]);
    const program = join(scratch, 'login');
    writeFileSync(
      program,
      '#!/bin/sh\nprintf ' +
        '\'{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}\' ' +
        '"$WORD"\n',
      { mode: 0o755 },
    );
    const [code, err] = await run(
      'add',
      'staging',
      '--name',
      'narrow',
      '--upsert',
      '--exec-command',
      program,
      '--exec-command-args',
      'get-token,--now',
      '--exec-command-env',
      `WORD=${token}`,
      '--exec-command-install-hint',
      'ask us',
    ).then((ran) => [ran.code, ran.err]);
    expect([code, err]).toEqual([0, '']);
    const { config } = readClusterSecret((await clusterSecrets())[0]!);
    expect(config).toMatchObject({
      execProviderConfig: {
        command: program,
        args: ['get-token', '--now'],
        env: { WORD: token },
        apiVersion: 'client.authentication.k8s.io/v1',
        installHint: 'ask us',
      },
    });
    expect(config.bearerToken).toBeUndefined();
    expect(
      (await run('add', 'staging', '--upsert', '--exec-command', program, '--exec-command-env', 'WORD=wrong')).code,
    ).toBe(20);
    expect((await run('add', 'staging', '--exec-command-args', 'x')).err).toContain('need --exec-command');
    expect((await run('add', 'staging', '--exec-command', program, '--service-account', 'x')).err).toContain(
      'Can only use one of',
    );
    expect(
      (
        await run(
          'add',
          'staging',
          '--name',
          'narrow',
          '--upsert',
          '--namespace',
          'shop',
          '--namespace',
          'team',
          '--cluster-resources',
          '--shard',
          '2',
        )
      ).code,
    ).toBe(0);
  });

  it('fails before anything is written', async () => {
    const count = (await clusterSecrets()).length;
    expect((await run('add', 'nowhere')).err).toContain('there is no context "nowhere"; there is "argosy", "staging"');
    expect((await run('add', 'staging', '--service-account', 'absent')).err).toContain(
      'ServiceAccount kube-system/absent not found',
    );
    expect((await run('add', 'staging', '--label', 'x')).err).toContain('--label should have NAME=VALUE');
    expect((await run('add', 'staging', '--in-cluster', '--cluster-endpoint', 'internal')).err).toContain(
      'Can only use one of --in-cluster or --cluster-endpoint',
    );
    expect((await run('add', 'staging', '--proxy-url', 'ftp://x')).err).toContain('must start with http');
    const person = { confirm: () => Promise.resolve(false), stdout: { write: () => undefined, isTTY: true } };
    expect((await runCommand(['cluster', 'add', 'staging', '--kubeconfig', kubeconfig], person)).code).toBe(1);
    expect((await clusterSecrets()).length).toBe(count);
  });

  it('accepts the in-cluster address without testing it', async () => {
    expect((await run('add', 'staging', '--in-cluster', '--name', 'home')).out).toBe(
      "Cluster 'https://kubernetes.default.svc' added\n",
    );
    expect((await run('rm', 'home')).code).toBe(0);
  });
});

describe('cluster rotate-auth', () => {
  it('rotates the token of the account and revokes the old one', async () => {
    const [before] = await clusterSecrets();
    expect((await run('rotate-auth', 'narrow')).out).toBe("Cluster 'narrow' rotated auth\n");
    const [after] = await clusterSecrets();
    expect(tokenIn(after)).not.toBe(tokenIn(before));
    const [old, fresh] = [openAs(before!), openAs(after!)];
    await expect(fresh.list(SECRETS, { namespace: 'shop' })).resolves.toBeDefined();
    await expect(old.list(SECRETS, { namespace: 'shop' })).rejects.toMatchObject({ status: 401 });
    await Promise.all([old.close(), fresh.close()]);
    expect(
      (await other.cluster.list(SECRETS, { namespace: 'kube-system' })).items.filter(
        ({ type }) => type === 'kubernetes.io/service-account-token',
      ),
    ).toHaveLength(1);
    expect((await run('rotate-auth', 'narrow')).code).toBe(0);
  });

  it('reports a cluster without a token to rotate', async () => {
    expect((await run('rotate-auth', 'in-cluster')).err).toContain('does not use bearer token authentication');
    expect((await run('rotate-auth', 'nobody')).err).toContain('cluster "nobody" not found');
    await lab.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'odd', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: { name: 'odd', server: 'https://127.0.0.1:1', config: '{"bearerToken":"s3cret.token"}' },
    });
    const { err } = await run('rotate-auth', 'odd');
    expect([err.includes('is not one that a Secret of the cluster holds'), err.includes('s3cret')]).toEqual([
      true,
      false,
    ]);
  });
});
