import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isObject, own, type JsonObject } from '../../src/model/json/index.js';
import { readOneYaml } from '../../src/model/yaml/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { makeFleet, renderFleet, writeRepository, type FleetOptions, type RenderedApplication } from './index.js';

const root = mkdtempSync(join(tmpdir(), 'argosy-fleet-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const REPOSITORY = { url: 'https://git.example.com/fleet.git', revision: 'main' };
const make = (
  environments: FleetOptions['environments'],
  applications: number,
  more: Partial<FleetOptions> = {},
): ReturnType<typeof makeFleet> => makeFleet({ environments, applications, repository: REPOSITORY, ...more });

/** Every file below a folder with its bytes. */
function bytesOf(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'latin1')]),
  );
}

async function render(name: string, options: Partial<FleetOptions>): Promise<RenderedApplication[]> {
  const folder = join(root, name);
  const fleet = make(options.environments ?? 1, options.applications ?? 65, {
    ...options,
    repository: { url: `file://${folder}/fleet.git`, revision: 'main' },
  });
  writeRepository(join(folder, 'fleet.git'), [{ message: 'first', files: fleet.files }]);
  return renderFleet(fleet.applications, { data: join(folder, 'data') });
}

function podSpec(objects: readonly KubeObject[], kind: string, name: string): JsonObject {
  const spec = objects.find((object) => object.kind === kind && object.metadata.name === name)?.spec;
  const template = isObject(spec) && isObject(spec.template) ? spec.template.spec : undefined;
  return isObject(template) ? template : {};
}

describe('a fleet', () => {
  it('has as many Applications as wanted, from 8 to 5,000', () => {
    expect(make(1, 3).applications).toHaveLength(8);
    expect(make(3, 65).applications).toHaveLength(200);
    const most = make(5, 999).applications.map(({ metadata }) => metadata.name);
    expect([most.length, new Set(most).size]).toEqual([5000, 5000]);
    expect(Math.max(...most.map((name) => name?.length ?? 0))).toBeLessThan(54);
  });

  it('names Applications by environment, domain and component', () => {
    const { applications, projects } = make(3, 65);
    expect(applications.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining([
        'cluster-cert-manager',
        'dev-data-minio',
        'staging-platform-grafana',
        'production-foundation-vault-core',
      ]),
    );
    expect(applications.find(({ metadata }) => metadata.name === 'production-data-minio')?.spec).toMatchObject({
      project: 'production',
      destination: { namespace: 'ameide-prod' },
      sources: [
        {
          path: 'sources/charts/apps/web-service',
          helm: {
            releaseName: 'data-minio',
            valueFiles: [
              '$values/sources/values/env/production/globals.yaml',
              '$values/sources/values/_shared/data/minio.yaml',
              '$values/sources/values/env/production/data/minio.yaml',
            ],
          },
        },
        { ref: 'values' },
      ],
    });
    expect(projects.map(({ metadata }) => metadata.name)).toEqual(['cluster', 'dev', 'staging', 'production']);
  });

  it('is the same, byte for byte, for the same seed, and another for another', () => {
    const ids = ['one', 'two'].map((name) =>
      writeRepository(join(root, name), [{ message: 'first', files: make(3, 100).files }]),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(bytesOf(join(root, 'two'))).toEqual(bytesOf(join(root, 'one')));
    expect(
      writeRepository(join(root, 'other'), [{ message: 'first', files: make(3, 100, { seed: 7 }).files }]),
    ).not.toBe(ids[0]);
    expect(execFileSync('git', ['-C', join(root, 'one'), 'fsck', '--strict'], { encoding: 'utf8' })).toBe('');
  });

  it('leaves what an application is as it was when more are added', () => {
    const [few, many] = [make(2, 70).files, make(2, 300).files];
    expect([...few].filter(([path, text]) => many.get(path) !== text)).toEqual([]);
  });

  it('is at its first moment as the inventory counts it', () => {
    const states = [...make(3, 65, { moment: 'first', unplaced: 11 }).expected.values()];
    const count = (is: (state: (typeof states)[number]) => boolean): number => states.filter(is).length;
    expect({
      total: states.length,
      healthySynced: count(({ sync, health }) => sync === 'Synced' && health === 'Healthy'),
      degraded: count(({ health }) => health === 'Degraded'),
      missing: count(({ health }) => health === 'Missing'),
      outOfSync: count(({ sync }) => sync === 'OutOfSync'),
      progressing: count(({ health }) => health === 'Progressing'),
    }).toEqual({ total: 200, healthySynced: 83, degraded: 97, missing: 6, outOfSync: 23, progressing: 12 });
  });

  it('refuses sizes that make no sense', () => {
    expect(() => make(0, 65)).toThrow('must be a whole number from 1 to 50');
    expect(() => make(1, 2)).toThrow('must be a whole number from 3 to 5000');
  });

  it('writes further commits, and takes files away', () => {
    const folder = join(root, 'history');
    const id = writeRepository(folder, [
      { message: 'first', files: make(1, 3).files },
      {
        message: 'second',
        files: new Map([
          ['README.md', undefined],
          ['NEW.md', 'new\n'],
        ]),
      },
    ]);
    const git = (...words: string[]): string =>
      execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).trim();
    expect(git('log', '--format=%s', 'main')).toBe('second\nfirst');
    expect(git('diff', '--name-status', `${id}~1`, id)).toBe('A\tNEW.md\nD\tREADME.md');
  });
});

