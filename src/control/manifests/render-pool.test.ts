import { afterEach, describe, expect, it } from 'vitest';
import type { RenderRequest } from '../../render/index.js';
import { RenderPool, type RenderPoolOptions } from './render-pool.js';

const LIMIT = 60_000;

let pool: RenderPool | undefined;
afterEach(() => pool?.close());

function open(options: Partial<RenderPoolOptions> = {}): RenderPool {
  const after = (milliseconds: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  };
  pool = new RenderPool({
    worker: new URL('../../../dist/render-worker.js', import.meta.url),
    workers: 2,
    milliseconds: LIMIT,
    megabytes: 256,
    after,
    ...options,
  });
  return pool;
}

function request(name: string, files: Readonly<Record<string, string>>): RenderRequest {
  const entries = new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { kind: 'file' as const, id: text, executable: false, bytes: Buffer.from(text) },
    ]),
  );
  return {
    tree: { repository: 'https://git.example/shop', commit: name, root: { kind: 'folder', id: name, entries } },
    source: { repoURL: 'https://git.example/shop' },
    refs: new Map(),
    application: { name, namespace: 'argocd', project: 'default' },
    destinationNamespace: 'prod',
    kubeVersion: '1.34.4',
    apiVersions: [],
    fetched: new Map(),
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
  };
}

const GOOD = request('good', { 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n' });

describe('rendering in processes of their own', () => {
  it('gives what a render in this process gives, with what it looked at', async () => {
    const { outcome, dependencies } = await open().render(GOOD);
    expect(outcome).toMatchObject({
      kind: 'rendered',
      manifests: [{ object: { metadata: { name: 'a' } }, origin: { file: 'a.yaml', line: 1 } }],
    });
    expect([...dependencies.files.keys()]).toContain('a.yaml');
  });

  it('gives faults as faults', async () => {
    await expect(
      open().render(request('bad', { 'a.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: [' })),
    ).rejects.toMatchObject({ code: 'YAML_INVALID' });
  });

  it('does many at a time, and each gets its own answer', async () => {
    const many = open();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        many.render(
          request(`app-${index}`, { 'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a-${index} }\n` }),
        ),
      ),
    );
    expect(
      results.map(({ outcome }) => (outcome.kind === 'rendered' ? outcome.manifests[0]?.object.metadata.name : '')),
    ).toEqual(Array.from({ length: 40 }, (_, index) => `a-${index}`));
  });

  it('stops a render that takes too long, and the next one is not affected', async () => {
    let after: RenderPoolOptions['after'] = () => () => undefined;
    const started = new Promise<() => void>((resolve) => {
      after = (milliseconds, callback) => {
        if (milliseconds === LIMIT) resolve(callback);
        return () => undefined;
      };
    });
    const slow = open({ workers: 1, after });
    const endless = request('endless', {
      'Chart.yaml': 'apiVersion: v2\nname: x\nversion: 1.0.0\n',
      'values.yaml': '{}',
    });
    const stopped = slow.render(endless);
    const next = slow.render(GOOD);
    // The clock of the pool says that the time is over.
    (await started)();
    await expect(stopped).rejects.toMatchObject({ code: 'RENDER_LIMIT', where: 'endless' });
    await expect(next).resolves.toMatchObject({ outcome: { kind: 'rendered' } });
  });
});
