import { objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText, selectedPods, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf } from '../make-finding.js';
import { storeFix } from '../store-fix.js';
import { joinAnswers, latestAnswer } from './answers.js';
import { denied, sealed } from './vault.js';

/** Registered by kind. */
export const SECRET_STORE_RULES: RuleTable = {
  'external-secrets.io/SecretStore': [secretStoreRules],
  'external-secrets.io/ClusterSecretStore': [secretStoreRules],
};

function secretStoreRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  if (ready === undefined || (textAt(ready, 'status') === 'True' && textAt(ready, 'reason') !== 'ValidationUnknown'))
    return [];
  const text = joinAnswers(node, graph);
  const onset = sinceOf(ready);
  const told = {
    evidence: [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${text}`)],
    impact: 'infrastructure' as const,
    ...(onset === undefined ? {} : { onset }),
  };
  if (textAt(ready, 'status') === 'True')
    return [
      leaf('B11', node, 'reconcile', `whether ${nodeText(node)} works was never proved`, {
        ...told,
        impact: 'note',
        level: 'waiting',
      }),
    ];
  const service = graph.edges(node).find(({ field }) => field === 'spec.provider.vault.server')?.to;
  const server = textAt(node.object, 'spec', 'provider', 'vault', 'server');
  const answer = latestAnswer(node, graph);
  const empty =
    service === undefined
      ? undefined
      : selectedPods(service, graph).find(
          ({ object }) => textAt(object, 'metadata', 'labels', 'vault-initialized') === 'false',
        );
  // A vault that was never initialised calls itself sealed.
  if (answer === 'sealed' && empty !== undefined)
    return [
      delegate('B21', node, 'reconcile', `the vault behind ${nodeText(node)} was never initialised`, {
        ...told,
        target: empty,
      }),
    ];
  if (answer === 'sealed') return [sealed(node, graph, service, told)];
  const account = /cannot get Kubernetes service account "([^"]+)"|serviceaccounts? "([^"]+)" not found/.exec(text);
  if (account !== null) {
    const name = account[1] ?? account[2] ?? '';
    const referred = graph.edges(node).find(({ to }) => to.key.kind === 'ServiceAccount' && to.key.name === name)?.to
      .key ?? { group: '', kind: 'ServiceAccount', namespace: node.key.namespace, name };
    return [
      delegate('B12', node, 'reconcile', `${nodeText(node)} comes as service account ${name}, which does not exist`, {
        ...told,
        target: graph.store.missing(referred),
      }),
    ];
  }
  const isGone =
    service !== undefined &&
    (service.state === 'ghost' || (service.key.kind === 'Service' && isEmptyNamespace(graph, service)));
  if (isGone)
    return [
      leaf(
        'B08',
        node,
        'reconcile',
        `${nodeText(node)} asks ${server}, and there is no Service ${service.key.namespace}/${service.key.name}`,
        {
          ...told,
          evidence: [
            ...told.evidence,
            fact(node, 'spec.provider.vault.server', server),
            { of: nodeText(service), path: '', value: 'absent' },
          ],
          field: 'spec.provider.vault.server',
          fix: change(node, graph, otherServers(graph, service), { risk: 'none', ...storeFix(node, graph) }),
        },
      ),
    ];
  if (answer === 'denied') return [denied(node, told)];
  if (/401|invalid (?:client|credentials|token)|AADSTS|unauthorized|AccessDenied|InvalidClientTokenId/i.test(text))
    return [
      leaf('B07', node, 'reconcile', `the provider refuses the credential of ${nodeText(node)}`, {
        ...told,
        field: 'spec.provider',
        fix: act('renew the credential of the store', [], {
          where: 'outside',
          verify: `kubectl get ${kubectlName(node)}`,
        }),
      }),
    ];
  const isService = service?.key.kind === 'Service' && service.state === 'present';
  if (isService)
    return [
      delegate('B06', node, 'reconcile', `${nodeText(node)} gets no answer from ${server}`, {
        ...told,
        target: service,
      }),
    ];
  if (/no such host|connection refused|i\/o timeout|deadline exceeded/.test(text))
    return [
      leaf('B08', node, 'reconcile', `${nodeText(node)} cannot reach ${server === '' ? 'its provider' : server}`, {
        ...told,
        field: 'spec.provider.vault.server',
        fix: change(node, graph, 'correct the address', { risk: 'none' }),
      }),
    ];
  return [delegate('B06', node, 'reconcile', `${nodeText(node)} is not valid and nothing says why`, told)];
}

function isEmptyNamespace(graph: Graph, service: Node): boolean {
  return (
    service.state === 'unknown' &&
    graph.store.listing('', 'Namespace', '') === 'complete' &&
    graph.store.get({ group: '', kind: 'Namespace', namespace: '', name: service.key.namespace }) === undefined
  );
}

/** Services that answer on the same port elsewhere may be meant. */
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
        'one store for each namespace if there are several';
}
