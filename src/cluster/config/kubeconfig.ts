import { readFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { isObject, own } from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { ClusterConfig, Environment, ExecPlugin, Impersonation, PemSource, UserConfig } from './cluster-config.js';
import { Field } from './kubeconfig-field.js';
import { proxyFromEnvironment } from '../../net/http/index.js';

export interface KubeconfigOptions {
  /** The one file to read; without it the files of KUBECONFIG, then `defaultPath`. */
  readonly path?: string | undefined;
  /** Instead of current-context. */
  readonly context?: string | undefined;
  readonly environment: Environment;
  readonly defaultPath: string;
}

/** Reads which cluster to talk to and as whom, as kubectl would. Faults name file and field. */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<ClusterConfig> {
  const files = await readFiles(options);
  const current = options.context ?? files.map((file) => file.at('current-context').text()).find((name) => name !== '');
  const [first] = files;
  if (current === undefined)
    return first.at('current-context').fail('no context is chosen: name one with --context or set current-context');
  const context =
    find(files, 'contexts', 'context', current) ??
    first.at('contexts').fail(`there is no context "${current}"; there ${listed(files)}`);
  const clusterName = context.at('cluster').required();
  const cluster =
    find(files, 'clusters', 'cluster', clusterName) ??
    context.at('cluster').fail(`there is no cluster "${clusterName}"`);
  const userName = context.at('user').text();
  const user =
    userName === ''
      ? new Field(context.file, 'users', {})
      : (find(files, 'users', 'user', userName) ?? context.at('user').fail(`there is no user "${userName}"`));
  return assemble(current, context, cluster, user, options.environment);
}

/** The files that exist, in order of precedence; the first to set a name wins. */
async function readFiles({ path, environment, defaultPath }: KubeconfigOptions): Promise<[Field, ...Field[]]> {
  const fromEnvironment = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((name) => name !== '');
  const byDefault = fromEnvironment.length > 0 ? [...new Set(fromEnvironment)] : [defaultPath];
  const paths = path === undefined ? byDefault : [path];
  const files: Field[] = [];
  for (const file of paths) {
    const text = await readText(file, path === undefined);
    if (text !== undefined) files.push(parseFile(file, text));
  }
  const [first, ...others] = files;
  if (first === undefined)
    throw new Fault('KUBECONFIG_INVALID', 'no kubeconfig found: set one with --kubeconfig or KUBECONFIG', {
      where: paths.join(', '),
    });
  return [first, ...others];
}

async function readText(file: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (mayBeMissing && code === 'ENOENT') return undefined;
    throw new Fault('KUBECONFIG_INVALID', `the kubeconfig cannot be read (${String(code)})`, {
      where: file,
      cause: error,
    });
  }
}

function parseFile(file: string, text: string): Field {
  try {
    const value = readOneYaml(text, { dialect: 'kubernetes', file });
    return new Field(file, '', value ?? {}).object();
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'KUBECONFIG_INVALID') throw error;
    throw new Fault('KUBECONFIG_INVALID', error.message, { where: error.where, cause: error });
  }
}

function find(files: readonly Field[], list: string, inside: string, name: string): Field | undefined {
  for (const file of files) {
    const entry = file
      .at(list)
      .list()
      .find((item) => item.at('name').text() === name);
    if (entry !== undefined) return entry.at(inside).object();
  }
  return undefined;
}

function listed(files: readonly Field[]): string {
  const names = [
    ...new Set(
      files.flatMap((file) =>
        file
          .at('contexts')
          .list()
          .map((item) => item.at('name').text()),
      ),
    ),
  ];
  return names.length === 0 ? 'is none at all' : `is ${names.map((name) => `"${name}"`).join(', ')}`;
}

