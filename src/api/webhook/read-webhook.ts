import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, parseJson, type JsonObject } from '../../model/json/index.js';
import { ApiError } from '../http/index.js';
import { azurePush, bitbucketPush, bitbucketServerPush, gitHubPush, gitLabPush, type Push } from './push.js';

/** The secrets of argocd-secret, by key; those that nobody set are absent. */
export type WebhookSecrets = ReadonlyMap<string, string>;

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly secrets: WebhookSecrets;
  /** Whether forges are refused even while no secret is set at all. */
  readonly requiresSecret: boolean;
}

/**
 * What a delivery says; nothing where it is about something else, such as a ping. One whose signature is wrong is
 * refused; once a secret is set, so is every forge without one of its own: it would be a way around the secret.
 */
export function readWebhook(delivery: Delivery): readonly Push[] {
  const { headers } = delivery;
  // Gogs and Gitea also send the headers of GitHub, signed otherwise: they come first.
  if (header(headers, 'x-vss-activityid') !== '' || header(headers, 'user-agent').startsWith('VSServices'))
    return azure(delivery);
  if (header(headers, 'x-gitea-event') !== '')
    return hmac(delivery, 'x-gitea-signature', '', 'webhook.gogs.secret', header(headers, 'x-gitea-event'));
  if (header(headers, 'x-gogs-event') !== '')
    return hmac(delivery, 'x-gogs-signature', '', 'webhook.gogs.secret', header(headers, 'x-gogs-event'));
  if (header(headers, 'x-github-event') !== '')
    return hmac(delivery, 'x-hub-signature-256', 'sha256=', 'webhook.github.secret', header(headers, 'x-github-event'));
  if (header(headers, 'x-gitlab-event') !== '') return gitLab(delivery);
  if (header(headers, 'x-hook-uuid') !== '') return bitbucket(delivery);
  if (header(headers, 'x-event-key') !== '') return bitbucketServer(delivery);
  throw new ApiError(
    'InvalidArgument',
    'Unknown webhook event: none of the headers of GitHub, GitLab, Bitbucket, Gitea, Gogs or Azure DevOps is present',
  );
}

function hmac(delivery: Delivery, name: string, prefix: string, key: string, event: string): Push[] {
  const { headers, bytes } = delivery;
  const secret = secretOf(delivery, key);
  if (
    secret !== '' &&
    !isEqual(header(headers, name), `${prefix}${createHmac('sha256', secret).update(bytes).digest('hex')}`)
  )
    throw rejection();
  return event === 'push' || event === 'create' ? [gitHubPush(bodyOf(bytes))] : [];
}

function gitLab(delivery: Delivery): Push[] {
  const { headers, bytes } = delivery;
  const secret = secretOf(delivery, 'webhook.gitlab.secret');
  if (secret !== '' && !isEqual(header(headers, 'x-gitlab-token'), secret)) throw rejection();
  const body = bodyOf(bytes);
  const kind = body.object_kind ?? body.event_name;
  return kind === 'push' || kind === 'tag_push' ? [gitLabPush(body)] : [];
}

function bitbucket(delivery: Delivery): Push[] {
  const { headers, bytes } = delivery;
  const uuid = secretOf(delivery, 'webhook.bitbucket.uuid');
  if (uuid !== '' && !isEqual(header(headers, 'x-hook-uuid'), uuid)) throw rejection();
  return header(headers, 'x-event-key') === 'repo:push' ? [bitbucketPush(bodyOf(bytes))] : [];
}

function bitbucketServer(delivery: Delivery): Push[] {
  const { headers, bytes } = delivery;
  const secret = secretOf(delivery, 'webhook.bitbucketserver.secret');
  if (
    secret !== '' &&
    !isEqual(header(headers, 'x-hub-signature'), `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`)
  )
    throw rejection();
  return header(headers, 'x-event-key') === 'repo:refs_changed' ? [bitbucketServerPush(bodyOf(bytes))] : [];
}

function azure(delivery: Delivery): Push[] {
  const { headers, bytes, secrets } = delivery;
  const user = secrets.get('webhook.azuredevops.username') ?? '';
  const password =
    user === ''
      ? secretOf(delivery, 'webhook.azuredevops.password')
      : (secrets.get('webhook.azuredevops.password') ?? '');
  if (
    (user !== '' || password !== '') &&
    !isEqual(header(headers, 'authorization'), `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`)
  )
    throw rejection();
  const body = bodyOf(bytes);
  return body.eventType === 'git.push' ? [azurePush(body)] : [];
}

function secretOf({ secrets, requiresSecret }: Delivery, key: string): string {
  const secret = secrets.get(key) ?? '';
  if (secret === '' && (requiresSecret || [...secrets.values()].some((other) => other !== ''))) throw rejection();
  return secret;
}

function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** In a time that tells neither where they differ nor how long the right one is. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function bodyOf(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8');
  const value = parseJson(text === '' ? '{}' : text);
  if (!isObject(value))
    throw new ApiError(
      'InvalidArgument',
      'Webhook processing failed: the payload is not a JSON object. Ensure Content-Type is application/json',
    );
  return value;
}

function rejection(): ApiError {
  return new ApiError('InvalidArgument', 'Webhook processing failed: the signature is missing or wrong', {
    status: 400,
  });
}
