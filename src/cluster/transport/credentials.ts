import { readFile } from 'node:fs/promises';
import { Fault } from '../../model/faults/index.js';
import type { Clock } from '../timing/index.js';
import type { ClusterConfig, Environment, Impersonation, PemSource } from '../config/index.js';
import { runExecPlugin, type ExecCredential } from './exec-plugin.js';

/** Certificates of a connection; undefined where the system's or none are used. */
export interface TlsMaterial {
  readonly authority: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** As client-go: the content of a file is trusted for a minute. */
const FILE_TTL = 60_000;
/** A credential is renewed this long before it ends, so that no request carries one that ends on the way. */
const RENEW_BEFORE = 10_000;

/**
 * A plugin is not run again sooner, whether it failed or its credential was refused or old: a hundred watches would all
 * do so.
 */
const PLUGIN_MIN_INTERVAL = 5_000;

/** Who we are, kept fresh: token files are read again, exec plugins run again when their credential ends. */
export class Credentials {
  #file: { readonly token: string; readonly until: number } | undefined;
  #pems: { readonly material: TlsMaterial; readonly until: number } | undefined;
  #exec: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;
  #ran = Number.NEGATIVE_INFINITY;
  #failure: Fault | undefined;

  constructor(
    readonly config: ClusterConfig,
    readonly clock: Clock,
    readonly environment: Environment,
  ) {}

  /** `user` stands in for whom the configuration impersonates. */
  async headers(user: Impersonation | undefined = this.config.impersonate): Promise<Record<string, string | string[]>> {
    const authorization = await this.#authorization();
    return {
      ...(authorization === undefined ? {} : { authorization }),
      ...impersonationHeaders(user),
    };
  }

  async tls(): Promise<TlsMaterial> {
    const exec = this.config.user.exec === undefined ? undefined : await this.#execCredential();
    const material = await this.#configured();
    return exec?.certificate === undefined ? material : { ...material, certificate: exec.certificate, key: exec.key };
  }

  /** After a 401: forgets what may be outdated. True where a new attempt can differ. */
  renew(): boolean {
    const mayRunAgain = this.#exec !== undefined && !this.#rests;
    const canDiffer = mayRunAgain || this.#file !== undefined;
    if (mayRunAgain) this.#exec = undefined;
    this.#file = undefined;
    this.#pems = undefined;
    return canDiffer;
  }

  /** What the kubeconfig itself names. */
  async #configured(): Promise<TlsMaterial> {
    const now = this.clock.steady();
    if (this.#pems !== undefined && now < this.#pems.until) return this.#pems.material;
    const { user, authority } = this.config;
    const material = {
      authority: await pemText(authority, 'certificate-authority'),
      certificate: await pemText(user.certificate, 'client-certificate'),
      key: await pemText(user.key, 'client-key'),
    };
    this.#pems = { material, until: now + FILE_TTL };
    return material;
  }

  async #authorization(): Promise<string | undefined> {
    const { user } = this.config;
    if (user.exec !== undefined) {
      const { token } = await this.#execCredential();
      if (token !== undefined) return `Bearer ${token}`;
    }
    const token = user.tokenFile === undefined ? user.token : await this.#fileToken(user.tokenFile, user.token);
    if (token !== undefined) return `Bearer ${token}`;
    const { basic } = user;
    return basic === undefined
      ? undefined
      : `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
  }

  async #fileToken(path: string, fallback: string | undefined): Promise<string> {
    const now = this.clock.steady();
    if (this.#file !== undefined && now < this.#file.until) return this.#file.token;
    const token = (await readFile(path, 'utf8').catch(() => '')).trim() || this.#file?.token || fallback;
    // A kubelet replaces the file now and then; the last good token serves until it is readable again.
    if (token === undefined)
      throw new Fault('KUBECONFIG_INVALID', 'the token file cannot be read or is empty', {
        where: `${path}: tokenFile`,
      });
    this.#file = { token, until: now + FILE_TTL };
    return token;
  }

  async #execCredential(): Promise<ExecCredential> {
    const { exec } = this.config.user;
    if (exec === undefined) throw new Error('there is no exec plugin');
    const known = this.#exec;
    if (
      known !== undefined &&
      (this.#rests || known.expires === undefined || this.clock.now().getTime() < known.expires - RENEW_BEFORE)
    )
      return known;
    if (this.#failure !== undefined && this.#rests) throw this.#failure;
    // Requests that start together share one run.
    this.#running ??= this.#runPlugin().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  get #rests(): boolean {
    return this.clock.steady() - this.#ran < PLUGIN_MIN_INTERVAL;
  }

  async #runPlugin(): Promise<ExecCredential> {
    const { exec } = this.config.user;
    if (exec === undefined) throw new Error('there is no exec plugin');
    const authority = exec.provideClusterInfo
      ? await pemText(this.config.authority, 'certificate-authority')
      : undefined;
    try {
      this.#exec = await runExecPlugin(exec, this.config, authority, this.environment);
      this.#failure = undefined;
      return this.#exec;
    } catch (error) {
      this.#failure = error instanceof Fault ? error : undefined;
      throw error;
    } finally {
      this.#ran = this.clock.steady();
    }
  }
}

async function pemText(source: PemSource | undefined, field: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  if (source.kind === 'text') return source.pem;
  try {
    return await readFile(source.path, 'utf8');
  } catch (error) {
    throw new Fault('KUBECONFIG_INVALID', `the ${field} file cannot be read`, {
      where: `${source.path}: ${field}`,
      cause: error,
    });
  }
}

function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (impersonate === undefined) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': impersonate.user };
  if (impersonate.uid !== undefined) headers['impersonate-uid'] = impersonate.uid;
  if (impersonate.groups.length > 0) headers['impersonate-group'] = [...impersonate.groups];
  for (const [name, values] of impersonate.extra)
    headers[`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`] = [...values];
  return headers;
}
