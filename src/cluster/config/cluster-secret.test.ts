import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { clusterSecretConfig } from './cluster-secret.js';

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const pem = Buffer.from(PEM).toString('base64');

const secret = (config: JsonObject, more: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'prod', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  stringData: { name: 'prod', server: 'https://prod.example.com:6443/', config: JSON.stringify(config), ...more },
});

const BASE = { context: 'prod', server: 'https://prod.example.com:6443', namespace: 'default', skipTlsVerify: false };

describe('the config of a cluster Secret', () => {
  it.each<[string, JsonObject, object]>([
    [
      'a token and an authority',
      { bearerToken: 't', tlsClientConfig: { insecure: false, caData: pem, serverName: 'api' } },
      { user: { token: 't' }, authority: { kind: 'text', pem: PEM }, tlsServerName: 'api' },
    ],
    [
      'a client certificate',
      { tlsClientConfig: { certData: pem, keyData: pem } },
      { user: { certificate: { kind: 'text', pem: PEM }, key: { kind: 'text', pem: PEM } } },
    ],
    [
      'a user with a password, without verification',
      { username: 'u', password: 'p', tlsClientConfig: { insecure: true } },
      { user: { basic: { username: 'u', password: 'p' } }, skipTlsVerify: true },
    ],
    [
      'a proxy',
      { bearerToken: 't', proxyUrl: 'http://proxy:3128', disableCompression: true },
      { user: { token: 't' }, proxyUrl: 'http://proxy:3128' },
    ],
    ['nobody', {}, { user: {} }],
    [
      'a program',
      {
        execProviderConfig: {
          command: 'aws',
          args: ['eks', 'get-token'],
          env: { AWS_REGION: 'eu-west-1' },
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          installHint: 'install aws',
          provideClusterInfo: true,
          config: { cluster: 'prod' },
        },
      },
      {
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: 'aws',
            args: ['eks', 'get-token'],
            env: [{ name: 'AWS_REGION', value: 'eu-west-1' }],
            installHint: 'install aws',
            provideClusterInfo: true,
            extension: { cluster: 'prod' },
          },
        },
      },
    ],
  ])('opens with %s', (_, config, expected) => {
    expect(clusterSecretConfig(secret(config))).toEqual({ ...BASE, ...expected });
  });

  it('takes the proxy from the environment where it names none', () => {
    expect(clusterSecretConfig(secret({}), { HTTPS_PROXY: 'http://proxy:3128' }).proxyUrl).toBe('http://proxy:3128');
  });

  it.each<[string, JsonObject, Readonly<Record<string, string>>, string, string]>([
    [
      'IAM of AWS',
      { awsAuthConfig: { clusterName: 'prod' } },
      {},
      'awsAuthConfig is not supported',
      'Secret prod: config.awsAuthConfig',
    ],
    [
      'two ways at once',
      { username: 'u', bearerToken: 'hunter2' },
      {},
      'username and bearerToken exclude each other',
      'Secret prod: config',
    ],
    [
      'half a pair',
      { tlsClientConfig: { certData: pem } },
      {},
      'certData and keyData are needed together',
      'Secret prod: config.tlsClientConfig',
    ],
    [
      'an authority that is not asked',
      { tlsClientConfig: { insecure: true, caData: pem } },
      {},
      'caData and insecure exclude each other',
      'Secret prod: config.tlsClientConfig.insecure',
    ],
    [
      'what is no base64',
      { tlsClientConfig: { caData: 'hunter2 !' } },
      {},
      'caData is not base64',
      'Secret prod: config.tlsClientConfig.caData',
    ],
    [
      'an old plugin',
      { execProviderConfig: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      {},
      'is not known',
      'Secret prod: config.execProviderConfig.apiVersion',
    ],
    ['a file', {}, { server: 'file:///etc/passwd' }, 'is not an http or https address', 'Secret prod'],
  ])('refuses %s and says where', (_, config, more, message, where) => {
    const attempt = (): unknown => clusterSecretConfig(secret(config, more));
    expect(attempt).toThrow(message);
    try {
      attempt();
    } catch (error) {
      expect(error instanceof Fault && [error.code, error.where, error.message.includes('hunter2')]).toEqual([
        'VALUE_INVALID',
        where,
        false,
      ]);
    }
  });
});
