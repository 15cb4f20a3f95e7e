import type { AdmissionPlugin } from '../rest/index.js';

const PLURALS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];

/** Webhook configurations are kept for the tools that ship them, but nothing is called; that must not be a surprise. */
export const webhookWarning: AdmissionPlugin = {
  name: 'WebhookNotice',
  validate({ type, operation, warn }) {
    if (operation === 'DELETE' || type.group !== 'admissionregistration.k8s.io' || !PLURALS.includes(type.plural))
      return;
    warn('Argosy keeps webhook configurations but does not call webhooks');
  },
};
