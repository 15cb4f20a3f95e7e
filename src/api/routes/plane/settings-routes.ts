import { isObject, readOneYaml, textAt, textsAt, type JsonObject } from '../../../model/index.js';
import { json } from '../../http/answer.js';
import { route, type Context, type Route } from '../../route/route.js';

const TAG = 'settings';

async function isSignedIn({ access, headers, remoteAddress }: Context): Promise<boolean> {
  return !('refused' in await access.authenticate({ method: 'GET', path: '/api/v1/settings', headers, remoteAddress }));
}

function yamlObject(text: string): JsonObject | undefined {
  try {
    const value = text === '' ? null : readOneYaml(text, { dialect: 'kubernetes' });
    return isObject(value) ? value : undefined;
  } catch {
    // What cannot be read is told by whoever uses it.
    return undefined;
  }
}

/** What a page of signing in must know; the rest is for those who are in. */
function settingsView({ desk }: Context, isIn: boolean): JsonObject {
  const cm = desk.settingsMap('argocd-cm');
  const { settings } = desk;
  const oidc = yamlObject(cm.get('oidc.config') ?? '');
  const logins = cm.get('admin.enabled') !== 'false' || [...cm].some(([key, value]) => /^accounts\.[^.]+$/.test(key) && value.includes('login'));
  return {
    ...(settings.url === '' ? {} : { url: settings.url }),
    ...(oidc === undefined ? {} : { oidcConfig: { name: textAt(oidc, 'name'), issuer: textAt(oidc, 'issuer'), clientID: textAt(oidc, 'clientID'), cliClientID: textAt(oidc, 'cliClientID'), scopes: textsAt(oidc, 'requestedScopes'), enablePKCEAuthentication: oidc.enablePKCEAuthentication === true } }),
    appLabelKey: settings.instanceLabelKey, statusBadgeEnabled: cm.get('statusbadge.enabled') === 'true', googleAnalytics: {}, kustomizeOptions: { BuildOptions: settings.kustomize.buildOptions },
    help: { ...(cm.has('help.chatUrl') ? { chatUrl: cm.get('help.chatUrl') ?? '' } : {}), ...(cm.has('help.chatText') ? { chatText: cm.get('help.chatText') ?? '' } : {}) },
    ...(logins ? {} : { userLoginsDisabled: true }), trackingMethod: settings.trackingMethod, ...(settings.installationID === '' ? {} : { installationID: settings.installationID }),
    ...(settings.applicationNamespaces.length === 0 ? {} : { appsInAnyNamespaceEnabled: true }), ...(settings.impersonation.isEnabled ? { impersonationEnabled: true } : {}), syncWithReplaceAllowed: true,
    ...(isIn ? { controllerNamespace: desk.namespace, ...(cm.has('ui.bannercontent') ? { uiBannerContent: cm.get('ui.bannercontent') ?? '' } : {}), ...(cm.has('ui.bannerurl') ? { uiBannerURL: cm.get('ui.bannerurl') ?? '' } : {}), passwordPattern: cm.get('passwordPattern') ?? '^.{8,32}$', problems: [...desk.problems] } : {}),
  };
}

export const SETTINGS_ROUTES: readonly Route[] = [
  route('GET', '/api/v1/settings', { says: 'Settings that clients need; more for those who are signed in.', tag: TAG, access: 'anonymous', handle: async (context) => json(settingsView(context, await isSignedIn(context))) }),
  route('GET', '/api/v1/settings/plugins', { says: 'Config management plugins.', tag: TAG, access: 'signed-in', handle: ({ desk }) => json({ plugins: desk.plugins.map((name) => ({ name })) }) }),
];
