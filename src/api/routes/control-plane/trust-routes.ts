import { createHash, X509Certificate } from 'node:crypto';
import { Fault } from '../../../model/faults/index.js';
import { isObject, type JsonObject } from '../../../model/json/index.js';
import { matchesGlob, readPgpKey, type PgpKey } from '../../../model/formats/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { CERTIFICATES, SIGNING_KEYS } from '../../access/index.js';
import { json, ApiError } from '../../http/index.js';
import {
  route,
  type Context,
  type ReadServices,
  type Route,
  fields,
  flag,
  list,
  text,
  type Values,
} from '../../route/index.js';
import { CONFIG_MAPS } from '../../../model/resources/index.js';

const TAG = 'certificates';
const TLS = 'argocd-tls-certs-cm';
const SSH = 'argocd-ssh-known-hosts-cm';
const KEYS = 'argocd-gpg-keys-cm';
const KNOWN_HOSTS = 'ssh_known_hosts';

/** A certificate or a host key; `data` is PEM, or the key as known_hosts has it. */
interface Certificate {
  readonly serverName: string;
  readonly certType: 'https' | 'ssh';
  readonly certSubType: string;
  readonly data: string;
}

type Texts = ReadonlyMap<string, string>;
type Trust = Pick<Context, 'services' | 'authoriser'>;