describe('a fleet that is rendered', () => {
  it('gives objects for every Application, each in the pool of its environment', async () => {
    const rendered = await render('whole', { environments: 3, applications: 65 });
    expect(rendered).toHaveLength(200);
    expect(rendered.filter(({ objects }) => objects.length === 0)).toEqual([]);
    const kinds = new Set(rendered.flatMap(({ objects }) => objects.map(({ kind }) => kind)));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'Deployment',
        'StatefulSet',
        'Service',
        'ConfigMap',
        'CronJob',
        'Job',
        'PersistentVolumeClaim',
        'HorizontalPodAutoscaler',
        'SecretStore',
        'ExternalSecret',
        'Issuer',
        'Certificate',
        'Route',
        'Cluster',
        'Kafka',
        'KafkaNodePool',
        'ClickHouseInstallation',
        'Keycloak',
        'KeycloakRealmImport',
        'TemporalCluster',
        'TemporalNamespace',
        'Gitea',
        'InferenceService',
        'ClusterServingRuntime',
        'NotebookValidationJob',
        'DoclingServe',
        'StorageClass',
      ]),
    );
    const production = rendered.filter(({ name }) => name.startsWith('production-')).flatMap(({ objects }) => objects);
    const place = {
      nodeSelector: { 'ameide.io/pool': 'prod' },
      tolerations: [{ key: 'ameide.io/environment', value: 'production', effect: 'NoSchedule' }],
    };
    for (const { kind, metadata } of production.filter(
      (object) => object.kind === 'Deployment' || object.kind === 'StatefulSet',
    ))
      expect(podSpec(production, kind, metadata.name ?? '')).toMatchObject(place);
    expect(podSpec(production, 'Deployment', 'transformation')).toMatchObject({
      containers: [{ image: 'ghcr.io/ameideio/transformation:main' }],
      imagePullSecrets: [{ name: 'ghcr-pull-secret' }],
    });
  });

  it('hides the place of applications whose shared values have empty ones', async () => {
    const rendered = await render('unplaced', { applications: 35, unplaced: 2 });
    const objects = rendered.flatMap((application) => application.objects);
    expect(podSpec(objects, 'Deployment', 'agents')).not.toHaveProperty('tolerations');
    expect(podSpec(objects, 'Deployment', 'graph')).toHaveProperty('tolerations');
  });

  it('has secrets in Azure for whatever its ExternalSecrets ask for', async () => {
    const rendered = await render('keys', { applications: 120 });
    const asked = rendered
      .flatMap(({ objects }) => objects)
      .filter(({ kind }) => kind === 'ExternalSecret')
      .flatMap(({ spec }) => [...JSON.stringify(spec).matchAll(/"key":"([^"]+)"/g)].map(([, key = '']) => key));
    const vault = make(1, 120).outside.find(({ metadata }) => metadata.name === 'ameide-dev-kv');
    const contents = isObject(vault?.stringData) ? vault.stringData : {};
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((key) => own(contents, key) === undefined)).toEqual([]);
    expect(
      readOneYaml(make(1, 3).files.get('sources/values/env/dev/globals.yaml') ?? '', {
        dialect: 'kubernetes',
        file: 'globals.yaml',
      }),
    ).toMatchObject({ azure: { keyVault: 'ameide-dev-kv' } });
  });
});
