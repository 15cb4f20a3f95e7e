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
    return leaf('A15', node, 'admit', `the admission webhook ${webhook} refuses ${nodeText(node)}:${why}`, {
      evidence,
      field: templateOf(node) === '' ? 'spec' : templateOf(node),
      signature: `webhook ${webhook} ${why.replace(/"[^"]*"/g, '""')}`,
      commonTitle: `the admission webhook ${webhook} refuses objects:${why}`,
      fix: change(node, graph, 'correct the object as the webhook asks', { edits: refusedNamespace(node, why) }),
    });
  }
  const failed = /failed calling webhook "([^"]+)"/.exec(message)?.[1];
  if (failed === undefined) return undefined;
  const configuration = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    .flatMap((kind) => graph.store.ofKind('admissionregistration.k8s.io', kind))
    .find(({ object }) => objectsAt(object, 'webhooks').some((webhook) => textAt(webhook, 'name') === failed));
  // The API server looked for the Service, so it is known to be absent even where Services were not collected.
  const [, service = '', namespace = ''] = /https?:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc/.exec(message) ?? [];
  const absent =
    /service "[^"]+" not found/.test(message) && service !== ''
      ? graph.store.missing({ group: '', kind: 'Service', namespace, name: service })
      : undefined;
  return delegate(
    'A16',
    node,
    'admit',
    `the admission webhook ${failed} does not answer, so ${nodeText(node)} is not taken`,
    { evidence, target: absent ?? configuration ?? graph.store.virtual('Webhook', failed) },
  );
}

/** How webhooks of secret stores refuse a namespace in a reference to a service account. */
const NAMESPACE_REFUSED = new RegExp(
  'namespace (?:not allowed|should either be empty|must (?:not be set|be empty))|serviceAccountRef\\.namespace',
);

/** A SecretStore may name service accounts of its own namespace only, so the field is removed. */
function refusedNamespace(node: Node, message: string): Edit[] {
  return NAMESPACE_REFUSED.test(message) ? [removing(node, ['**', 'serviceAccountRef', 'namespace'])] : [];
}