function assemble(name: string, context: Field, cluster: Field, user: Field, environment: Environment): ClusterConfig {
  const server = serverOf(cluster.at('server'));
  const authority = pem(cluster, 'certificate-authority');
  const skipTlsVerify = cluster.at('insecure-skip-tls-verify').flag();
  if (skipTlsVerify && authority !== undefined)
    cluster
      .at('insecure-skip-tls-verify')
      .fail('a certificate authority and insecure-skip-tls-verify exclude each other');
  const tlsServerName = cluster.at('tls-server-name').text();
  const proxyUrl = cluster.at('proxy-url').text();
  if (proxyUrl !== '' && !/^(https?|socks5):\/\/./.test(proxyUrl))
    cluster.at('proxy-url').fail('proxy-url must start with http://, https:// or socks5://');
  const proxy = proxyUrl === '' ? proxyFromEnvironment(new URL(server), environment) : proxyUrl;
  const impersonate = impersonationOf(user);
  return {
    context: name,
    server,
    namespace: context.at('namespace').text() || 'default',
    skipTlsVerify,
    user: userOf(user, cluster),
    ...(authority === undefined ? {} : { authority }),
    ...(tlsServerName === '' ? {} : { tlsServerName }),
    ...(proxy === undefined ? {} : { proxyUrl: proxy }),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function serverOf(field: Field): string {
  const text = field.required();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return field.fail(`"${text}" is not an http or https address`);
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** `NAME-data` as base64, or `NAME` as a file beside the kubeconfig. Data wins, as in kubectl. */
function pem(of: Field, name: string): PemSource | undefined {
  const data = of.at(`${name}-data`);
  if (data.isSet) return { kind: 'text', pem: data.base64() };
  const path = of.at(name).text();
  return path === '' ? undefined : { kind: 'file', path: beside(of.file, path) };
}

function beside(file: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(file), path);
}

function userOf(user: Field, cluster: Field): UserConfig {
  const provider = user.at('auth-provider');
  if (provider.isSet) {
    provider.fail(
      `the auth-provider "${provider.at('name').text()}" is not supported: Argosy does not load ` +
        '@kubernetes/client-node. Use an exec plugin or a token',
    );
  }
  const certificate = pem(user, 'client-certificate');
  const key = pem(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined))
    user.fail('client-certificate and client-key are needed together');
  const token = user.at('token').text();
  const tokenFile = user.at('tokenFile').text();
  const username = user.at('username').text();
  const password = user.at('password').text();
  if (username !== '' && (token !== '' || tokenFile !== '')) user.fail('username and token exclude each other');
  const exec = execOf(user.at('exec'), cluster);
  return {
    ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
    ...(token === '' ? {} : { token }),
    ...(tokenFile === '' ? {} : { tokenFile: beside(user.file, tokenFile) }),
    ...(username === '' ? {} : { basic: { username, password } }),
    ...(exec === undefined ? {} : { exec }),
  };
}

function execOf(exec: Field, cluster: Field): ExecPlugin | undefined {
  if (!exec.isSet) return undefined;
  const apiVersion = exec.object().at('apiVersion').required();
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    return exec.at('apiVersion').fail(`"${apiVersion}" is not known; client.authentication.k8s.io/v1 and v1beta1 are`);
  }
  if (exec.at('interactiveMode').text() === 'Always')
    exec.at('interactiveMode').fail('the plugin asks for a terminal, and Argosy runs it without one');
  const command = exec.at('command').required();
  const extension = cluster
    .at('extensions')
    .list()
    .find((item) => item.at('name').text() === 'client.authentication.k8s.io/exec');
  return {
    apiVersion,
    command: command.includes('/') ? beside(exec.file, command) : command,
    args: exec.at('args').texts(),
    env: exec
      .at('env')
      .list()
      .map((item) => ({ name: item.at('name').required(), value: item.at('value').text() })),
    installHint: exec.at('installHint').text(),
    provideClusterInfo: exec.at('provideClusterInfo').flag(),
    extension: extension?.at('extension').value,
  };
}

function impersonationOf(user: Field): Impersonation | undefined {
  const name = user.at('as').text();
  const uid = user.at('as-uid').text();
  const groups = user.at('as-groups').texts();
  const extra = user.at('as-user-extra');
  const extraNames = isObject(extra.value) ? Object.keys(extra.value) : [];
  if (name === '') {
    if (uid !== '' || groups.length > 0 || extraNames.length > 0)
      user.at('as').fail('as-uid, as-groups and as-user-extra need "as"');
    return undefined;
  }
  return {
    user: name,
    groups,
    extra: extraNames.map(
      (key) =>
        [
          key,
          new Field(
            extra.file,
            `${extra.path}.${key}`,
            isObject(extra.value) ? own(extra.value, key) : undefined,
          ).texts(),
        ] as const,
    ),
    ...(uid === '' ? {} : { uid }),
  };
}
