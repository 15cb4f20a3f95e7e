import type { Edit, Finding } from '../findings/index.js';
import { type Graph, type Node, nodeText } from '../graph/index.js';
import { objectsAt } from '../../model/json/index.js';
import { textAt } from '../json/index.js';
import { change, delegate, leaf, removing, templateOf } from './make-finding.js';

/** A webhook that denies, or that does not answer. */
export function webhookFault(
  node: Node,
  graph: Graph,
  message: string,
  evidence: Finding['evidence'],
): Finding | undefined {
  const [, webhook, why = ''] =
    /admission webhook "([^"]+)" denied the request:?(.*)/.exec(message.replace(/\s+/g, ' ')) ?? [];
  if (webhook !== undefined) {
    return leaf('A15', node, 'admit', `admission webhook ${webhook} denies ${nodeText(node)}:${why}`, {
      evidence,
      field: templateOf(node) === '' ? 'spec' : templateOf(node),
      signature: `webhook ${webhook} ${why.replace(/"[^"]*"/g, '""')}`,
      commonTitle: `admission webhook ${webhook} denies objects:${why}`,
      fix: change(node, graph, 'change the object as the webhook requires', { edits: namespaceEdits(node, why) }),
    });
  }
  const failed = /failed calling webhook "([^"]+)"/.exec(message)?.[1];
  if (failed === undefined) return undefined;
  const configuration = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    .flatMap((kind) => graph.store.ofKind('admissionregistration.k8s.io', kind))
    .find(({ object }) => objectsAt(object, 'webhooks').some((webhook) => textAt(webhook, 'name') === failed));
  // The API server did not find the Service, so it is absent even if Services were not collected.
  const [, service = '', namespace = ''] = /https?:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc/.exec(message) ?? [];
  const absent =
    /service "[^"]+" not found/.test(message) && service !== ''
      ? graph.store.missing({ group: '', kind: 'Service', namespace, name: service })
      : undefined;
  return delegate(
    'A16',
    node,
    'admit',
    `admission webhook ${failed} does not respond, so ${nodeText(node)} is rejected`,
    { evidence, target: absent ?? configuration ?? graph.store.virtual('Webhook', failed) },
  );
}

/** How webhooks of secret stores refuse a namespace in a reference to a service account. */
const NAMESPACE_DENIED = new RegExp(
  'namespace (?:not allowed|should either be empty|must (?:not be set|be empty))|serviceAccountRef\\.namespace',
);

/** A SecretStore may name service accounts of its own namespace only, so the field is removed. */
function namespaceEdits(node: Node, message: string): Edit[] {
  return NAMESPACE_DENIED.test(message) ? [removing(node, ['**', 'serviceAccountRef', 'namespace'])] : [];
}
