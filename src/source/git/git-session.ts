import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { proxyFor, scrubFor, type RepositoryAccess } from '../access/index.js';
import { maskUrl, type Address, type Protocol, type SourceDependencies } from '../common/index.js';
import { gitEnvironment } from './git-environment.js';
import type { GitFolder } from './git-folder.js';

/** What one talk with a server needs: settings in a private file, keys as 0600 files, answers for git's questions. */
export interface GitSession {
  readonly environment: Readonly<Record<string, string>>;
  /** The answer to a question of git, or undefined to refuse. */
  readonly answer: (question: string) => string | undefined;
  readonly scrub: (text: string) => string;
  /** Removes all files. */
  close(): Promise<void>;
}

export async function openSession(
  world: SourceDependencies,
  folder: GitFolder,
  address: Address,
  access: RepositoryAccess,
): Promise<GitSession> {
  if (access.unusable !== undefined)
    throw new Fault(
      'SOURCE_REFUSED',
      `the Secret of the repository holds ${access.unusable}, which is not supported; give a password, token or key`,
      { where: maskUrl(address.url) },
    );
  const directory = await mkdtemp(join(folder.private, 'call-'));
  const close = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const put = async (name: string, text: string): Promise<string> => {
      const path = join(directory, name);
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    };
    const lines = ['[remote "origin"]', setting('url', address.url), ...FIXED_CONFIG];
    if (address.protocol === 'http' || address.protocol === 'https')
      lines.push(...(await httpSettings(world, address, access, put)));
    const environment = {
      ...gitEnvironment(world, folder),
      GIT_ALLOW_PROTOCOL: ALLOW[address.protocol].join(':'),
      GIT_ASKPASS: folder.askpass,
      GIT_CONFIG_GLOBAL: await put('config', `${lines.join('\n')}\n`),
      ...(address.protocol === 'ssh'
        ? { GIT_SSH: folder.ssh, ARGOSY_SSH_CONFIG: await sshConfig(address, access, put) }
        : {}),
    };
    return { environment, answer: answerer(address, access), scrub: scrubFor(access, folder.root), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A redirect may make http safer, never the other way round, and never becomes another transport. */
const ALLOW: Readonly<Record<Protocol, readonly Protocol[]>> = {
  https: ['https'],
  http: ['http', 'https'],
  ssh: ['ssh'],
  git: ['git'],
  file: ['file'],
};

const FIXED_CONFIG = [
  '[core]',
  '\thooksPath = /dev/null',
  '\tfsmonitor = false',
  '\tbigFileThreshold = 8m',
  '\taskPass =',
  '[gc]',
  '\tauto = 0',
  '[maintenance]',
  '\tauto = false',
  '[credential]',
  '\thelper =',
  '\tinteractive = false',
  '[fetch]',
  '\tfsckObjects = false',
  '\tunpackLimit = 1',
  '\trecurseSubmodules = false',
  '\twriteCommitGraph = false',
  '\tshowForcedUpdates = false',
  '[submodule]',
  '\trecurse = false',
  '[advice]',
  '\tdetachedHead = false',
  '[protocol]',
  '\tversion = 2',
];

function authorizationHeader(access: RepositoryAccess): string | undefined {
  if (access.bearerToken !== undefined) return `Authorization: Bearer ${access.bearerToken}`;
  const { username, password } = credentialsOf(access);
  if (access.forceBasic !== true || password === undefined) return undefined;
  return `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function httpSettings(
  world: SourceDependencies,
  address: Address,
  access: RepositoryAccess,
  put: (name: string, text: string) => Promise<string>,
): Promise<string[]> {
  const { insecure, certificateAuthority, clientCertificate } = access;
  const lines = [
    '[http]',
    setting('userAgent', 'argosy'),
    setting('lowSpeedLimit', '100'),
    setting('lowSpeedTime', '30'),
  ];
  const header = authorizationHeader(access);
  if (header !== undefined) lines.push(setting('extraHeader', header));
  // git sends its own headers and certificates wherever a redirect leads.
  lines.push(
    setting(
      'followRedirects',
      header === undefined && clientCertificate === undefined && access.staysOnServer !== true ? 'initial' : 'false',
    ),
  );
  if (insecure === true) lines.push(setting('sslVerify', 'false'));
  if (certificateAuthority !== undefined) lines.push(setting('sslCAInfo', await put('ca.pem', certificateAuthority)));
  if (clientCertificate !== undefined) {
    lines.push(
      setting('sslCert', await put('client.pem', clientCertificate.certificate)),
      setting('sslKey', await put('client.key', clientCertificate.key)),
    );
  }
  const proxy = proxyFor(address.url, access, world.environment);
  // Empty means none; an unset proxy would let curl look for one.
  lines.push(setting('proxy', proxy ?? ''));
  return lines;
}

async function sshConfig(
  address: Address,
  access: RepositoryAccess,
  put: (name: string, text: string) => Promise<string>,
): Promise<string> {
  if (access.proxy !== undefined)
    throw new Fault(
      'SOURCE_INVALID',
      'a proxy for ssh repositories is not supported; use the https address of the repository',
      { where: maskUrl(address.url) },
    );
  const key = access.sshPrivateKey;
  const keyFile = key === undefined ? 'none' : sshPath(await put('key', `${key.replaceAll('\r\n', '\n').trimEnd()}\n`));
  const hostsFile = sshPath(await put('known_hosts', `${access.knownHosts ?? ''}\n`));
  return put(
    'ssh_config',
    [
      'Host *',
      `IdentityFile ${keyFile}`,
      'IdentitiesOnly yes',
      'IdentityAgent none',
      `UserKnownHostsFile ${hostsFile}`,
      'GlobalKnownHostsFile /dev/null',
      `StrictHostKeyChecking ${access.insecure === true ? 'no' : 'yes'}`,
      'UpdateHostKeys no',
      'BatchMode yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'ForwardAgent no',
      'ClearAllForwardings yes',
      'PermitLocalCommand no',
      'ProxyCommand none',
      'ControlMaster no',
      'ControlPath none',
      'ConnectTimeout 10',
      'ServerAliveInterval 15',
      'ServerAliveCountMax 2',
      'LogLevel ERROR',
      '',
    ].join('\n'),
  );
}

function sshPath(path: string): string {
  return `"${path.replaceAll('%', '%%').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function credentialsOf({ username, password }: RepositoryAccess): { username: string; password: string | undefined } {
  // A token alone: servers want some user name with it.
  return { username: username ?? (password === undefined ? '' : 'x-access-token'), password };
}

/** Answers only for the server that the repository is on: after a redirect git asks in the name of another. */
function answerer(address: Address, access: RepositoryAccess): (question: string) => string | undefined {
  const { username, password } = credentialsOf(access);
  return (question) => {
    const [, what, about = ''] = /^(Username|Password) for '(.*)': ?$/.exec(question) ?? [];
    const [, protocol, , host] = /^([a-z]+):\/\/(?:(.*)@)?([^/@]*)$/.exec(about) ?? [];
    if (what === undefined || protocol !== address.protocol || host?.toLowerCase() !== address.host.toLowerCase())
      return undefined;
    if (username === '' && password === undefined) return undefined;
    return what === 'Username' ? username : (password ?? '');
  };
}

function setting(name: string, value: string): string {
  return `\t${name} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