function certificatesIn(tls: Texts, ssh: Texts): Certificate[] {
  const hosts = (ssh.get(KNOWN_HOSTS) ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .flatMap((line): Certificate[] => {
      const [serverName = '', certSubType = '', data = ''] = line.trim().split(/\s+/);
      return data === '' ? [] : [{ serverName, certType: 'ssh', certSubType, data }];
    });
  return [
    ...hosts,
    ...[...tls].map(([serverName, data]): Certificate => ({ serverName, certType: 'https', certSubType: '', data })),
  ];
}

function certificateView({ serverName, certType, certSubType, data }: Certificate): JsonObject {
  if (certType === 'https') return { serverName, certType, certData: null, ...subjectOf(data) };
  const print = createHash('sha256').update(Buffer.from(data, 'base64')).digest('base64').replaceAll('=', '');
  return { serverName, certType, certSubType, certData: null, certInfo: `SHA256:${print}` };
}

/** What a certificate is about, in Go's words, and the algorithm of its key. */
function subjectOf(pem: string): { readonly certSubType: string; readonly certInfo: string } {
  try {
    const { subject, publicKey } = new X509Certificate(pem);
    const type = publicKey.asymmetricKeyType ?? '';
    return {
      certSubType: type === 'ec' ? 'ecdsa' : type,
      certInfo: subject.split('\n').toReversed().join(','),
    };
  } catch (error) {
    return { certSubType: 'invalid', certInfo: error instanceof Error ? error.message : String(error) };
  }
}

const CERTIFICATE_PARAMETERS = {
  hostNamePattern: text('A name; * matches any text.'),
  certType: text('https or ssh'),
  certSubType: text(),
};

function isMeant(
  { serverName, certType, certSubType }: Certificate,
  { hostNamePattern = '', certType: type = '', certSubType: subType = '' }: Values<typeof CERTIFICATE_PARAMETERS>,
): boolean {
  const fits = (wanted: string, value: string): boolean => wanted === '' || wanted === '*' || wanted === value;
  return (
    (hostNamePattern === '' || matchesGlob(hostNamePattern, serverName)) &&
    fits(type, certType) &&
    fits(subType, certSubType)
  );
}

const CERTIFICATE_FIELDS = {
  serverName: text(),
  certType: text('', { choices: ['https', 'ssh'] }),
  certSubType: text(),
  certData: text('In base64.', { maxLength: 200_000 }),
};

function readCertificate({
  serverName = '',
  certType = '',
  certSubType = '',
  certData = '',
}: Values<typeof CERTIFICATE_FIELDS>): Certificate {
  const data = Buffer.from(certData, 'base64').toString('utf8').trim();
  if (!/^[\w*.[\]:-]+$/.test(serverName))
    throw new ApiError('InvalidArgument', `serverName ${JSON.stringify(serverName)} is not a server name`);
  if (certType === 'https') {
    if (!data.startsWith('-----BEGIN CERTIFICATE-----'))
      throw new ApiError('InvalidArgument', `certData of ${serverName} is not a base64-encoded PEM certificate`);
    return { serverName, certType, certSubType: '', data };
  }
  if (certType !== 'ssh' || !/^[\w@.-]+$/.test(certSubType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    throw new ApiError(
      'InvalidArgument',
      `${serverName}: certType is https or ssh; a host key has its kind in certSubType and its key in ` +
        'certData, encoded in base64 again',
    );
  return { serverName, certType, certSubType, data };
}

/** Changes the data of a ConfigMap; who came between is heard first. */
async function edit(
  { services, authoriser }: Trust,
  name: typeof TLS | typeof SSH | typeof KEYS,
  action: string,
  change: (data: Map<string, string>) => void,
): Promise<void> {
  const kind = name === KEYS ? SIGNING_KEYS : CERTIFICATES;
  const id = { namespace: services.namespace, name };
  const before: KubeObject =
    (await services.cluster.get(CONFIG_MAPS, id)) ??
    (await authoriser.create(kind, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...id, labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'argocd' } },
    }));
  const data = new Map(
    Object.entries(isObject(before.data) ? before.data : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  change(data);
  await authoriser.update(kind, before, { ...before, data: Object.fromEntries(data) }, { action });
}

const lineOf = ({ serverName, certSubType, data }: Certificate): string => `${serverName} ${certSubType} ${data}`;

async function addCertificates(trust: Trust, given: readonly Certificate[], isUpsert: boolean): Promise<Certificate[]> {
  const { services } = trust;
  const known = certificatesIn(services.settings.configMapData(TLS), services.settings.configMapData(SSH));
  const same = (a: Certificate, b: Certificate): boolean =>
    a.serverName === b.serverName && a.certType === b.certType && a.certSubType === b.certSubType;
  const fresh = given.filter((each) => !known.some((other) => same(each, other) && other.data === each.data));
  const clash = fresh.find((each) => known.some((other) => same(each, other)));
  if (clash !== undefined && !isUpsert)
    throw new ApiError(
      'InvalidArgument',
      `${clash.certType} ${clash.serverName} is known with another ` +
        `${clash.certType === 'ssh' ? 'key' : 'certificate'}: use upsert to replace it`,
    );
  const [https, ssh] = [
    fresh.filter(({ certType }) => certType === 'https'),
    fresh.filter(({ certType }) => certType === 'ssh'),
  ];
  if (https.length > 0)
    await edit(trust, TLS, isUpsert ? 'update' : 'create', (data) => {
      for (const { serverName, data: pem } of https) data.set(serverName, pem);
    });
  if (ssh.length > 0) {
    await edit(trust, SSH, isUpsert ? 'update' : 'create', (data) => {
      const kept = (data.get(KNOWN_HOSTS) ?? '')
        .split('\n')
        .filter(
          (line) =>
            line.trim() !== '' &&
            !ssh.some(({ serverName, certSubType }) => line.startsWith(`${serverName} ${certSubType} `)),
        );
      data.set(KNOWN_HOSTS, `${[...kept, ...ssh.map(lineOf)].join('\n')}\n`);
    });
  }
  return fresh;
}

async function removeCertificates(trust: Trust, gone: readonly Certificate[]): Promise<void> {
  const [https, ssh] = [
    gone.filter(({ certType }) => certType === 'https'),
    gone.filter(({ certType }) => certType === 'ssh').map(lineOf),
  ];
  if (https.length > 0)
    await edit(trust, TLS, 'delete', (data) => {
      for (const { serverName } of https) data.delete(serverName);
    });
  if (ssh.length > 0)
    await edit(trust, SSH, 'delete', (data) => {
      data.set(
        KNOWN_HOSTS,
        (data.get(KNOWN_HOSTS) ?? '')
          .split('\n')
          .filter((line) => !ssh.some((each) => line.trim().startsWith(each)))
          .join('\n'),
      );
    });
}

/** What a key says of itself; one that cannot be read is known by its name alone. */
function keyView(name: string, armour: string): JsonObject {
  const key = tryKey(armour);
  return key === undefined
    ? { keyID: name, fingerprint: name }
    : {
        keyID: key.keyId,
        fingerprint: key.fingerprint,
        ...(key.owner === '' ? {} : { owner: key.owner }),
        trust: 'unknown',
        ...(key.algorithm === '' ? {} : { subType: key.algorithm }),
      };
}

function tryKey(armour: string): PgpKey | undefined {
  try {
    return readPgpKey(armour);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function keyEntry(services: ReadServices, keyID: string): readonly [string, string] {
  const found = [...services.settings.configMapData(KEYS)].find(
    ([name, armour]) => name === keyID || tryKey(armour)?.keyId === keyID.toUpperCase(),
  );
  if (found === undefined) throw new ApiError('NotFound', `GnuPG key with ID '${keyID}' not found`);
  return found;
}

/** Policies know no names of them. */
const NONE: KubeObject = { apiVersion: '', kind: '', metadata: {} };
const certificateAccess = (action: string) => ({ kind: CERTIFICATES, action, describe: () => NONE }) as const;
const keyAccess = (action: string) => ({ kind: SIGNING_KEYS, action, describe: () => NONE }) as const;

/** What repositories and commits are trusted by. */
export const TRUST_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/certificates', {
    summary: 'Trusted TLS certificates and SSH host keys of repositories.',
    tag: TAG,
    access: certificateAccess('get'),
    query: CERTIFICATE_PARAMETERS,
    handle: ({ services, query }) =>
      json({
        metadata: {},
        items: certificatesIn(services.settings.configMapData(TLS), services.settings.configMapData(SSH))
          .filter((each) => isMeant(each, query))
          .map(certificateView),
      }),
  }),
  route('POST', '/api/v1/certificates', {
    summary: 'Add trusted certificates and host keys.',
    tag: TAG,
    access: certificateAccess('create'),
    query: { upsert: flag() },
    body: fields({ items: list(fields(CERTIFICATE_FIELDS)) }),
    handle: async ({ services, authoriser, body: { items = [] }, query: { upsert = false } }) => {
      if (upsert) authoriser.must(CERTIFICATES, 'update', NONE);
      return json({
        metadata: {},
        items: (await addCertificates({ services, authoriser }, items.map(readCertificate), upsert)).map(
          certificateView,
        ),
      });
    },
  }),
  route('DELETE', '/api/v1/certificates', {
    summary: 'Remove trusted certificates and host keys.',
    tag: TAG,
    access: certificateAccess('delete'),
    query: CERTIFICATE_PARAMETERS,
    handle: async ({ services, authoriser, query }) => {
      if ((query.hostNamePattern ?? '') === '')
        throw new ApiError('InvalidArgument', 'hostNamePattern is required; * for all');
      const gone = certificatesIn(services.settings.configMapData(TLS), services.settings.configMapData(SSH)).filter(
        (each) => isMeant(each, query),
      );
      await removeCertificates({ services, authoriser }, gone);
      const items = gone.map((each) => ({ ...certificateView(each), certSubType: each.certSubType }));
      return json({ metadata: {}, items });
    },
  }),
  route('GET', '/api/v1/gpgkeys', {
    summary: 'List the GnuPG keys that commits may be signed with.',
    tag: TAG,
    access: keyAccess('get'),
    query: { keyID: text() },
    handle: ({ services, query: { keyID = '' } }) =>
      json({
        metadata: {},
        items: (keyID === '' ? [...services.settings.configMapData(KEYS)] : [keyEntry(services, keyID)]).map(
          ([name, armour]) => keyView(name, armour),
        ),
      }),
  }),
  route('GET', '/api/v1/gpgkeys/{keyID}', {
    summary: 'A GnuPG key with its data.',
    tag: TAG,
    access: keyAccess('get'),
    handle: ({ services, path: { keyID } }) => {
      const [name, armour] = keyEntry(services, keyID);
      return json({ ...keyView(name, armour), keyData: armour });
    },
  }),
  route('POST', '/api/v1/gpgkeys', {
    summary: 'Add a GnuPG key that commits may be signed with.',
    tag: TAG,
    access: keyAccess('create'),
    query: { upsert: flag() },
    body: fields({ keyID: text(), keyData: text('ASCII-armored.', { maxLength: 200_000 }) }),
    handle: async ({ services, authoriser, body: { keyData = '' }, query: { upsert = false } }) => {
      const { keyId } = readPgpKey(keyData);
      const known = services.settings.configMapData(KEYS).get(keyId);
      if (known !== undefined && !upsert) return json({ created: { metadata: {}, items: [] }, skipped: [keyId] });
      await edit({ services, authoriser }, KEYS, known === undefined ? 'create' : 'update', (data) => {
        data.set(keyId, keyData.trim());
      });
      return json({ created: { metadata: {}, items: [keyView(keyId, keyData)] }, skipped: [] });
    },
  }),
  route('DELETE', '/api/v1/gpgkeys', {
    summary: 'Remove a GnuPG key.',
    tag: TAG,
    access: keyAccess('delete'),
    query: { keyID: text() },
    handle: async ({ services, authoriser, query: { keyID = '' } }) => {
      const [name] = keyEntry(services, keyID);
      await edit({ services, authoriser }, KEYS, 'delete', (data) => {
        data.delete(name);
      });
      return json({});
    },
  }),
];
