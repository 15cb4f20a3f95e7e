import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollDelays } from '../harness/poll-delays.js';
import { type Cluster, WatchCache, systemClock } from '../../src/cluster/index.js';
import { isArray, isObject, parseJson, type JsonObject } from '../../src/model/json/index.js';
import { startGitServer, startKeycloak, startVault, type Double, type GitServer } from '../../world/doubles/index.js';
import { runCommand } from '../cli/app-lab.js';
import { GitRepository } from '../harness/git-repository.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { ControllerProcess } from '../faults/controller-process.js';
import type { Canary } from './canary.js';
import type { WatchedServer } from './canary-servers.js';
import { ProcessInspector } from './process-inspector.js';
import { APPLICATIONS, CONFIG_MAPS, EVENTS, type ResourceRef } from '../../src/model/resources/index.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const WITHIN = 300_000;
export const GIT_USER = 'gitea-admin';
const REPORTING_KINDS: readonly ResourceRef[] = [CONFIG_MAPS, EVENTS, APPLICATIONS];

/** Different in every run, and different in an address, in JSON and in base64. */
const secret = (name: string): Canary => ({
  name,
  value: `${randomBytes(9).toString('base64url')}+/%&=@:${randomBytes(6).toString('hex')}`,
});

/** What must not be seen. */
export const CANARIES = {
  gitea: secret('password of Gitea'),
  rotated: secret('second password of Gitea'),
  s3: secret('value of .env'),
  broken: secret('value of a broken .env'),
  client: secret('secret of the client'),
  keycloak: secret('password of Keycloak'),
  wrong: secret('wrong password'),
  planted: secret('planted'),
} as const;

/** What a command printed, whichever way. */
export interface Printed {
  readonly words: string;
  readonly code: number;
  readonly text: string;
}

/** A server and our controller as processes, the outside that they talk to, and eyes on all of them. */
export class CanaryLab {
  readonly printed: Printed[] = [];
  /** Every version of the objects in which people are told something. */
  readonly versions = new Map<string, string>();
  readonly #following: readonly WatchCache[];
  /** For files that a person has, such as `.env`; nobody else's business. */
  readonly homeFolder = mkdtempSync(join(tmpdir(), 'argosy-desk-'));

  private constructor(
    readonly server: WatchedServer,
    readonly cluster: Cluster,
    readonly eyes: ProcessInspector,
    readonly controller: ControllerProcess,
    readonly repository: GitRepository,
    readonly git: GitServer,
    readonly refused: { readonly logins: number },
    readonly urls: { readonly git: string; readonly keycloak: string; readonly vault: string },
    readonly vaultToken: Canary,
    private readonly doubles: readonly Double[],
  ) {
    this.#following = REPORTING_KINDS.map((kind) => {
      const cache = new WatchCache(cluster, kind, { clock: systemClock, random: Math.random, report: () => undefined });
      cache.subscribe((change) => {
        const { kind: name, metadata } = change.type === 'deleted' ? change.old : change.object;
        this.versions.set(
          `${name} ${metadata.namespace ?? ''}/${metadata.name ?? ''} at ${metadata.resourceVersion ?? ''}`,
          JSON.stringify(change.type === 'deleted' ? change.old : change.object),
        );
      });
      return cache;
    });
  }

  static async open(open: () => Promise<WatchedServer>): Promise<CanaryLab> {
    const eyes = new ProcessInspector();
    const server = await open();
    const controller = ControllerProcess.start({
      kubeconfig: server.kubeconfig,
      dir: mkdtempSync(join(tmpdir(), 'argosy-canary-controller-')),
      metricsPort: 0,
    });
    const repository = await GitRepository.open('/', [], (text) => text);
    const git = await startGitServer({
      folder: repository.dir,
      users: [{ name: GIT_USER, password: CANARIES.gitea.value }],
    });
    const keycloak = await startKeycloak({
      admin: { username: 'admin', password: CANARIES.keycloak.value },
      realms: [{ realm: 'ameide', clients: [{ clientId: 'argocd', secret: CANARIES.client.value }] }],
    });
    const vault = await startVault();
    const refused = { logins: 0 };
    const seen = {
      git: await eyes.proxyFor(git.url, (status, isLogin) => {
        if (status === 401 && isLogin) refused.logins++;
      }),
      keycloak: await eyes.proxyFor(keycloak.url),
      vault: await eyes.proxyFor(vault.url),
    };
    const token = await openVault(vault.url);
    await controller.ready();
    const urls = { git: `${seen.git.url}/.git`, keycloak: seen.keycloak.url, vault: seen.vault.url };
    return new CanaryLab(
      server,
      await connectCluster(server.kubeconfig),
      eyes,
      controller,
      repository,
      git,
      refused,
      urls,
      { name: 'token of Vault', value: token },
      [git, keycloak, vault, ...Object.values(seen)],
    );
  }

  async close(): Promise<void> {
    this.eyes.close();
    for (const cache of this.#following) cache.close();
    await this.controller.stop();
    await this.cluster.close();
    await this.server.stop();
    for (const double of this.doubles) await double.close();
    await this.repository.close();
    for (const folder of [this.homeFolder, this.controller.options.dir])
      rmSync(folder, { recursive: true, force: true });
  }

  file(name: string, text: string): string {
    writeFileSync(join(this.homeFolder, name), text, { mode: 0o600 });
    return join(this.homeFolder, name);
  }

  /** A command of ours as a person gives it: a process of its own. */
  async run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Printed> {
    const child = spawn(process.execPath, ['--disable-proto=delete', MAIN, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: this.homeFolder, KUBECONFIG: this.server.kubeconfig, ...environment },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    const code = await new Promise<number>((resolve, reject) =>
      child.once('error', reject).once('close', (status) => {
        resolve(status ?? -1);
      }),
    );
    return this.#keep(words, code, text);
  }

  /** One that looks only at the cluster: the same commands in this process. */
  async runInProcess(words: readonly string[]): Promise<Printed> {
    const { code, out, err } = await runCommand([...words, '--kubeconfig', this.server.kubeconfig], { now: Date.now });
    return this.#keep(words, code, out + err);
  }

  #keep(words: readonly string[], code: number, text: string): Printed {
    const printed = {
      words: words.filter((word) => !word.startsWith('/') && !word.startsWith('http')).join(' '),
      code,
      text,
    };
    this.printed.push(printed);
    return printed;
  }

  /** What Vault has under a key. */
  async vault(key: string): Promise<JsonObject> {
    const answer = await requestVault(this.urls.vault, `secret/data/${key}`, { token: this.vaultToken.value });
    return isObject(answer.data) && isObject(answer.data.data) ? answer.data.data : {};
  }

  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); ; await next()) {
      const found = await look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end) throw new Error(`never: ${what}; the controller said:\n${this.controller.tail()}`);
    }
  }
}

async function requestVault(
  url: string,
  path: string,
  { body, token = '' }: { readonly body?: JsonObject; readonly token?: string },
): Promise<JsonObject> {
  const answer = await fetch(`${url}/v1/${path}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { 'x-vault-token': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const value = parseJson((await answer.text()) || '{}');
  return isObject(value) ? value : {};
}

/** Initialises and unseals; gives the token of the root. */
async function openVault(url: string): Promise<string> {
  const { keys, root_token: token } = await requestVault(url, 'sys/init', {
    body: { secret_shares: 1, secret_threshold: 1 },
  });
  await requestVault(url, 'sys/unseal', { body: { key: isArray(keys) ? String(keys[0]) : '' } });
  return String(token);
}
