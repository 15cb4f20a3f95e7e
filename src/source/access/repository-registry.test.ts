import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { proxyFor } from './proxy.js';
import { readRepositoryRegistry } from './repository-registry.js';

function secret(name: string, type: string, fields: Readonly<Record<string, string>>): KubeObject {
  const data = Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { 'argocd.argoproj.io/secret-type': type } },
    data,
  };
}

describe('repository secrets', () => {
  const book = readRepositoryRegistry(
    [
      secret('one', 'repository', {
        url: 'https://host/org/app.git',
        username: 'u',
        password: 'own\n',
        type: 'git',
        insecure: 'true',
        depth: '1',
      }),
      secret('scoped', 'repository', { url: 'https://host/org/app', password: 'scoped', project: 'team' }),
      secret('bare', 'repository', { url: 'https://host/org/bare', proxy: 'http://proxy:3128' }),
      secret('short', 'repo-creds', { url: 'https://host/org', password: 'short' }),
      secret('long', 'repo-creds', { url: 'https://host/org/bare', password: 'long', username: 'l' }),
      secret('bare host', 'repo-creds', { url: 'https://github.com', password: 'github' }),
      secret('ssh', 'repo-creds', { url: 'git@host:org', sshPrivateKey: 'KEY' }),
      secret('cluster', 'cluster', { url: 'https://host/org/app', password: 'not a repository' }),
      secret('broken', 'repository', {
        url: 'https://host/broken',
        insecure: 'maybe',
        password: 'a\nb',
        depth: 'x',
        tlsClientCertData: 'c',
      }),
      secret('empty', 'repository', {}),
      secret('cloud', 'repo-creds', { url: 'https://source.developers.google.com', gcpServiceAccountKey: '{}' }),
      secret('app', 'repo-creds', {
        url: 'https://github.com/app',
        githubAppID: '7',
        githubAppInstallationID: '8',
        githubAppPrivateKey: 'PEM',
      }),
    ],
    { knownHosts: 'host ssh-ed25519 AAAA', certificates: new Map([['host', 'PEM']]) },
  );

  it.each([
    ['https://host/org/app', '', 'own'],
    ['https://HOST/org/APP.git', '', 'own'],
    ['https://host/org/app', 'team', 'scoped'],
    ['https://host/org/app', 'other', 'own'],
    ['https://host/org/bare', '', 'long'],
    ['https://host/org/unknown', '', 'short'],
    ['https://host/other', '', undefined],
    ['https://github.com/x/y', '', 'github'],
    ['https://github.com.example.org/x', '', undefined],
    ['http://github.com/x', '', undefined],
  ])('%s in project %j is opened by %s', (url, project, password) => {
    expect(book.access(url, project).password).toBe(password);
  });

  it('joins a repository without credentials with its template', () => {
    expect(book.access('https://host/org/bare')).toMatchObject({
      username: 'l',
      password: 'long',
      proxy: 'http://proxy:3128',
    });
  });

  it('adds known hosts and the authority of the server', () => {
    expect(book.access('git@host:org/app.git')).toMatchObject({
      sshPrivateKey: 'KEY',
      knownHosts: 'host ssh-ed25519 AAAA',
    });
    expect(book.access('https://host:443/x')).toMatchObject({ certificateAuthority: 'PEM' });
    expect(book.access('https://elsewhere/x').certificateAuthority).toBeUndefined();
  });

  it('reads flags, numbers and apps', () => {
    expect(book.access('https://host/org/app')).toMatchObject({ insecure: true, depth: 1, type: 'git' });
    expect(book.access('https://github.com/app/x').githubApp).toEqual({
      id: 7,
      installation: 8,
      privateKey: 'PEM',
      baseUrl: '',
    });
    expect(book.access('https://source.developers.google.com/x').unusable).toMatch(/Google Cloud/);
  });

  it('tells by name, never by value, what it cannot read', () => {
    expect([...book.problems].sort()).toEqual([
      'Secret broken: depth is no number',
      'Secret broken: insecure is neither true nor false',
      'Secret broken: password has line breaks or control characters',
      'Secret broken: tlsClientCertData and tlsClientCertKey belong together',
      'Secret empty: url is missing',
    ]);
  });
});

describe('proxies', () => {
  const environment = { HTTPS_PROXY: 'proxy.example.org:3128', NO_PROXY: 'internal.example.org,.svc,10.0.0.0/8' };
  it.each([
    ['https://host/app', {}, 'http://proxy.example.org:3128'],
    ['http://host/app', {}, undefined],
    ['https://internal.example.org/app', {}, undefined],
    ['https://git.svc/app', {}, undefined],
    ['https://10.1.2.3/app', {}, undefined],
    ['https://127.0.0.1/app', {}, undefined],
    ['https://host/app', { proxy: 'http://own:1' }, 'http://own:1'],
    ['https://host/app', { proxy: 'http://own:1', noProxy: 'host' }, undefined],
  ])('%s with %j goes over %s', (url, access, expected) => {
    expect(proxyFor(url, access, environment)).toBe(expected);
  });

  it('refuses what is no proxy', () => {
    expect(() => proxyFor('https://host/app', { proxy: 'socks5://x:1' }, {})).toThrow(/proxy/);
  });
});
