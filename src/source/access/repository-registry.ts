import { isObject, own, type JsonObject } from '../../model/json/index.js';
import { normalizeUrl } from '../../model/formats/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { hasControl } from '../common/index.js';
import { hasCredentials, type RepositoryAccess } from './repository-access.js';

const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

export interface RepositoryRegistrySettings {
  /** The text of argocd-ssh-known-hosts-cm. */
  readonly knownHosts?: string;
  /** argocd-tls-certs-cm: PEM by server name. */
  readonly certificates?: ReadonlyMap<string, string>;
}

/** One Secret, read. */
export interface RepositoryEntry {
  /** The name of the Secret. */
  readonly secret: string;
  readonly url: string;
  readonly project: string;
  /** The repository's own name, where it has one. */
  readonly name: string;
  readonly access: RepositoryAccess;
}

/** What a Secret describes: a repository, or what opens all below an address; to read from or to write to. */
export type RepositorySecretType = 'repository' | 'repo-creds' | 'repository-write' | 'repo-write-creds';

/** Who opens what, out of the Secrets of these types. Only `repository` and `repo-creds` open anything to read it. */
export interface RepositoryRegistry {
  readonly repositories: readonly RepositoryEntry[];
  readonly templates: readonly RepositoryEntry[];
  entriesOf(type: RepositorySecretType): readonly RepositoryEntry[];
  /** Secrets that could not be read, and why; without their values. */
  readonly problems: readonly string[];
  /**
   * The repository of the project, else one without project; else the template with the longest prefix of the address.
   */
  access(url: string, project?: string): RepositoryAccess;
  /** The same for a repository that is not among them yet. */
  accessOf(entry: RepositoryEntry): RepositoryAccess;
}

export function readRepositoryRegistry(
  secrets: readonly KubeObject[],
  settings: RepositoryRegistrySettings = {},
): RepositoryRegistry {
  const byType: Record<RepositorySecretType, RepositoryEntry[]> = {
    repository: [],
    'repo-creds': [],
    'repository-write': [],
    'repo-write-creds': [],
  };
  const { repository: repositories, 'repo-creds': templates } = byType;
  const problems: string[] = [];
  for (const secret of secrets) {
    const type = own(secret.metadata.labels ?? {}, SECRET_TYPE);
    if (!isType(type, byType)) continue;
    const name = secret.metadata.name ?? '';
    const fields = new SecretFields(secret);
    const entry = {
      secret: name,
      url: fields.text('url') ?? '',
      project: fields.text('project') ?? '',
      name: fields.text('name') ?? '',
      access: readAccess(fields, originOf(secret, fields)),
    };
    if (entry.url === '') fields.problems.push('url is missing');
    problems.push(...fields.problems.map((problem) => `Secret ${name}: ${problem}`));
    if (entry.url !== '') byType[type].push(entry);
  }
  return {
    repositories,
    templates,
    entriesOf: (type) => byType[type],
    problems,
    access: (url, project = '') => withTrust(findAccess(repositories, templates, url, project), url, settings),
    accessOf: (entry) => withTrust(findAccess([entry], templates, entry.url, entry.project), entry.url, settings),
  };
}

function isType(type: unknown, known: object): type is RepositorySecretType {
  return typeof type === 'string' && Object.hasOwn(known, type);
}

function findAccess(
  repositories: readonly RepositoryEntry[],
  templates: readonly RepositoryEntry[],
  url: string,
  project: string,
): RepositoryAccess {
  const same = repositories.filter((entry) => normalizeUrl(entry.url) === normalizeUrl(url));
  const repository = same.find((entry) => entry.project === project) ?? same.find((entry) => entry.project === '');
  if (repository !== undefined && hasCredentials(repository.access)) return repository.access;
  const template = longestPrefix(templates, url);
  if (template === undefined) return repository?.access ?? {};
  return {
    ...template.access,
    ...defined(repository?.access ?? {}),
    origin: [repository?.access.origin, template.access.origin].filter((each) => each !== undefined).join(' '),
  };
}

