import { idOf } from '../../model/argo/index.js';
import { isObject, own } from '../../model/json/index.js';
import { ApiError, json } from '../http/index.js';
import { route, type ReadServices, type Route } from '../route/index.js';
import { isAffected, movesRef, readWebhook, type WebhookSecrets } from '../webhook/index.js';
import { SECRETS } from '../../model/resources/index.js';

const MAX_BODY_BYTES = 25 * 1024 * 1024;
/** Of a delivery that nobody signed: reading it takes the time of everybody. */
const MAX_UNSIGNED_BYTES = 5 * 1024 * 1024;
const CONCURRENCY = 8;

/** Read when a delivery comes: a secret that was changed counts at once. */
async function secretsOf({ cluster, namespace }: ReadServices): Promise<WebhookSecrets> {
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

export const WEBHOOK_ROUTES: readonly Route[] = [
  route('POST', '/api/webhook', {
    summary:
      'Webhooks of GitHub, GitLab, Bitbucket, Gitea, Gogs and Azure DevOps: refreshes the applications ' +
      'and the notebooks of what was pushed.',
    tag: 'server',
    access: 'anonymous',
    takesRawBody: true,
    bodyLimit: MAX_BODY_BYTES,
    handle: async ({ services, server, headers, rawBody, audit }) => {
      audit.note({ verb: 'refresh', resource: 'applications' });
      const secrets = await secretsOf(services);
      if (rawBody.length > MAX_UNSIGNED_BYTES && ![...secrets.values()].some((secret) => secret !== ''))
        throw new ApiError(
          'ResourceExhausted',
          `the body is larger than ${MAX_UNSIGNED_BYTES} bytes: set a webhook secret, or rely on polling`,
          { status: 413 },
        );
      const pushes = readWebhook({
        headers,
        bytes: rawBody,
        secrets,
        requiresSecret: server.requiresWebhookSecret,
      });
      const concerned = services.applications
        .list()
        .filter((application) => pushes.some((push) => isAffected(application, push)));
      const notebooks = (pushes.length === 0 ? [] : await services.notebooks.following()).filter(({ url, ref }) =>
        pushes.some((push) => movesRef(push, url, ref)),
      );
      audit.note({ message: `${concerned.length} applications, ${notebooks.length} notebooks` });
      const rest = [...concerned];
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          for (let application = rest.shift(); application !== undefined; application = rest.shift()) {
            await services.applications.requestRefresh(idOf(application), 'normal');
          }
        }),
      );
      const now = services.clock.now().toISOString();
      for (const notebook of notebooks) await services.notebooks.requestRefresh(notebook, now);
      // Strangers must not learn from the answer which repositories are deployed.
      return json({}, { status: 202 });
    },
  }),
];
