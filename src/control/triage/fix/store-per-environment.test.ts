import { expect, it } from 'vitest';
import { makeFleet } from '../../../../world/fleet/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { Tree, TreeFolder, TreeNode } from '../../../model/formats/index.js';
import { createRuleSet, SnapshotBuilder, triage, WhatIf, type ReportedCause } from '../../../triage/index.js';
import { makePatches, type PatchSet } from './make-patches.js';
import { ApplicationRenderer } from './render-applications.js';

const URL = 'https://git.example/platform.git';
const OPTIONS = { rules: createRuleSet, assess: () => undefined };

function treeOf(files: ReadonlyMap<string, string>): Tree {
  const folder = (prefix: string, paths: readonly string[]): TreeFolder => {
    const names = [...new Set(paths.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))].sort();
    return {
      kind: 'folder',
      id: prefix,
      entries: new Map(
        names.map((name): [string, TreeNode] => {
          const text = files.get(`${prefix}${name}`);
          return [
            name,
            text === undefined
              ? folder(
                  `${prefix}${name}/`,
                  paths.filter((path) => path.startsWith(`${prefix}${name}/`)),
                )
              : { kind: 'file', id: `${prefix}${name} ${text.length}`, executable: false, bytes: Buffer.from(text) },
          ];
        }),
      ),
    };
  };
  return { repository: URL, commit: 'now', root: folder('', [...files.keys()]) };
}

/** Everything is delivered as git says, and the store of the whole cluster does not find its Vault. */
function brokenStore(
  applications: readonly KubeObject[],
  files: ReadonlyMap<string, string>,
): { set: PatchSet | undefined; cause: ReportedCause | undefined; secrets: number } {
  const checkout = { url: URL, revision: 'main', folder: '/clone', tree: treeOf(files) };
  const renderer = new ApplicationRenderer([checkout], []);
  const builder = new SnapshotBuilder();
  let secrets = 0;
  for (const application of applications) {
    const namespace = String(((application.spec as JsonObject).destination as JsonObject).namespace);
    const objects = [...(renderer.before(application)?.manifests.values() ?? [])].map(({ object }): KubeObject => {
      const isWide =
        ['ClusterSecretStore', 'Namespace', 'StorageClass', 'CustomResourceDefinition'].includes(object.kind) ||
        object.kind.startsWith('ClusterRole');
      secrets += object.kind === 'ExternalSecret' ? 1 : 0;
      return {
        ...object,
        metadata: { ...object.metadata, ...(isWide ? {} : { namespace: object.metadata.namespace ?? namespace }) },
        ...(object.kind === 'ClusterSecretStore'
          ? {
              status: {
                conditions: [
                  {
                    type: 'Ready',
                    status: 'False',
                    reason: 'InvalidProviderConfig',
                    message: 'unable to create client',
                  },
                ],
              },
            }
          : {}),
        ...(object.kind === 'ExternalSecret'
          ? {
              status: {
                conditions: [
                  {
                    type: 'Ready',
                    status: 'False',
                    reason: 'SecretSyncedError',
                    message: 'could not get secret data from provider',
                  },
                ],
              },
            }
          : {}),
      };
    });
    // What runs is not looked at here.
    for (const object of objects.filter(({ kind }) =>
      ['Service', 'ExternalSecret', 'ClusterSecretStore'].includes(kind),
    ))
      builder.add(structuredClone(object), 'fleet');
    builder.add(
      {
        ...structuredClone(application),
        status: {
          sync: { status: 'Synced' },
          health: { status: 'Healthy' },
          resources: objects.map(({ apiVersion, kind, metadata }) => ({
            group: apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '',
            kind,
            name: metadata.name ?? '',
            ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
          })),
        },
      },
      'fleet',
    );
  }
  for (const kind of ['Service', 'Namespace'])
    builder.listing({ group: '', kind, namespace: '', listing: 'complete', because: '' });
  const snapshot = builder.build(Date.parse('2025-12-04T12:00:00Z'));
  const report = triage(snapshot, OPTIONS);
  const cause = report.causes.find(({ rule }) => rule === 'B08');
  const trial = new WhatIf(snapshot, report, OPTIONS);
  const [set] =
    cause === undefined ? [] : makePatches([cause], snapshot, [checkout], (each, repair) => trial.expect(each, repair));
  return { set, cause, secrets };
}

