import { X509Certificate } from 'node:crypto';
import { serverHosts } from '../../install/index.js';
import { objectAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { CONFIG_MAPS, SECRETS } from '../../model/resources/index.js';
import type { Examination, Finding } from './doctor-finding.js';

const DAY = 86_400_000;
/** Argosy renews its own this long before. */
const SOON = 25 * DAY;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificate of the server, and the authorities of repositories and clusters. */
export async function checkCertificates(examination: Examination): Promise<Finding[]> {
  const { cluster, installation, host } = examination;
  const { namespace } = installation;
  const [trusted, secrets] = await Promise.all([
    cluster.get(CONFIG_MAPS, { namespace, name: 'argocd-tls-certs-cm' }),
    cluster.list(SECRETS, { namespace, labelSelector: 'argocd.argoproj.io/secret-type=cluster' }),
  ]);
  return [
    ...(installation.values.tls.source === 'none' ? [] : [await checkServer(examination)]),
    ...Object.keys(objectAt(trusted, 'data') ?? {}).flatMap((name) =>
      checkAuthorities(`authority of ${name}`, textAt(trusted, 'data', name), host.now()),
    ),
    ...secrets.items.flatMap((secret) => checkClusterAuthority(secret, host.now())),
  ];
}

async function checkServer({ cluster, installation, host }: Examination): Promise<Finding> {
  const { namespace } = installation;
  const check = 'certificate of the server';
  for (const name of ['argocd-server-tls', 'argocd-secret']) {
    const encoded = textAt(await cluster.get(SECRETS, { namespace, name }), 'data', 'tls.crt');
    if (encoded === '') continue;
    const read = readCertificate(Buffer.from(encoded, 'base64').toString('utf8'));
    const where = `Secret ${name}`;
    if (read === undefined) return { check, state: 'failed', detail: `tls.crt of ${where} is no certificate` };
    const age = validity(read, host.now());
    if (age.state !== 'ok') return { check, state: age.state, detail: `${where}: ${age.detail}` };
    const missing = serverHosts(installation).filter((each) => read.checkHost(each) === undefined);
    return missing.length === 0
      ? { check, state: 'ok', detail: `${where}: ${age.detail}` }
      : { check, state: 'warning', detail: `${where} does not name ${missing.join(', ')}` };
  }
  return { check, state: 'unknown', detail: 'none yet: the server makes one when it starts' };
}

function checkAuthorities(check: string, pem: string, now: number): Finding[] {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    return [{ check, state: 'failed', detail: 'no PEM certificate in argocd-tls-certs-cm' }];
  return certificates.map((each) => {
    const read = readCertificate(each);
    if (read === undefined) return { check, state: 'failed', detail: 'it cannot be read' };
    const { state, detail } = validity(read, now);
    return { check, state, detail };
  });
}

function checkClusterAuthority(secret: KubeObject, now: number): Finding[] {
  const config = Buffer.from(textAt(secret, 'data', 'config'), 'base64').toString('utf8');
  const caData = /"caData"\s*:\s*"([A-Za-z0-9+/=]+)"/.exec(config)?.[1];
  if (caData === undefined) return [];
  return checkAuthorities(
    `authority of cluster Secret ${secret.metadata.name ?? ''}`,
    Buffer.from(caData, 'base64').toString('utf8'),
    now,
  );
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    // Said by whoever asks.
    return undefined;
  }
}

function validity(
  { validFrom, validTo }: X509Certificate,
  now: number,
): { state: 'ok' | 'warning' | 'failed'; detail: string } {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  if (now < from) return { state: 'failed', detail: `not valid before ${day(from)}` };
  if (now > to) return { state: 'failed', detail: `expired on ${day(to)}` };
  return to - now < SOON
    ? { state: 'warning', detail: `expires on ${day(to)}` }
    : { state: 'ok', detail: `valid until ${day(to)}` };
}
