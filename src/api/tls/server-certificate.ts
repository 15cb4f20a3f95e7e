import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { ControlServices } from '../../control/index.js';
import { issueCertificate, type KeyedCertificate } from '../../model/certificates/index.js';
import { Fault } from '../../model/faults/index.js';
import type { Logger } from '../../model/logging/index.js';
import { ARGOCD_SECRET, SERVER_TLS_SECRET, type SecretCache } from '../access/index.js';

export interface CertificateOptions {
  /** Names of this server besides loopback and its Service; a certificate of our own has them. */
  readonly hosts: readonly string[];
  readonly log: Logger;
}

const [CERTIFICATE, KEY] = ['tls.crt', 'tls.key'] as const;
const ORGANIZATION = 'Argosy';
const DAY = 86_400_000;
const VALID_DAYS = 365;
/** One of our own is replaced this long before it expires. */
const RENEW_DAYS = 30;

/**
 * The certificate of the server: that of the Secret argocd-server-tls, else that of argocd-secret, else one that we
 * sign ourselves and keep in the latter, as Argo CD does.
 */
export class ServerCertificate {
  readonly #secrets: SecretCache;
  readonly #services: ControlServices;
  readonly #log: Logger;
  readonly #hosts: readonly string[];
  readonly #listeners = new Set<() => void>();
  #current: KeyedCertificate;
  #isClosed = false;
  #cancel: () => void = () => undefined;

  private constructor(
    secrets: SecretCache,
    services: ControlServices,
    { hosts, log }: CertificateOptions,
    current: KeyedCertificate,
  ) {
    this.#secrets = secrets;
    this.#services = services;
    this.#log = log;
    this.#hosts = hosts;
    this.#current = current;
    secrets.onChange(() => {
      this.#reload();
    });
    this.#scheduleRenewal();
  }

  /** A certificate that cannot be used is an error at the start; later the last good one stays. */
  static async open(
    secrets: SecretCache,
    services: ControlServices,
    options: CertificateOptions,
  ): Promise<ServerCertificate> {
    await renewOwn(secrets, services, options.hosts);
    const found = find(secrets);
    if (found === undefined)
      throw new Fault('VALUE_INVALID', 'the server has no certificate', { where: `Secret ${ARGOCD_SECRET}` });
    check(found);
    return new ServerCertificate(secrets, services, options, found.pair);
  }

  get current(): KeyedCertificate {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#cancel();
  }

  #reload(): void {
    const found = find(this.#secrets);
    if (this.#isClosed || found === undefined) return;
    if (found.pair.certificate === this.#current.certificate && found.pair.key === this.#current.key) return;
    try {
      check(found);
    } catch (error) {
      this.#log.error('the new certificate of the server is not used', { error });
      return;
    }
    this.#current = found.pair;
    for (const listener of this.#listeners) listener();
    this.#log.info(`the server uses the certificate of ${found.where} from now on`);
  }

  #scheduleRenewal(): void {
    this.#cancel = this.#services.clock.after(DAY, () => {
      renewOwn(this.#secrets, this.#services, this.#hosts).then(
        () => {
          this.#reload();
        },
        (error: unknown) => {
          this.#log.error('the certificate of the server cannot be renewed', { error });
        },
      );
      if (!this.#isClosed) this.#scheduleRenewal();
    });
  }
}

interface Found {
  readonly pair: KeyedCertificate;
  readonly where: string;
}

/** A Secret that has one of the two keys is meant; the other one is then missing, which is said. */
function find(secrets: SecretCache): Found | undefined {
  for (const name of [SERVER_TLS_SECRET, ARGOCD_SECRET]) {
    const data = secrets.data(name);
    const [certificate = '', key = ''] = [data.get(CERTIFICATE), data.get(KEY)];
    if (certificate !== '' || key !== '') return { pair: { certificate, key }, where: `Secret ${name}` };
  }
  return undefined;
}

/** The reason of OpenSSL names no key material. */
function check({ pair, where }: Found): void {
  const missing = [...(pair.certificate === '' ? [CERTIFICATE] : []), ...(pair.key === '' ? [KEY] : [])];
  const refuse = (message: string, cause?: unknown): Fault =>
    new Fault('VALUE_INVALID', message, {
      where: `${CERTIFICATE} and ${KEY} of ${where}`,
      hint: 'store a PEM certificate and its key there, or delete both for one that Argosy signs itself',
      cause,
    });
  if (missing.length > 0) throw refuse(`the certificate of the server is incomplete: ${missing.join(', ')} is missing`);
  try {
    createSecureContext({ cert: pair.certificate, key: pair.key });
  } catch (error) {
    throw refuse('the certificate of the server cannot be used: it is no PEM, or the key is of another one', error);
  }
}

/** Only a certificate that we signed ourselves is ever replaced, and only where no other one is given. */
async function renewOwn(
  secrets: SecretCache,
  { clock, namespace }: ControlServices,
  named: readonly string[],
): Promise<void> {
  const now = clock.now();
  const service = `argocd-server.${namespace}`;
  const inside = ['localhost', '127.0.0.1', 'argocd-server', service, `${service}.svc`, `${service}.svc.cluster.local`];
  const hosts = [...new Set([...inside, ...named.map((each) => each.replace(/:\d+$/, ''))])];
  const isNeeded = (data: ReadonlyMap<string, string>): boolean => {
    const certificate = data.get(CERTIFICATE) ?? '';
    return certificate === '' ? (data.get(KEY) ?? '') === '' : isOwnAndOutdated(certificate, now, hosts);
  };
  const given = secrets.data(SERVER_TLS_SECRET);
  if (given.has(CERTIFICATE) || given.has(KEY) || !isNeeded(secrets.data(ARGOCD_SECRET))) return;
  const { certificate, key } = issueCertificate({
    commonName: 'argosy',
    organizations: [ORGANIZATION],
    use: 'server',
    hosts,
    notBefore: new Date(now.getTime() - DAY),
    days: VALID_DAYS,
  });
  await secrets.change(ARGOCD_SECRET, (data) =>
    isNeeded(data)
      ? new Map([
          [CERTIFICATE, certificate],
          [KEY, key],
        ])
      : new Map(),
  );
}

/** It expires soon, or lacks a name that the server has been given since. */
function isOwnAndOutdated(pem: string, now: Date, hosts: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(pem);
    const isOwn = certificate.issuer === certificate.subject && certificate.subject.includes(`O=${ORGANIZATION}`);
    const lacks = (host: string): boolean =>
      certificate.checkHost(host) === undefined && certificate.checkIP(host) === undefined;
    return isOwn && (Date.parse(certificate.validTo) - now.getTime() < RENEW_DAYS * DAY || hosts.some(lacks));
  } catch {
    // Somebody else's, and `check` says what is wrong with it.
    return false;
  }
}
