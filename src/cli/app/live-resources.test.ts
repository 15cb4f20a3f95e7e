import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab, type Ran } from '../../../contracts/cli/app-lab.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';

const managed = (kind: string, name: string): object => ({
  version: 'v1',
  kind,
  namespace: 'shop',
  name,
  status: 'Synced',
});
const object = (kind: string, name: string, more: object): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop' },
  ...more,
});

let lab: AppLab;
beforeAll(async () => {
  lab = await openAppLab();
  for (const name of ['one', 'two', 'three'])
    await lab.cluster.create(CONFIG_MAPS, object('ConfigMap', name, { data: { a: name, b: 'line\nline' } }));
  await lab.cluster.create(CONFIG_MAPS, object('ConfigMap', 'foreign', { data: { a: 'x' } }));
  await lab.cluster.create(SECRETS, object('Secret', 'password', { stringData: { password: 'hunter2' } }));
  await lab.create('web', {
    status: {
      sync: { status: 'Synced', comparedTo: { source: { repoURL: 'x' }, destination: {} } },
      resources: [
        ...['one', 'two', 'three'].map((name) => managed('ConfigMap', name)),
        managed('Secret', 'password'),
        managed('ConfigMap', 'gone'),
      ],
    },
  });
});
afterAll(() => lab.close());

const run = (...words: string[]): Promise<Ran> => lab.run(['app', ...words]);
const map = (name: string): Promise<KubeObject | undefined> =>
  lab.cluster.get(CONFIG_MAPS, { namespace: 'shop', name });

describe('app get-resource', () => {
  it('shows fields of live resources, with Secrets masked', async () => {
    const { out } = await run('get-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'one');
    expect(out).toMatch(/^FIELD +VALUE\n/);
    expect(out).toMatch(/^data\.a +one$/m);
    expect(out).toMatch(/^data\.b +line\\nline$/m);
    expect(out).not.toContain('managedFields');
    expect(
      (await run('get-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'one', '--show-managed-fields')).out,
    ).toContain('metadata.managedFields[0].manager');
    expect((await run('get-resource', 'web', '--kind', 'ConfigMap', '--filter-fields', 'data.a')).out).toBe(
      'FIELD   RESOURCE NAME  VALUE\ndata.a  one            one\ndata.a  three          three\ndata.a  two  ' +
        '          two\n',
    );
    expect(
      (
        await run(
          'get-resource',
          'web',
          '--kind',
          'ConfigMap',
          '--resource-name',
          'one',
          '--filter-fields',
          'data.a,metadata.name',
          '-o',
          'yaml',
        )
      ).out,
    ).toBe('data:\n  a: one\nmetadata:\n  name: one\n');
    expect(
      JSON.parse((await run('get-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'two', '-o', 'json')).out),
    ).toMatchObject({ kind: 'ConfigMap', data: { a: 'two' } });
    for (const format of ['wide', 'json', 'yaml']) {
      const { code, out: secret } = await run('get-resource', 'web', '--kind', 'Secret', '-o', format);
      expect([
        code,
        secret.includes('++++'),
        secret.includes('hunter2'),
        secret.includes(Buffer.from('hunter2').toString('base64')),
      ]).toEqual([0, true, false, false]);
    }
  });

  it('finds only resources of the application', async () => {
    for (const words of [
      ['--kind', 'ConfigMap', '--resource-name', 'foreign'],
      ['--kind', 'Pod'],
      ['--kind', 'ConfigMap', '--group', 'apps'],
      ['--kind', '__proto__'],
    ]) {
      expect(await run('get-resource', 'web', ...words)).toMatchObject({
        code: 20,
        err: expect.stringContaining('no matching resource found') as string,
      });
    }
    expect((await run('get-resource', 'web')).err).toContain("required option '--kind <kind>' not specified");
    expect(
      (await run('get-resource', 'web', '--kind', 'ConfigMap', '--filter-fields', '__proto__.x,constructor')).out,
    ).not.toContain('function');
  });
});

describe('app patch-resource', () => {
  it('patches one resource, or all that match', async () => {
    expect(
      (
        await run(
          'patch-resource',
          'web',
          '--kind',
          'ConfigMap',
          '--resource-name',
          'one',
          '--patch',
          '{"data": {"a": "new"}}',
        )
      ).out,
    ).toBe("Resource 'one' patched\n");
    expect((await map('one'))?.['data']).toMatchObject({ a: 'new' });
    expect(
      (await run('patch-resource', 'web', '--kind', 'ConfigMap', '--patch', '{"data": {"a": "x"}}')).err,
    ).toContain('multiple resources match inputs, use the --all flag');
    expect(
      (
        await run(
          'patch-resource',
          'web',
          '--kind',
          'ConfigMap',
          '--all',
          '--patch-type',
          'application/json-patch+json',
          '--patch',
          '[{"op": "add", "path": "/data/c", "value": "1"}]',
        )
      ).out
        .split('\n')
        .sort(),
    ).toEqual(['', "Resource 'one' patched", "Resource 'three' patched", "Resource 'two' patched"]);
    expect((await map('three'))?.['data']).toMatchObject({ a: 'three', c: '1' });
    expect((await map('foreign'))?.['data']).toEqual({ a: 'x' });
  });

  it('rejects an invalid patch, or one of another type', async () => {
    const said = async (...words: string[]): Promise<string> =>
      (await run('patch-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'one', ...words)).err;
    expect(await said('--patch', 'x')).toContain('argosy: ');
    expect(await said('--patch', '1')).toContain('a patch is an object, or a list of operations (--patch)');
    expect(await said('--patch', '[]')).toContain('a merge patch is an object');
    expect(await said('--patch', '{}', '--patch-type', 'application/json-patch+json')).toContain(
      'a JSON patch is a list of operations',
    );
    expect(await said('--patch', '{}', '--patch-type', 'x')).toContain('Allowed choices are');
    const { err } = await run(
      'patch-resource',
      'web',
      '--kind',
      'Secret',
      '--resource-name',
      'password',
      '--patch',
      '{"data": {"password": 5, "x": "hunter2"}}',
    );
    expect([err.includes('the server refuses the Secret (422 Invalid)'), err.includes('hunter2')]).toEqual([
      true,
      false,
    ]);
  });
});

it('app delete-resource deletes a managed resource, after a prompt by default', async () => {
  expect((await run('delete-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'foreign')).err).toContain(
    'no matching resource found',
  );
  expect((await run('delete-resource', 'web', '--kind', 'ConfigMap')).err).toContain('multiple resources match inputs');
  expect(
    (
      await lab.run(
        ['app', 'delete-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'one', '--prompts-enabled'],
        { confirm: () => Promise.resolve(false) },
      )
    ).out,
  ).toBe('The command to delete /ConfigMap shop/one was cancelled.\n');
  expect(await map('one')).toBeDefined();
  expect((await run('delete-resource', 'web', '--kind', 'ConfigMap', '--resource-name', 'one', '--orphan')).out).toBe(
    "Resource 'one' deleted\n",
  );
  expect((await run('delete-resource', 'web', '--kind', 'ConfigMap', '--all', '--force')).code).toBe(0);
  expect(
    await Promise.all(['one', 'two', 'three', 'foreign'].map(async (name) => (await map(name)) !== undefined)),
  ).toEqual([false, false, false, true]);
});
