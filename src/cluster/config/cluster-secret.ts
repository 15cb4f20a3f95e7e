import { Fault } from '../../model/faults/index.js';
import { isObject } from '../../model/json/index.js';
import { readClusterSecret } from '../../model/argo/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ClusterConfig, Environment, ExecPlugin, UserConfig } from './cluster-config.js';
import { Field } from './kubeconfig-field.js';
import { proxyFromEnvironment } from '../../net/http/index.js';

/**
 * Whom to talk to, and as whom, out of a Secret with the label `argocd.argoproj.io/secret-type: cluster`. A Fault names
 * the field that is wrong or that asks for something Argosy does not have, never its value. The environment is asked
 * for a proxy where the Secret names none.
 */
export function clusterSecretConfig(secret: KubeObject, environment: Environment = {}): ClusterConfig {
  const { name, server, config, namespaces } = readClusterSecret(secret);
  const where = `Secret ${secret.metadata.name ?? ''}`;
  try {
    return assemble(
      { name, server: addressOf(server, where), namespace: namespaces[0] ?? 'default', environment },
      new Field(where, 'config', config),
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'KUBECONFIG_INVALID') throw error;
    throw new Fault('VALUE_INVALID', error.message, { where: error.where });
  }
}

interface Target {
  readonly name: string;
  readonly server: string;
  readonly namespace: string;
  readonly environment: Environment;
}

function assemble({ name, server, namespace, environment }: Target, config: Field): ClusterConfig {
  const tls = config.at('tlsClientConfig');
  const authority = tls.at('caData');
  const skipTlsVerify = tls.at('insecure').flag();
  if (skipTlsVerify && authority.isSet) tls.at('insecure').fail('caData and insecure exclude each other');
  const tlsServerName = tls.at('serverName').text();
  const proxyUrl = config.at('proxyUrl').text();
  if (proxyUrl !== '' && !/^(https?|socks5):\/\/./.test(proxyUrl))
    config.at('proxyUrl').fail('proxyUrl must start with http://, https:// or socks5://');
  const proxy = proxyUrl === '' ? proxyFromEnvironment(new URL(server), environment) : proxyUrl;
  return {
    context: name,
    server,
    namespace,
    skipTlsVerify,
    user: userOf(config, tls),
    ...(authority.isSet ? { authority: { kind: 'text', pem: authority.base64() } } : {}),
    ...(tlsServerName === '' ? {} : { tlsServerName }),
    ...(proxy === undefined ? {} : { proxyUrl: proxy }),
  };
}

function addressOf(server: string, where: string): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Fault('VALUE_INVALID', `server ${JSON.stringify(server)} is not an http or https address`, { where });
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

function userOf(config: Field, tls: Field): UserConfig {
  const aws = config.at('awsAuthConfig');
  if (aws.isSet) {
    aws.fail(
      'awsAuthConfig is not supported: Argosy has no AWS client of its own. Use execProviderConfig with ' +
        '"aws eks get-token", or a bearerToken',
    );
  }
  const [certificate, key] = [tls.at('certData'), tls.at('keyData')];
  if (certificate.isSet !== key.isSet) tls.fail('certData and keyData are needed together');
  const [username, token] = [config.at('username').text(), config.at('bearerToken').text()];
  if (username !== '' && token !== '') config.fail('username and bearerToken exclude each other');
  const exec = execOf(config.at('execProviderConfig'));
  return {
    ...(certificate.isSet
      ? { certificate: { kind: 'text', pem: certificate.base64() }, key: { kind: 'text', pem: key.base64() } }
      : {}),
    ...(token === '' ? {} : { token }),
    ...(username === '' ? {} : { basic: { username, password: config.at('password').text() } }),
    ...(exec === undefined ? {} : { exec }),
  };
}

function execOf(exec: Field): ExecPlugin | undefined {
  if (!exec.isSet) return undefined;
  const apiVersion = exec.object().at('apiVersion').required();
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    return exec.at('apiVersion').fail(`"${apiVersion}" is not known; client.authentication.k8s.io/v1 and v1beta1 are`);
  }
  const env = exec.at('env');
  if (env.isSet) env.object();
  return {
    apiVersion,
    command: exec.at('command').required(),
    args: exec.at('args').texts(),
    env: (isObject(env.value) ? Object.keys(env.value) : []).map((name) => ({ name, value: env.at(name).text() })),
    installHint: exec.at('installHint').text(),
    provideClusterInfo: exec.at('provideClusterInfo').flag(),
    extension: exec.at('config').value,
  };
}
