import { isHarmlessLink } from '../../../model/formats/index.js';
import type { JsonObject } from '../../../model/json/index.js';
import { json } from '../../http/index.js';
import { route, type Context, type Route } from '../../route/index.js';

const TAG = 'settings';

async function isSignedIn({ access, headers, remoteAddress }: Context): Promise<boolean> {
  return !(
    'refused' in (await access.authenticate({ method: 'GET', path: '/api/v1/settings', headers, remoteAddress }))
  );
}

/** An address of the settings, where pages may show it as a link. */
function link(name: string, address: string | undefined): JsonObject {
  return address === undefined || !isHarmlessLink(address) ? {} : { [name]: address };
}

/** What a page of signing in must know; the rest is for those who are in. */
function settingsView({ services, access }: Context, isIn: boolean): JsonObject {
  const cm = services.settings.configMapData('argocd-cm');
  const settings = services.settings.current;
  // References to Secrets are followed here as they are at a login.
  const { oidc, hasPasswords } = access.signInMethods;
  return {
    ...(settings.url === '' ? {} : { url: settings.url }),
    ...(oidc === undefined
      ? {}
      : { oidcConfig: { ...oidc, scopes: [...oidc.scopes], enablePKCEAuthentication: true } }),
    appLabelKey: settings.instanceLabelKey,
    statusBadgeEnabled: cm.get('statusbadge.enabled') === 'true',
    googleAnalytics: {},
    kustomizeOptions: { BuildOptions: settings.kustomize.buildOptions },
    help: {
      ...link('chatUrl', cm.get('help.chatUrl')),
      ...(cm.has('help.chatText') ? { chatText: cm.get('help.chatText') ?? '' } : {}),
    },
    ...(hasPasswords ? {} : { userLoginsDisabled: true }),
    trackingMethod: settings.trackingMethod,
    ...(settings.installationID === '' ? {} : { installationID: settings.installationID }),
    ...(settings.applicationNamespaces.length === 0 ? {} : { appsInAnyNamespaceEnabled: true }),
    ...(settings.impersonation.isEnabled ? { impersonationEnabled: true } : {}),
    syncWithReplaceAllowed: true,
    ...(isIn
      ? {
          controllerNamespace: services.namespace,
          ...(settings.terminal.isEnabled ? { execEnabled: true } : {}),
          ...(cm.has('ui.bannercontent') ? { uiBannerContent: cm.get('ui.bannercontent') ?? '' } : {}),
          ...link('uiBannerURL', cm.get('ui.bannerurl')),
          passwordPattern: cm.get('passwordPattern') ?? '^.{8,32}$',
          problems: [...services.settings.problems],
        }
      : {}),
  };
}

export const SETTINGS_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/settings', {
    summary: 'Settings that clients need; more for those who are signed in.',
    tag: TAG,
    access: 'anonymous',
    handle: async (context) => json(settingsView(context, await isSignedIn(context))),
  }),
  route('GET', '/api/v1/settings/plugins', {
    summary: 'Config management plugins.',
    tag: TAG,
    access: 'signed-in',
    handle: ({ services }) => json({ plugins: services.settings.plugins.map((name) => ({ name })) }),
  }),
];
