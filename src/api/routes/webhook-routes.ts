import { APPLICATIONS, SECRETS, type FrontDesk } from '../../control/index.js';
import { idOf, isObject, own } from '../../model/index.js';
import { json } from '../http/answer.js';
import { route, type Route } from '../route/route.js';
import { isConcerned } from '../webhook/concerned.js';
import { readWebhook, type WebhookSecrets } from '../webhook/read-webhook.js';
import type { Services } from './services.js';

const LARGEST = 25 * 1024 * 1024;
const AT_ONCE = 8;

/** Read when a delivery comes: a secret that was changed counts at once. */
async function secretsOf({ cluster, namespace }: FrontDesk): Promise<WebhookSecrets> {
  const data = (await cluster.get(SECRETS, { namespace, name: 'argocd-secret' }))?.data;
  if (!isObject(data)) return new Map();
  return new Map(
    Object.keys(data)
      .filter((key) => key.startsWith('webhook.'))
      .flatMap((key) => {
        const value = own(data, key);
        return typeof value === 'string' ? [[key, Buffer.from(value, 'base64').toString('utf8')] as const] : [];
      }),
  );
}

export function webhookRoutes({ book }: Services): Route[] {
  return [
    route('POST', '/api/webhook', {
      says:
        'Deliveries of GitHub, GitLab, Bitbucket, Gitea, Gogs and Azure DevOps: applications that come from ' +
        'what was pushed are refreshed.',
      tag: 'server',
      access: 'anonymous',
      takesRawBody: true,
      bodyLimit: LARGEST,
      handle: async ({ desk, headers, rawBody }) => {
        const pushes = readWebhook({ headers, bytes: rawBody, secrets: await secretsOf(desk) });
        const concerned = book.all().filter((application) => pushes.some((push) => isConcerned(application, push)));
        const rest = [...concerned];
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            for (let application = rest.shift(); application !== undefined; application = rest.shift()) {
              desk.learn(
                await desk.cluster.patch(APPLICATIONS, idOf(application), {
                  type: 'merge',
                  body: { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } },
                }),
              );
            }
          }),
        );
        return json({ refreshed: concerned.length });
      },
    }),
  ];
}
