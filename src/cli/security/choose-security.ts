import { isIP } from 'node:net';
import { Fault } from '../../model/faults/index.js';
import { TrustedProxies } from '../../model/formats/index.js';
import type { ApiSecurity } from '../host/index.js';

export interface SecurityFlags {
  readonly securityProfile?: string;
  readonly host?: string;
  readonly insecure?: boolean;
  readonly enableAdmin?: boolean;
  readonly tlsminversion?: string;
  readonly tlsmaxversion?: string;
  readonly trustedProxies?: string;
  readonly metricsAddress?: string;
  readonly allowFileRepos?: readonly string[];
}

/** Where settings come from; the data of the two ConfigMaps of the control plane. */
export interface SecuritySources {
  readonly flags: SecurityFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly params: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
  /** Whether the credentials are those of a pod. */
  readonly isInCluster: boolean;
}

export interface Security {
  readonly profile: 'laptop' | 'shared';
  /** The address that the API listens on. */
  readonly host: string;
  readonly metricsHost: string;
  readonly api: ApiSecurity;
}

/** A value, and the flag, variable or key that it was given by. */
interface Given {
  readonly value: string;
  readonly where: string;
}

type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

const LOOPBACK = '127.0.0.1';
const PARAMS = 'argocd-cmd-params-cm';
const SKIP_VERIFY = 'oidc.tls.insecure.skip.verify';

/**
 * What the profile demands. Whatever it forbids is refused: an installation that is less safe than it looks must not
 * start.
 */
export function chooseSecurity(sources: SecuritySources): Security {
  const profile = profileOf(sources);
  const { flags } = sources;
  const host = first(sources, flags.host, '--host', ['ARGOSY_HOST']);
  const metrics = first(sources, flags.metricsAddress, '--metrics-address', ['ARGOSY_METRICS_ADDRESS']);
  for (const address of [host, metrics])
    if (profile === 'laptop' && address !== undefined && !isLoopback(address.value)) throw notLoopback(address);
  if (profile === 'shared') refuseUnsafe(sources);
  return {
    profile,
    host: host?.value ?? (profile === 'shared' ? '0.0.0.0' : LOOPBACK),
    metricsHost: metrics?.value ?? LOOPBACK,
    api: {
      ...tlsOf(sources, profile),
      ...proxiesOf(sources),
      requiresWebhookSecret: profile === 'shared',
      isAdminEnabledByDefault: profile === 'laptop' || sources.flags.enableAdmin === true,
      // A log of a shared server has many readers.
      ...(profile === 'shared' ? { storesInitialPassword: true } : {}),
    },
  };
}

function profileOf(sources: SecuritySources): Security['profile'] {
  const given = first(
    sources,
    sources.flags.securityProfile,
    '--security-profile',
    ['ARGOSY_SECURITY_PROFILE'],
    'argosy.security-profile',
  );
  if (given === undefined) return sources.isInCluster ? 'shared' : 'laptop';
  if (given.value === 'laptop' || given.value === 'shared') return given.value;
  throw new Fault('VALUE_INVALID', `${JSON.stringify(given.value)} is not a security profile`, {
    where: given.where,
    hint: 'write laptop or shared',
  });
}

function refuseUnsafe({ flags, settings }: SecuritySources): void {
  if ((flags.allowFileRepos ?? []).length > 0)
    throw new Fault('PROFILE_FORBIDS', 'the security profile shared allows no local folders as repositories', {
      where: '--allow-file-repos',
      hint: 'serve the repository over https or ssh, or use --security-profile laptop',
    });
  if (settings.get(SKIP_VERIFY) === 'true')
    throw new Fault('PROFILE_FORBIDS', 'the security profile shared verifies the certificate of the SSO provider', {
      where: `${SKIP_VERIFY} of argocd-cm`,
      hint: 'remove the key, and put the authority of the provider into rootCA of oidc.config',
    });
}

function notLoopback({ value, where }: Given): Fault {
  return new Fault('PROFILE_FORBIDS', `the security profile laptop listens on loopback only, not on ${value}`, {
    where,
    hint: 'use --security-profile shared, which serves over TLS to others, or leave the address away',
  });
}

/** Plain HTTP on loopback, TLS for everybody else unless a proxy terminates it. */
function tlsOf(sources: SecuritySources, profile: Security['profile']): Pick<ApiSecurity, 'tls'> {
  const minVersion = versionOf(sources, 'min') ?? 'TLSv1.2';
  const maxVersion = versionOf(sources, 'max') ?? 'TLSv1.3';
  if (minVersion > maxVersion)
    throw new Fault('VALUE_INVALID', 'the lowest TLS version is above the highest', {
      where: '--tlsminversion, --tlsmaxversion',
    });
  return profile === 'laptop' || isInsecure(sources) ? {} : { tls: { minVersion, maxVersion } };
}

function proxiesOf(sources: SecuritySources): Pick<ApiSecurity, 'trustedProxies'> {
  const given = first(
    sources,
    sources.flags.trustedProxies,
    '--trusted-proxies',
    ['ARGOSY_TRUSTED_PROXIES'],
    'argosy.trusted-proxies',
  );
  if (given === undefined) return {};
  const trustedProxies = TrustedProxies.parse(given.value);
  if (!('wrong' in trustedProxies)) return { trustedProxies };
  throw new Fault('VALUE_INVALID', `${JSON.stringify(trustedProxies.wrong)} is not an address or a network`, {
    where: given.where,
    hint: 'write addresses and networks with commas between them, such as 10.0.0.0/8,192.0.2.7',
  });
}

function isInsecure(sources: SecuritySources): boolean {
  const given = first(
    sources,
    sources.flags.insecure === true ? 'true' : undefined,
    '--insecure',
    ['ARGOSY_INSECURE', 'ARGOCD_SERVER_INSECURE'],
    'server.insecure',
  );
  if (given === undefined) return false;
  if (given.value === 'true' || given.value === 'false') return given.value === 'true';
  throw new Fault('VALUE_INVALID', `${JSON.stringify(given.value)} is neither true nor false`, { where: given.where });
}

function versionOf(sources: SecuritySources, end: 'min' | 'max'): TlsVersion | undefined {
  const given = first(
    sources,
    sources.flags[`tls${end}version`],
    `--tls${end}version`,
    [`ARGOSY_TLS${end.toUpperCase()}VERSION`, `ARGOCD_TLS_${end.toUpperCase()}_VERSION`],
    `server.tls.${end}version`,
  );
  if (given === undefined) return undefined;
  if (given.value === '1.2' || given.value === '1.3') return `TLSv${given.value}`;
  throw new Fault('VALUE_INVALID', `${JSON.stringify(given.value)} is not a TLS version that is safe to offer`, {
    where: given.where,
    hint: 'write 1.2 or 1.3',
  });
}

/** The flag, then the variables, then the key; an empty one says nothing. */
function first(
  { environment, params }: SecuritySources,
  flag: string | undefined,
  name: string,
  variables: readonly string[],
  key?: string,
): Given | undefined {
  const candidates: readonly (readonly [string, string | undefined])[] = [
    [name, flag],
    ...variables.map((variable) => [variable, environment[variable]] as const),
    ...(key === undefined ? [] : [[`${key} of ${PARAMS}`, params.get(key)] as const]),
  ];
  for (const [where, value = ''] of candidates) if (value.trim() !== '') return { value: value.trim(), where };
  return undefined;
}

function isLoopback(address: string): boolean {
  return (
    address === 'localhost' ||
    address === '::1' ||
    (isIP(address) === 4 && address.startsWith('127.')) ||
    address.endsWith('.localhost')
  );
}
