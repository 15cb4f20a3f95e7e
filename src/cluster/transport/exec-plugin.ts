import { execFile } from 'node:child_process';
import { Fault } from '../../model/faults/index.js';
import { isObject, parseJson, writeJson, type Json, type JsonObject } from '../../model/json/index.js';
import { millisecondsOf, parseTime } from '../../model/formats/index.js';
import type { ClusterConfig, Environment, ExecPlugin } from '../config/index.js';

export interface ExecCredential {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** Time of day in milliseconds; without it the credential lasts until it is refused. */
  readonly expires?: number;
}

const PLUGIN_TIMEOUT = 60_000;
const MAX_OUTPUT_BYTES = 1 << 20;

/** Runs the plugin once, without a shell and without a terminal, and reads the credential that it prints. */
export async function runExecPlugin(
  plugin: ExecPlugin,
  config: ClusterConfig,
  authority: string | undefined,
  environment: Environment,
): Promise<ExecCredential> {
  const info: JsonObject = {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(plugin.provideClusterInfo ? { cluster: clusterInfo(plugin, config, authority) } : {}),
    },
  };
  const env: Record<string, string | undefined> = { ...environment };
  for (const { name, value } of plugin.env) env[name] = value;
  env['KUBERNETES_EXEC_INFO'] = writeJson(info);
  const where = `exec plugin ${plugin.command}`;
  return readCredential(await run(plugin, env, where), plugin, where);
}

function clusterInfo(plugin: ExecPlugin, config: ClusterConfig, authority: string | undefined): JsonObject {
  return {
    server: config.server,
    ...(config.tlsServerName === undefined ? {} : { 'tls-server-name': config.tlsServerName }),
    ...(config.skipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(config.proxyUrl === undefined ? {} : { 'proxy-url': config.proxyUrl }),
    config: (plugin.extension ?? null) as Json,
  };
}

function run(plugin: ExecPlugin, env: Record<string, string | undefined>, where: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      plugin.command,
      plugin.args,
      { env, timeout: PLUGIN_TIMEOUT, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const lastLine = stderr.trim().split('\n').at(-1) ?? '';
        const missing = error.code === 'ENOENT';
        const hint = missing && plugin.installHint !== '' ? ` ${plugin.installHint.replace(/[^\P{C}\n]/gu, '')}` : '';
        const failure = error.killed === true ? 'it timed out' : `it failed (${String(error.code)})`;
        const what = missing ? 'the program is not installed' : failure;
        reject(
          new Fault('KUBECONFIG_INVALID', `no credentials: ${what}${lastLine === '' ? '' : `: ${lastLine}`}${hint}`, {
            where,
          }),
        );
      },
    );
    child.stdin?.end();
  });
}

function readCredential(output: string, plugin: ExecPlugin, where: string): ExecCredential {
  const fail = (message: string): never => {
    throw new Fault('KUBECONFIG_INVALID', message, { where });
  };
  // Its text may hold a token, so a fault never quotes it.
  const value = parsed(output) ?? fail('it printed something that is no JSON');
  if (!isObject(value) || value.kind !== 'ExecCredential')
    return fail('it printed something that is no ExecCredential');
  if (value.apiVersion !== plugin.apiVersion)
    return fail(`it answered in ${JSON.stringify(value.apiVersion)}, but the kubeconfig says ${plugin.apiVersion}`);
  const status = isObject(value.status) ? value.status : fail('its answer has no status');
  const [token, certificate, key] = [status.token, status.clientCertificateData, status.clientKeyData].map((item) =>
    typeof item === 'string' ? item : '',
  ) as [string, string, string];
  if ((certificate === '') !== (key === '')) fail('it gave a certificate or a key, but not both');
  if (token === '' && certificate === '') fail('it gave neither a token nor a certificate');
  const expires =
    typeof status.expirationTimestamp === 'string' ? expiry(status.expirationTimestamp, where) : undefined;
  return {
    ...(token === '' ? {} : { token }),
    ...(certificate === '' ? {} : { certificate, key }),
    ...(expires === undefined ? {} : { expires }),
  };
}

function parsed(output: string): Json | undefined {
  try {
    return parseJson(output);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function expiry(text: string, where: string): number {
  try {
    return millisecondsOf(parseTime(text));
  } catch (error) {
    throw new Fault('KUBECONFIG_INVALID', `its expirationTimestamp "${text}" is no time`, { where, cause: error });
  }
}