it('a ClusterSecretStore becomes one SecretStore per environment, in everything that refers to it', () => {
  const { applications, files } = makeFleet({
    environments: 3,
    applications: 65,
    moment: 'first',
    repository: { url: URL, revision: 'main' },
    only: [
      'vault-core',
      'vault-secret-store',
      'minio',
      'grafana',
      'plausible',
      'agents',
      'inference-gateway',
      'ghcr-pull-secret',
    ],
  });
  const { set, cause, secrets } = brokenStore(applications, files);
  expect(cause?.objects.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['ClusterSecretStore ameide-vault']);
  expect(secrets).toBeGreaterThan(20);
  expect(set?.patches.map(({ file }) => file).filter((file) => file.endsWith('/globals.yaml'))).toHaveLength(3);
  expect(set?.patches).toHaveLength(4);
  expect(set).toMatchObject({ others: [], unsolved: [], expected: { vanishes: true } });
  expect(set?.repair.adds.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}`)).toEqual([
    'SecretStore ameide-dev',
    'SecretStore ameide-prod',
    'SecretStore ameide-staging',
  ]);
  expect(
    set?.repair.edits.filter(
      ({ object: { kind }, path }) => kind === 'ExternalSecret' && path.join('.') === 'spec.secretStoreRef.kind',
    ),
  ).toHaveLength(secrets);
});

const yaml = (object: JsonObject): string => JSON.stringify(object);

it('without a chart the stores come as files, without the namespaces that a webhook would reject', () => {
  const files = new Map<string, string>([
    [
      'cluster/store.yaml',
      '# for all\napiVersion: external-secrets.io/v1\nkind: ClusterSecretStore\nmetadata:\n  name: vault\n' +
        'spec:\n  provider:\n    vault:\n      server: http://vault.vault.svc:8200\n      auth: {kubernetes: ' +
        '{role: reader, serviceAccountRef: {name: reader, namespace: vault}}}\n',
    ],
    ...['dev', 'prod'].flatMap((env): [string, string][] => [
      [
        `${env}/vault.yaml`,
        yaml({
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'keys' },
          spec: { selector: { app: 'vault' }, ports: [{ port: 8200 }] },
        }),
      ],
      [
        `${env}/secret.yaml`,
        `# of ${env}\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: login\n` +
          `spec:\n  secretStoreRef:\n    kind: ClusterSecretStore  # everybody's\n    name: vault\n`,
      ],
    ]),
  ]);
  const application = (name: string): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd' },
    spec: {
      project: 'default',
      destination: { namespace: `shop-${name}` },
      source: { repoURL: URL, targetRevision: 'main', path: name },
    },
  });
  const { set } = brokenStore(['cluster', 'dev', 'prod'].map(application), files);
  expect(set?.patches.filter(({ file }) => file.endsWith('secret.yaml')).map(({ after }) => after)).toEqual(
    ['dev', 'prod'].map((env) => files.get(`${env}/secret.yaml`)?.replace('ClusterSecretStore', 'SecretStore')),
  );
  const result = set?.patches
    .filter(({ file }) => file.endsWith('/secretstore-vault.yaml'))
    .map(({ file, after }) => [
      file,
      after?.includes('server: http://keys.shop-'),
      after?.includes('namespace: vault'),
    ]);
  expect(result).toEqual([
    ['dev/secretstore-vault.yaml', true, false],
    ['prod/secretstore-vault.yaml', true, false],
  ]);
  expect(set?.patches.find(({ file }) => file === 'cluster/store.yaml')).toMatchObject({ after: undefined });
  expect(set).toMatchObject({ others: [], unsolved: [], expected: { vanishes: true } });
});
