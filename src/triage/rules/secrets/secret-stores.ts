import { objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText, selectedPods, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf } from '../make-finding.js';
import { isInAbsentNamespace } from '../ghosts.js';
import { storeFix } from '../store-fix.js';
import { anyOf } from '../any-of.js';
import { joinAnswers, latestAnswer } from './answers.js';
import { denied, sealed } from './vault.js';

/** Registered by kind. */
export const SECRET_STORE_RULES: RuleTable = {
  'external-secrets.io/SecretStore': [secretStoreRules],
  'external-secrets.io/ClusterSecretStore': [secretStoreRules],
};

interface Failure {
  readonly node: Node;
  readonly graph: Graph;
  /** What the controller and the provider answered. */
  readonly text: string;
  /** The Service of the provider, if it runs in the cluster. */
  readonly service: Node | undefined;
  readonly server: string;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
}

function secretStoreRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  const isReady = textAt(ready, 'status') === 'True';
  if (ready === undefined || (isReady && textAt(ready, 'reason') !== 'ValidationUnknown')) return [];
  const text = joinAnswers(node, graph);
  const onset = sinceOf(ready);
  const details = {
    evidence: [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${text}`)],
    ...(onset === undefined ? {} : { onset }),
  };
  if (isReady)
    return [
      leaf('B11', node, 'reconcile', `${nodeText(node)} was never validated`, {
        ...details,
        level: 'waiting',
      }),
    ];
  const service = graph.edges(node).find(({ field }) => field === 'spec.provider.vault.server')?.to;
  const server = textAt(node.object, 'spec', 'provider', 'vault', 'server');
  const failure: Failure = { node, graph, text, service, server, details };
  return [
    sealedVault(failure) ??
      namespaceMissing(failure) ??
      accountMissing(failure) ??
      serviceMissing(failure) ??
      credentialRejected(failure) ??
      unreachable(failure),
  ];
}

function sealedVault({ node, graph, service, details }: Failure): Finding | undefined {
  if (latestAnswer(node, graph) !== 'sealed') return undefined;
  const pods = service === undefined ? [] : selectedPods(service, graph);
  // A vault that was never initialised calls itself sealed.
  const empty = pods.find(({ object }) => textAt(object, 'metadata', 'labels', 'vault-initialized') === 'false');
  if (empty === undefined) return sealed(node, graph, service, details);
  return delegate('B21', node, 'reconcile', `the vault behind ${nodeText(node)} was never initialized`, {
    ...details,
    target: empty,
  });
}

function accountMissing({ node, graph, text, details }: Failure): Finding | undefined {
  const account = /cannot get Kubernetes service account "([^"]+)"|serviceaccounts? "([^"]+)" not found/.exec(text);
  if (account === null) return undefined;
  const name = account[1] ?? account[2] ?? '';
  const referred = graph.edges(node).find(({ to }) => to.key.kind === 'ServiceAccount' && to.key.name === name)?.to
    .key ?? { group: '', kind: 'ServiceAccount', namespace: node.key.namespace, name };
  return delegate('B12', node, 'reconcile', `${nodeText(node)} uses service account ${name}, which does not exist`, {
    ...details,
    target: graph.store.missing(referred),
  });
}

/** Whatever else is said to be missing there: the server is asked for in a namespace that does not exist. */
function namespaceMissing(failure: Failure): Finding | undefined {
  const { graph, service } = failure;
  return service?.key.kind === 'Service' && service.object === undefined && isInAbsentNamespace(service, graph)
    ? serviceMissing(failure)
    : undefined;
}

function serviceMissing({ node, graph, service, server, details }: Failure): Finding | undefined {
  if (service === undefined) return undefined;
  const isGone =
    service.state === 'ghost' ||
    (service.key.kind === 'Service' && service.state === 'unknown' && isInAbsentNamespace(service, graph));
  if (!isGone) return undefined;
  return leaf(
    'B08',
    node,
    'reconcile',
    `${nodeText(node)} uses ${server}, but Service ${service.key.namespace}/${service.key.name} does not exist`,
    {
      ...details,
      evidence: [
        ...details.evidence,
        fact(node, 'spec.provider.vault.server', server),
        { of: nodeText(service), path: '', value: 'absent' },
      ],
      field: 'spec.provider.vault.server',
      fix: change(node, graph, otherServers(graph, service), { risk: 'none', ...storeFix(node, graph) }),
    },
  );
}

const CREDENTIAL_REJECTED = anyOf(
  /401|invalid (?:client|credentials|token)|AADSTS|unauthorized/i,
  /AccessDenied|InvalidClientTokenId/i,
);

function credentialRejected({ node, graph, text, details }: Failure): Finding | undefined {
  if (latestAnswer(node, graph) === 'denied') return denied(node, details);
  if (!CREDENTIAL_REJECTED.test(text)) return undefined;
  return leaf('B07', node, 'reconcile', `the provider rejects the credentials of ${nodeText(node)}`, {
    ...details,
    field: 'spec.provider',
    fix: act('renew the credentials of the store', [], {
      where: 'outside',
      verify: `kubectl get ${kubectlName(node)}`,
    }),
  });
}

function unreachable({ node, graph, text, service, server, details }: Failure): Finding {
  if (service?.key.kind === 'Service' && service.state === 'present')
    return delegate('B06', node, 'reconcile', `${nodeText(node)} gets no response from ${server}`, {
      ...details,
      target: service,
    });
  if (/no such host|connection refused|i\/o timeout|deadline exceeded/.test(text))
    return leaf('B08', node, 'reconcile', `${nodeText(node)} cannot reach ${server === '' ? 'its provider' : server}`, {
      ...details,
      field: 'spec.provider.vault.server',
      fix: change(node, graph, 'correct the address', { risk: 'none' }),
    });
  return delegate('B06', node, 'reconcile', `${nodeText(node)} is not valid; the reason is unknown`, details);
}

/** Services with the same port in other namespaces are candidates. */
function otherServers(graph: Graph, service: Node): string {
  const others = graph.store
    .ofKind('', 'Service')
    .filter(
      ({ key, object }) =>
        key.name === service.key.name || objectsAt(object, 'spec', 'ports').some(({ port }) => port === 8200),
    )
    .map(({ key }) => `${key.name}.${key.namespace}.svc`);
  return others.length === 0
    ? 'point server to a Service that exists'
    : `point server to a Service that exists, such as ${[...new Set(others)].sort().slice(0, 3).join(', ')}; ` +
        'one store per namespace if there are several';
}
