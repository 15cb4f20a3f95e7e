import { describe, expect, it } from 'vitest';
import { Fault } from '../../model/faults/index.js';
import { chooseSecurity, type Security, type SecurityFlags } from './choose-security.js';

interface Given {
  readonly flags?: SecurityFlags;
  readonly environment?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly isInCluster?: boolean;
}

const choose = ({ flags = {}, environment = {}, params = {}, settings = {}, isInCluster = false }: Given): Security =>
  chooseSecurity({
    flags,
    environment,
    params: new Map(Object.entries(params)),
    settings: new Map(Object.entries(settings)),
    isInCluster,
  });

/** What a start says that is refused: what happened, where, and what to do. */
function refusal(given: Given): string {
  try {
    choose(given);
  } catch (error) {
    if (error instanceof Fault) return `${error.message} (${error.where}). ${error.hint}`;
    throw error;
  }
  return 'it starts';
}

const SHARED = { securityProfile: 'shared' };
const KEY = 'argosy.security-profile';

describe('the security profile', () => {
  it.each<[string, Given, Security['profile']]>([
    ['laptop outside of a cluster', {}, 'laptop'],
    ['shared in a cluster', { isInCluster: true }, 'shared'],
    ['what the setting says', { params: { [KEY]: 'shared' } }, 'shared'],
    [
      'what the variable says, above the setting',
      { environment: { ARGOSY_SECURITY_PROFILE: 'laptop' }, params: { [KEY]: 'shared' } },
      'laptop',
    ],
    [
      'what the flag says, above both',
      { flags: SHARED, environment: { ARGOSY_SECURITY_PROFILE: 'laptop' }, params: { [KEY]: 'laptop' } },
      'shared',
    ],
    ['what the flag says, in a cluster too', { flags: { securityProfile: 'laptop' }, isInCluster: true }, 'laptop'],
  ])('is %s', (_, given, profile) => {
    expect(choose(given).profile).toBe(profile);
  });

  it('laptop is loopback, plain HTTP and a local admin', () => {
    expect(choose({})).toEqual({
      profile: 'laptop',
      host: '127.0.0.1',
      metricsHost: '127.0.0.1',
      api: { requiresWebhookSecret: false, isAdminEnabledByDefault: true },
    });
    for (const host of ['localhost', '127.0.0.2', '::1']) expect(choose({ flags: { host } }).host).toBe(host);
  });

  it('shared is TLS on every address, signed webhooks, and an admin only where somebody asks for one', () => {
    expect(choose({ flags: SHARED })).toEqual({
      profile: 'shared',
      host: '0.0.0.0',
      metricsHost: '127.0.0.1',
      api: {
        tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' },
        requiresWebhookSecret: true,
        isAdminEnabledByDefault: false,
        storesInitialPassword: true,
      },
    });
    expect(choose({ flags: { ...SHARED, host: '::', metricsAddress: '0.0.0.0' } })).toMatchObject({
      host: '::',
      metricsHost: '0.0.0.0',
    });
  });

  it.each<[string, Given]>([
    ['the flag', { flags: { ...SHARED, insecure: true } }],
    ['our variable', { flags: SHARED, environment: { ARGOSY_INSECURE: 'true' } }],
    ["Argo CD's variable", { flags: SHARED, environment: { ARGOCD_SERVER_INSECURE: 'true' } }],
    ["Argo CD's key", { flags: SHARED, params: { 'server.insecure': 'true' } }],
  ])('TLS is left to a proxy by %s', (_, given) => {
    expect(choose(given).api).toEqual({
      requiresWebhookSecret: true,
      isAdminEnabledByDefault: false,
      storesInitialPassword: true,
    });
  });

  it('TLS versions come by flag, variable or key', () => {
    const tls = (given: Given): unknown => choose({ ...given, flags: { ...SHARED, ...given.flags } }).api.tls;
    expect(tls({ flags: { tlsminversion: '1.3' } })).toEqual({ minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' });
    expect(tls({ environment: { ARGOCD_TLS_MIN_VERSION: '1.3' } })).toMatchObject({ minVersion: 'TLSv1.3' });
    expect(tls({ params: { 'server.tls.maxversion': '1.2' } })).toMatchObject({ maxVersion: 'TLSv1.2' });
  });

  it('proxies whose header is believed come by flag, variable or key, in either profile', () => {
    const client = (given: Given): unknown =>
      choose(given).api.trustedProxies?.clientOf('10.1.2.3', '198.51.100.1, 203.0.113.7');
    expect(client({})).toBeUndefined();
    expect(client({ flags: { trustedProxies: '10.0.0.0/8' } })).toBe('203.0.113.7');
    expect(client({ flags: SHARED, environment: { ARGOSY_TRUSTED_PROXIES: '::1, 10.1.2.3' } })).toBe('203.0.113.7');
    expect(client({ params: { 'argosy.trusted-proxies': '192.0.2.1' } })).toBe('10.1.2.3');
  });

  it.each<[Given, string]>([
    [
      { flags: { trustedProxies: '10.0.0.0/8,proxy.example.com' } },
      '"proxy.example.com" is not an address or a network (--trusted-proxies). write addresses and networks with ' +
        'commas between them, such as 10.0.0.0/8,192.0.2.7',
    ],
    [
      { environment: { ARGOSY_TRUSTED_PROXIES: '10.0.0.0/64' } },
      '"10.0.0.0/64" is not an address or a network (ARGOSY_TRUSTED_PROXIES). write addresses and networks with ' +
        'commas between them, such as 10.0.0.0/8,192.0.2.7',
    ],
    [
      { params: { 'argosy.trusted-proxies': '*' } },
      '"*" is not an address or a network (argosy.trusted-proxies of argocd-cmd-params-cm). write addresses and ' +
        'networks with commas between them, such as 10.0.0.0/8,192.0.2.7',
    ],
    [
      { flags: { securityProfile: 'open' } },
      '"open" is not a security profile (--security-profile). write laptop or shared',
    ],
    [
      { environment: { ARGOSY_SECURITY_PROFILE: 'Shared' } },
      '"Shared" is not a security profile (ARGOSY_SECURITY_PROFILE). write laptop or shared',
    ],
    [
      { params: { [KEY]: 'cluster' } },
      '"cluster" is not a security profile (argosy.security-profile of argocd-cmd-params-cm). write laptop or shared',
    ],
    [
      { flags: { host: '0.0.0.0' } },
      'the security profile laptop listens on loopback only, not on 0.0.0.0 (--host). use --security-profile shared, ' +
        'which serves over TLS to others, or leave the address away',
    ],
    [
      { environment: { ARGOSY_HOST: '192.168.1.4' } },
      'the security profile laptop listens on loopback only, not on 192.168.1.4 (ARGOSY_HOST). use ' +
        '--security-profile shared, which serves over TLS to others, or leave the address away',
    ],
    [
      { flags: { metricsAddress: '::' } },
      'the security profile laptop listens on loopback only, not on :: (--metrics-address). use --security-profile ' +
        'shared, which serves over TLS to others, or leave the address away',
    ],
    [
      { flags: { ...SHARED, allowFileRepos: ['/srv'] } },
      'the security profile shared allows no local folders as repositories (--allow-file-repos). serve the ' +
        'repository over https or ssh, or use --security-profile laptop',
    ],
    [
      { isInCluster: true, settings: { 'oidc.tls.insecure.skip.verify': 'true' } },
      'the security profile shared verifies the certificate of the SSO provider (oidc.tls.insecure.skip.verify of ' +
        'argocd-cm). remove the key, and put the authority of the provider into rootCA of oidc.config',
    ],
    [
      { flags: SHARED, environment: { ARGOSY_INSECURE: 'yes' } },
      '"yes" is neither true nor false (ARGOSY_INSECURE). fix the value; the message shows the expected format',
    ],
    [
      { flags: SHARED, params: { 'server.tls.minversion': '1.0' } },
      '"1.0" is not a TLS version that is safe to offer (server.tls.minversion of argocd-cmd-params-cm). write 1.2 ' +
        'or 1.3',
    ],
    [
      { flags: { ...SHARED, tlsminversion: '1.3', tlsmaxversion: '1.2' } },
      'the lowest TLS version is above the highest (--tlsminversion, --tlsmaxversion). fix the value; the message ' +
        'shows the expected format',
    ],
  ])('refuses %j', (given, sentence) => {
    expect(refusal(given)).toBe(sentence);
  });
});
