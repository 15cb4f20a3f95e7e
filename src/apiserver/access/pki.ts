import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { issueCertificate, type KeyedCertificate } from '../../model/certificates/index.js';

/** The server's own keys: made once, kept under `pki/`, readable by the owner only. */
export interface Pki {
  readonly authority: string;
  readonly server: KeyedCertificate;
  /** Client certificate of `kubernetes-admin` in system:masters. */
  readonly admin: KeyedCertificate;
  /** Signs service-account tokens (PKCS#8 PEM, EC P-256). */
  readonly serviceAccountKey: string;
}

const AUTHORITY = 'argosy-ca';
const YEARS_10 = 3650;
const DAY = 86_400_000;
/** Long ago: a clock that is set back must not make certificates invalid that are in use. */
const NOT_BEFORE = new Date('2000-01-01T00:00:00Z');

/** Names and addresses under which clients may reach the server. */
export const SERVER_HOSTS = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
] as const;

/**
 * Reads the keys of a data directory, or makes them where there are none. Certificates that are not valid now, because
 * they have ended or the clock was set back to before them, are made anew: with them nobody could connect.
 */
export async function openPki(directory: string, now: Date): Promise<Pki> {
  await finishReplacement(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const kept = await readPki(directory);
  if (kept !== undefined && isValid(kept, now)) return kept;
  if (kept !== undefined) {
    // Tokens stay valid: the key that signs them has no end.
    const renewed = { ...createPki(now), serviceAccountKey: kept.serviceAccountKey };
    await rename(directory, `${directory}.old`);
    await writePki(directory, renewed);
    await rm(`${directory}.old`, { recursive: true });
    return renewed;
  }
  const created = createPki(now);
  await writePki(directory, created);
  return created;
}

/** A crash may have come between the two renames of a replacement: what was there before is still good for its keys. */
async function finishReplacement(directory: string): Promise<void> {
  const old = `${directory}.old`;
  if ((await readPki(old)) === undefined) return;
  if ((await readPki(directory)) === undefined) await rename(old, directory);
  else await rm(old, { recursive: true });
}

function isValid({ authority, server, admin }: Pki, now: Date): boolean {
  return [authority, server.certificate, admin.certificate].every((pem) => {
    const { validFrom, validTo } = new X509Certificate(pem);
    return Date.parse(validFrom) <= now.getTime() && now.getTime() < Date.parse(validTo);
  });
}

const FILES = ['ca.crt', 'server.crt', 'server.key', 'admin.crt', 'admin.key', 'sa.key'] as const;

async function readPki(directory: string): Promise<Pki | undefined> {
  const texts = await Promise.all(FILES.map((file) => readIfExists(join(directory, file))));
  if (texts.every((text) => text === undefined)) return undefined;
  const missing = FILES.filter((_, index) => texts[index] === undefined);
  if (missing.length > 0)
    throw new Fault('STORE_CORRUPT', `keys are missing: ${missing.join(', ')}`, { where: directory });
  const [
    authority = '',
    serverCertificate = '',
    serverKey = '',
    adminCertificate = '',
    adminKey = '',
    serviceAccountKey = '',
  ] = texts;
  return {
    authority,
    server: { certificate: serverCertificate, key: serverKey },
    admin: { certificate: adminCertificate, key: adminKey },
    serviceAccountKey,
  };
}

async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

/** The authority's own key is not kept: nothing issues certificates after the first start. */
function createPki(now: Date): Pki {
  const days = Math.max(0, Math.ceil((now.getTime() - NOT_BEFORE.getTime()) / DAY)) + YEARS_10;
  const common = { notBefore: NOT_BEFORE, days };
  const authority = {
    ...issueCertificate({ commonName: AUTHORITY, use: 'authority', ...common }),
    commonName: AUTHORITY,
  };
  const server = issueCertificate(
    { commonName: 'argosy-apiserver', use: 'server', hosts: SERVER_HOSTS, ...common },
    authority,
  );
  const admin = issueCertificate(
    { commonName: 'kubernetes-admin', organizations: ['system:masters'], use: 'client', ...common },
    authority,
  );
  const serviceAccountKey = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return { authority: authority.certificate, server, admin, serviceAccountKey };
}

/** All files or none: a crash at the first start must not leave a directory that no later start accepts. */
async function writePki(directory: string, { authority, server, admin, serviceAccountKey }: Pki): Promise<void> {
  const making = `${directory}.new`;
  const texts = [authority, server.certificate, server.key, admin.certificate, admin.key, serviceAccountKey];
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  await Promise.all(
    FILES.map((file, index) => writeFile(join(making, file), texts[index] ?? '', { mode: 0o600, flush: true })),
  );
  await syncDirectory(making);
  await rename(making, directory); // an empty directory may be replaced
  await syncDirectory(dirname(directory));
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A kubeconfig for the administrator, certificates inside. */
export function adminKubeconfig(pki: Pki, url: string): string {
  const inline = (text: string): string => Buffer.from(text).toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: argosy',
    'clusters:',
    '- name: argosy',
    '  cluster:',
    `    server: ${url}`,
    `    certificate-authority-data: ${inline(pki.authority)}`,
    'contexts:',
    '- name: argosy',
    '  context:',
    '    cluster: argosy',
    '    user: kubernetes-admin',
    'users:',
    '- name: kubernetes-admin',
    '  user:',
    `    client-certificate-data: ${inline(pki.admin.certificate)}`,
    `    client-key-data: ${inline(pki.admin.key)}`,
    '',
  ].join('\n');
}