/** Another Secret, or the same one in the hands of another project, is another origin. */
function originOf({ metadata }: KubeObject, fields: SecretFields): string {
  return JSON.stringify([
    metadata.uid ?? `${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    fields.text('project') ?? '',
  ]);
}

function longestPrefix(templates: readonly RepositoryEntry[], url: string): RepositoryEntry | undefined {
  const wanted = normalizeUrl(url);
  let found: RepositoryEntry | undefined;
  for (const entry of templates) {
    const prefix = normalizeUrl(entry.url);
    if (!wanted.startsWith(prefix) || !sameHost(prefix, wanted)) continue;
    if (found === undefined || prefix.length > normalizeUrl(found.url).length) found = entry;
  }
  return found;
}

/** A prefix of letters is not enough: `https://github.com` must not open `https://github.com.example.org`. */
function sameHost(prefix: string, url: string): boolean {
  const host = (text: string): string => text.replace(/^[a-z0-9+.-]+:\/\//, '').split('/')[0] ?? '';
  return host(prefix) === host(url);
}

function withTrust(
  access: RepositoryAccess,
  url: string,
  { knownHosts, certificates }: RepositoryRegistrySettings,
): RepositoryAccess {
  const server = /^[a-z0-9+.-]+:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/i
    .exec(url.includes('://') ? url : `oci://${url}`)?.[1]
    ?.toLowerCase();
  const authority = server === undefined ? undefined : certificates?.get(server);
  return {
    ...access,
    ...(knownHosts === undefined ? {} : { knownHosts }),
    ...(authority === undefined ? {} : { certificateAuthority: authority }),
  };
}

function readAccess(fields: SecretFields, origin: string): RepositoryAccess {
  const certificate = fields.text('tlsClientCertData');
  const key = fields.text('tlsClientCertKey');
  if ((certificate === undefined) !== (key === undefined))
    fields.problems.push('tlsClientCertData and tlsClientCertKey belong together');
  return defined({
    type: fields.text('type'),
    username: fields.line('username'),
    password: fields.line('password'),
    bearerToken: fields.line('bearerToken'),
    sshPrivateKey: fields.text('sshPrivateKey'),
    clientCertificate: certificate !== undefined && key !== undefined ? { certificate, key } : undefined,
    githubApp: readGitHubApp(fields),
    insecure: fields.flag('insecure') || fields.flag('insecureIgnoreHostKey') || undefined,
    forceBasic: fields.flag('forceHttpBasicAuth') || undefined,
    proxy: fields.line('proxy'),
    noProxy: fields.line('noProxy'),
    enableOci: fields.flag('enableOCI') || undefined,
    plainHttp: fields.flag('insecureOCIForceHttp') || undefined,
    depth: fields.number('depth') || undefined,
    unusable: unusableKind(fields),
    origin,
  });
}

function readGitHubApp(fields: SecretFields): RepositoryAccess['githubApp'] {
  const privateKey = fields.text('githubAppPrivateKey');
  const id = fields.number('githubAppID');
  if (privateKey === undefined || id === 0) return undefined;
  return {
    id,
    installation: fields.number('githubAppInstallationID'),
    privateKey,
    baseUrl: fields.line('githubAppEnterpriseBaseUrl') ?? '',
  };
}

function unusableKind(fields: SecretFields): string | undefined {
  if (
    fields.text('password') !== undefined ||
    fields.text('bearerToken') !== undefined ||
    fields.text('sshPrivateKey') !== undefined
  )
    return undefined;
  if (fields.text('gcpServiceAccountKey') !== undefined) return 'a Google Cloud service account (gcpServiceAccountKey)';
  if (fields.flag('useAzureWorkloadIdentity')) return 'Azure workload identity (useAzureWorkloadIdentity)';
  return fields.text('azureServicePrincipalClientSecret') === undefined
    ? undefined
    : 'an Azure service principal (azureServicePrincipalClientSecret)';
}

/** The fields of a Secret; what cannot be read is remembered by name, never by value. */
class SecretFields {
  readonly problems: string[] = [];
  readonly #data: JsonObject;
  readonly #plain: JsonObject;

  constructor(secret: KubeObject) {
    this.#data = isObject(secret['data']) ? secret['data'] : {};
    this.#plain = isObject(secret['stringData']) ? secret['stringData'] : {};
  }

  text(name: string): string | undefined {
    const plain = own(this.#plain, name);
    if (typeof plain === 'string') return plain === '' ? undefined : plain;
    const encoded = own(this.#data, name);
    if (typeof encoded !== 'string' || encoded === '') return undefined;
    return Buffer.from(encoded, 'base64').toString('utf8');
  }

  /** One line: what a file of credentials has at its end does not count, anything else in between is a mistake. */
  line(name: string): string | undefined {
    const text = this.text(name)?.replace(/\r?\n$/, '');
    if (text !== undefined && hasControl(text)) {
      this.problems.push(`${name} has line breaks or control characters`);
      return undefined;
    }
    return text === '' ? undefined : text;
  }

  flag(name: string): boolean {
    const text = this.text(name)?.trim();
    if (text === undefined || ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
    if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
    this.problems.push(`${name} is neither true nor false`);
    return false;
  }

  number(name: string): number {
    const text = this.text(name)?.trim();
    if (text === undefined) return 0;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    this.problems.push(`${name} is no number`);
    return 0;
  }
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

function defined(access: Loose<RepositoryAccess>): RepositoryAccess {
  return Object.fromEntries(Object.entries(access).filter(([, value]) => value !== undefined));
}
