import { describe, expect, it } from 'vitest';
import { readClusterSecrets } from './cluster-secret.js';
import type { KubeObject } from '../kubernetes/object.js';

const secret = (name: string, data: Readonly<Record<string, string>>, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { 'argocd.argoproj.io/secret-type': 'cluster' }, ...metadata },
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
});

describe('cluster Secrets', () => {
  it('say where a cluster is and who may use it', () => {
    const { clusters, problems } = readClusterSecrets([
      secret(
        'prod',
        {
          name: 'prod',
          server: 'https://prod.example.com/',
          config: '{"bearerToken":"t"}',
          namespaces: 'a, b,',
          clusterResources: 'true',
          project: 'shop',
          shard: '2',
        },
        { uid: 'u-1' },
      ),
      secret(
        'nameless',
        { server: 'https://10.0.0.1', shard: 'first' },
        { annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } },
      ),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'else' } },
    ]);
    expect(clusters).toEqual([
      {
        secret: 'prod',
        uid: 'u-1',
        shard: 2,
        name: 'prod',
        server: 'https://prod.example.com',
        config: { bearerToken: 't' },
        namespaces: ['a', 'b'],
        clusterResources: true,
        project: 'shop',
        skipReconcile: false,
      },
      {
        secret: 'nameless',
        uid: '',
        name: 'https://10.0.0.1',
        server: 'https://10.0.0.1',
        config: {},
        namespaces: [],
        clusterResources: false,
        project: '',
        skipReconcile: true,
      },
    ]);
    expect(problems).toEqual([]);
  });

  it('that cannot be read are named, without what they hold', () => {
    const { clusters, problems } = readClusterSecrets([
      secret('homeless', { name: 'x' }),
      secret('torn', { server: 'https://a', config: '{"password":"hunter2' }),
      secret('listed', { server: 'https://a', config: '["hunter2"]' }),
      secret('good', { server: 'https://b' }),
    ]);
    expect(clusters.map(({ secret: name }) => name)).toEqual(['good']);
    expect(problems).toEqual([
      'Secret homeless: server is missing',
      'Secret torn: config is no JSON',
      'Secret listed: config must be a JSON object',
    ]);
  });
});
