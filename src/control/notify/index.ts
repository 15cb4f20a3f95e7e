/**
 * notify: notifications of Argo CD. Takes Applications as they change and the settings of argocd-notifications-cm;
 * sends each due message once, also across restarts, and records that in an annotation and in the data directory.
 * The expressions of its triggers also serve deep links.
 */
export { CHANGE_ANNOTATION } from './change.js';
export { DeliveryLog } from './delivery-log.js';
export { Expression } from './expression/expression.js';
export type { Value } from './expression/value.js';
export type { TemplateHost } from './message-template.js';
export { NOTIFIED_ANNOTATION } from './notified-state.js';
export { Notifier } from './notifier.js';
export { loadNotifySettings } from './settings-cache.js';
