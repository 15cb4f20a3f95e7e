import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, runCommand, type AppLab } from '../../contracts/cli/app-lab.js';
import { writeRepository } from '../../world/fleet/index.js';
import { installCrds, readCrds } from '../control/index.js';
import { APP_PROJECTS } from '../model/resources/index.js';

const folder = mkdtempSync(join(tmpdir(), 'argosy-groups-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  await installCrds(lab.cluster, await readCrds(join(import.meta.dirname, '../../crds'), ['applicationset.yaml']));
  for (const name of ['cart', 'catalogue']) await lab.create(name);
});
afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command prints; it must end well. */
async function done(...argv: readonly string[]): Promise<string> {
  const { code, out, err } = await lab.run(argv);
  expect([argv.join(' '), code, code === 0 ? '' : err]).toEqual([argv.join(' '), 0, '']);
  return out;
}

const refused = async (...argv: readonly string[]): Promise<string> => {
  const { code, err } = await lab.run(argv);
  expect([argv.join(' '), code]).toEqual([argv.join(' '), 20]);
  return err.replace(/^context .*\n/, '');
};

describe('argosy proj', () => {
  it("creates, shows, changes and deletes projects with Argo CD's columns and messages", async () => {
    await done(
      'proj',
      'create',
      'shop',
      '--description',
      'The shop',
      '-d',
      'https://kubernetes.default.svc,shop',
      '-s',
      'https://git.example.com/shop.git',
      '--orphaned-resources',
    );
    expect(await done('proj', 'list')).toBe(
      [
        'NAME  DESCRIPTION  DESTINATIONS                         SOURCES                           ' +
          'CLUSTER-RESOURCE-WHITELIST  NAMESPACE-RESOURCE-BLACKLIST  SIGNATURE-KEYS  ORPHANED-RESOURCES   ' +
          'DESTINATION-SERVICE-ACCOUNTS',
        'shop  The shop     https://kubernetes.default.svc,shop  https://git.example.com/shop.git  <none>   ' +
          '                   <none>                        <none>          enabled (warn=true)  <none>',
        '',
      ].join('\n'),
    );
    expect(await refused('proj', 'create', 'shop', '--description', 'Other')).toContain('use upsert flag');
    await done('proj', 'add-source', 'shop', 'https://git.example.com/more.git');
    expect(await done('proj', 'add-source', 'shop', 'https://git.example.com/more.git')).toBe(
      "Source repository 'https://git.example.com/more.git' already allowed in project\n",
    );
    expect(await refused('proj', 'add-destination', 'shop', 'https://kubernetes.default.svc', 'shop')).toContain(
      'Specified destination is already defined in project',
    );
    await done('proj', 'add-destination', 'shop', 'in-cluster', 'team', '--name');
    await done('proj', 'allow-cluster-resource', 'shop', '', 'Namespace');
    await done('proj', 'deny-namespace-resource', 'shop', 'apps', 'DaemonSet');
    const shown = await done('proj', 'get', 'shop');
    expect(shown).toContain(
      'Repositories:                https://git.example.com/shop.git\n                             ' +
        'https://git.example.com/more.git\n',
    );
    expect(shown).toContain('Denied Namespaced Resources: apps/DaemonSet\n');
    expect(await lab.cluster.get(APP_PROJECTS, { namespace: 'argocd', name: 'shop' })).toMatchObject({
      spec: {
        destinations: [{ namespace: 'shop' }, { name: 'in-cluster', namespace: 'team' }],
        clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
      },
    });
    expect(await refused('proj', 'get', 'nowhere')).toContain('project "nowhere" not found');
  });

  it('manages windows and roles', async () => {
    await done(
      'proj',
      'windows',
      'add',
      'shop',
      '--kind',
      'deny',
      '--schedule',
      '0 0 * * *',
      '--duration',
      '24h',
      '--applications',
      '*',
    );
    const [header = '', row = ''] = (await done('proj', 'windows', 'list', 'shop')).split('\n');
    expect([header.split(/ {2,}/)[1], row.split(/ {2,}/).slice(0, 6)]).toEqual([
      'STATUS',
      ['0', 'Active', 'deny', '0 0 * * *', '24h', '*'],
    ]);
    await done('proj', 'windows', 'enable-manual-sync', 'shop', '0');
    expect(await done('proj', 'windows', 'list', 'shop')).toContain('Enabled');
    expect(await refused('proj', 'windows', 'delete', 'shop', '7')).toContain('window "7" not found');
    expect(
      await refused(
        'proj',
        'windows',
        'add',
        'shop',
        '--kind',
        'deny',
        '--schedule',
        'sometimes',
        '--duration',
        '1h',
        '--applications',
        '*',
      ),
    ).toMatch(/^argosy: .*\n$/);
    expect(await done('proj', 'role', 'create', 'shop', 'deployer')).toBe("Role 'deployer' created\n");
    await done('proj', 'role', 'add-policy', 'shop', 'deployer', '--action', 'sync', '--object', '*');
    expect(await done('proj', 'role', 'add-group', 'shop', 'deployer', 'team')).toBe(
      "Group 'team' added to role 'deployer'\n",
    );
    expect(await done('proj', 'role', 'get', 'shop', 'deployer')).toContain(
      'p, proj:shop:deployer, applications, sync, shop/*, allow\n',
    );
  });
});

