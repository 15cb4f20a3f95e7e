/**
 * webhook: CONTRACT.
 */
export { isAffected } from './is-affected.js';
export { readWebhook, type WebhookSecrets } from './read-webhook.js';