describe('argosy repo and cluster', () => {
  it('adds a reachable repository, shows it, and removes it', async () => {
    writeRepository(join(folder, 'shop'), [{ message: 'Begin', files: new Map([['a.yaml', 'a: 1\n']]) }]);
    const url = `file://${join(folder, 'shop')}`;
    expect(await done('repo', 'add', url)).toBe(`Repository '${url}' added\n`);
    expect(await refused('repo', 'add', 'file:///nowhere/at/all')).not.toContain('at async');
    expect(await done('repo', 'list')).toBe(
      `TYPE  NAME  REPO${' '.repeat(url.length - 2)}INSECURE  OCI    LFS    CREDS  STATUS      MESSAGE  ` +
        `PROJECT\ngit         ${url}  false     false  false  false  Successful\n`,
    );
    expect(await done('repo', 'rm', url)).toBe(`Repository '${url}' removed\n`);
    expect(await refused('repo', 'get', url)).toContain('is not configured');
  });

  it('lists the cluster itself, and shows it', async () => {
    const [head = '', row = '', ...rest] = (await done('cluster', 'list')).split('\n');
    expect(head).toMatch(/^SERVER +NAME +VERSION +STATUS +MESSAGE +PROJECT$/);
    expect(row).toMatch(/^https:\/\/kubernetes\.default\.svc +in-cluster +1\.34 +Successful$/);
    expect(rest).toEqual(['']);
    expect(await done('cluster', 'get', 'in-cluster')).toContain(
      '  Server URL:            https://kubernetes.default.svc\n',
    );
    expect(await refused('cluster', 'rm', 'in-cluster')).toContain('has no Secret');
  });
});

describe('argosy appset and admin settings', () => {
  const set = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'shops' },
    spec: {
      generators: [{ list: { elements: [{ name: 'a' }] } }],
      template: {
        metadata: { name: '{{name}}' },
        spec: {
          project: 'shop',
          source: { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        },
      },
    },
  };

  it('creates, lists, shows and deletes ApplicationSets', async () => {
    expect(await done('appset', 'create', file('set.yaml', JSON.stringify(set)))).toBe(
      "ApplicationSet 'argocd/shops' created\n",
    );
    expect(await done('appset', 'list', '-o', 'name')).toBe('argocd/shops\n');
    expect(await done('appset', 'get', 'shops')).toContain('Project:            shop\n');
    expect(await done('appset', 'delete', 'shops', '--yes')).toBe("applicationset 'argocd/shops' deleted\n");
    expect(await refused('appset', 'get', 'shops')).toContain('ApplicationSet "shops" not found');
  });

  it('tests settings before they are applied', async () => {
    const cm = file(
      'cm.yaml',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'argocd-cm' },
        data: {
          'accounts.kim': 'login',
          'resource.customizations.health.example.com_Queue': 'return { status = "Healthy", message = "always" }',
        },
      }),
    );
    const queue = file(
      'queue.yaml',
      JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Queue', metadata: { name: 'q' } }),
    );
    expect(await done('admin', 'settings', 'validate', '--argocd-cm-path', cm)).toBe(
      '✅ accounts\n2 accounts\n\n✅ general\nSSO is not configured\n\n✅ kustomize\ndefault options\n\n✅ ' +
        'resource-overrides\n1 resource overrides\n',
    );
    expect(await done('admin', 'settings', 'resource-overrides', 'health', queue, '--argocd-cm-path', cm)).toBe(
      'STATUS: Healthy\nMESSAGE: always\n',
    );
    expect(await done('admin', 'settings', 'resource-overrides', 'list-actions', queue, '--argocd-cm-path', cm)).toBe(
      "Actions are not configured for 'example.com/Queue'\n",
    );
    const deployment = file(
      'deployment.yaml',
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { template: { metadata: {} } },
      }),
    );
    expect(
      await done(
        'admin',
        'settings',
        'resource-overrides',
        'run-action',
        deployment,
        'restart',
        '--argocd-cm-path',
        cm,
      ),
    ).toContain('+        kubectl.kubernetes.io/restartedAt');
    expect(await refused('admin', 'settings', 'validate')).toContain('--argocd-cm-path');
  });
});

describe('completion', () => {
  it('knows commands, flags, choices, and the names of applications and projects', async () => {
    const typed = async (...words: readonly string[]): Promise<string[]> =>
      (await runCommand(['__complete', ...words], { environment: { KUBECONFIG: lab.kubeconfig } })).out
        .split('\n')
        .filter((line) => line !== '');
    expect(await typed('ap')).toEqual(['apiserver', 'app', 'appset']);
    expect(await typed('app', 'ge')).toEqual(['get', 'get-resource']);
    expect(await typed('app', 'get', 'ca')).toEqual(['cart', 'catalogue']);
    expect(await typed('app', 'sync', 'cart', 'cat')).toEqual(['catalogue']);
    expect(await typed('app', 'list', '--project', '')).toEqual(['shop']);
    expect(await typed('app', 'get', 'cart', '-o', 'tree')).toEqual(['tree', 'tree=detailed']);
    expect(await typed('app', 'get', '--hard')).toEqual(['--hard-refresh']);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await runCommand(['completion', shell], {})).out).toContain('argosy __complete');
  });
});
