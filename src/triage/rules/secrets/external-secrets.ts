import { objectsAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, conditionOf, ESO, type Graph, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, kubectlName, leaf, setting } from '../make-finding.js';
import { DENIED, joinAnswers } from './answers.js';
import { anyOf } from '../any-of.js';

/** Registered by kind. */
export const EXTERNAL_SECRET_RULES: RuleTable = {
  'external-secrets.io/ExternalSecret': [externalSecretRules],
};

const NOT_AT_PROVIDER = anyOf(
  /Secret does not exist|cannot find secret data for key|secret not found/i,
  /SecretNotFound|no such key|does not have a value/i,
  /invalid (?:path|key)/i,
  /ResourceNotFoundException/i,
  /key .* does not exist/i,
  /property .* does not exist/i,
);

function externalSecretRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  // An ExternalSecret that adds to what is not there calls itself ready.
  const addsToNothing = textAt(ready, 'reason') === 'SecretMissing';
  if (textAt(ready, 'status') === 'True' && !addsToNothing) return [];
  const onset = sinceOf(ready);
  const text = joinAnswers(node, graph);
  const told = {
    evidence: [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${text}`)],
    ...(onset === undefined ? {} : { onset }),
  };
  if (ready === undefined)
    return [
      delegate('B17', node, 'reconcile', `nothing looks after ${nodeText(node)}: it has no status`, {
        ...told,
        evidence: [fact(node, 'status', null)],
      }),
    ];
  const [store] = graph.edges(node).filter(({ field }) => /[sS]toreRef$/.test(field));
  if (
    /could not get (?:Cluster)?SecretStore|SecretStore(?:\.external-secrets\.io)? "[^"]+" not found/.test(text) &&
    store !== undefined
  ) {
    graph.store.missing(store.to.key);
    return [wrongStore(node, graph, store.to, told)];
  }
  if (/denied by spec\.condition|not allowed from namespace/.test(text) && store !== undefined)
    return [
      leaf('B10', node, 'reconcile', `${nodeText(store.to)} does not serve namespace ${node.key.namespace}`, {
        ...told,
        blamed: store.to,
        field: 'spec.conditions',
        impact: 'infrastructure',
        signature: `conditions ${store.to.id}`,
        fix: change(store.to, graph, `allow the namespace ${node.key.namespace}`, { risk: 'none' }),
      }),
    ];
  if (/owned by another|target is owned/.test(text))
    return [
      leaf('B15', node, 'reconcile', `the Secret of ${nodeText(node)} belongs to another ExternalSecret`, {
        ...told,
        field: 'spec.target.name',
        fix: change(node, graph, 'let one of them write the Secret'),
      }),
    ];
  if (/immutable/.test(text))
    return [
      leaf('B15', node, 'reconcile', `the Secret of ${nodeText(node)} cannot be changed any more`, {
        ...told,
        field: 'spec.target.immutable',
        fix: change(node, graph, 'delete the Secret so that it is made again', { risk: 'delete-recreate' }),
      }),
    ];
  if (addsToNothing)
    return [
      leaf('B16', node, 'reconcile', `${nodeText(node)} adds to a Secret that does not exist`, {
        ...told,
        field: 'spec.target.creationPolicy',
        fix: change(node, graph, 'let it own the Secret, or create it'),
      }),
    ];
  const isStoreBad =
    store !== undefined &&
    (store.to.state === 'ghost' || (store.to.object !== undefined && !conditionIs(store.to.object, 'Ready', 'True')));
  if (!isStoreBad && NOT_AT_PROVIDER.test(text)) {
    const keys = [
      ...objectsAt(node.object, 'spec', 'data').map((each) => textAt(each, 'remoteRef', 'key')),
      ...objectsAt(node.object, 'spec', 'dataFrom').map((each) => textAt(each, 'extract', 'key')),
    ].filter((key) => key !== '');
    return [
      leaf('B14', node, 'reconcile', `the provider has no value ${keys.join(', ')}, which ${nodeText(node)} asks for`, {
        ...told,
        evidence: [...told.evidence, fact(node, 'spec.data[].remoteRef.key', keys.join(', '))],
        field: 'spec.data[].remoteRef.key',
        fix: change(node, graph, 'ask for the name that the provider has, or add the value there', { risk: 'none' }),
      }),
    ];
  }
  if (!isStoreBad && (DENIED.test(text) || text.includes('AccessDenied')))
    return [
      leaf('B07', node, 'reconcile', `the provider does not let ${nodeText(node)} read its value`, {
        ...told,
        ...(store === undefined ? {} : { blamed: store.to }),
        field: 'spec.provider',
        impact: 'infrastructure',
        signature: `denied ${store?.to.id ?? node.id}`,
        fix: act('let the role of the store read the path', [], {
          where: 'outside',
          verify: `kubectl get ${kubectlName(node)}`,
        }),
      }),
    ];
  return [delegate('B05', node, 'reconcile', `${nodeText(node)} gets no value from its store`, told)];
}

/** The store is not there, and one of the same name of the other kind may be: then the reference is wrong. */
function wrongStore(node: Node, graph: Graph, store: Node, told: { evidence: Finding['evidence'] }): Finding {
  const other =
    store.key.kind === 'SecretStore'
      ? graph.store.get({ group: ESO, kind: 'ClusterSecretStore', namespace: '', name: store.key.name })
      : graph.store.get({ group: ESO, kind: 'SecretStore', namespace: node.key.namespace, name: store.key.name });
  if (other?.object === undefined)
    return delegate('B09', node, 'reconcile', `${nodeText(node)} names ${nodeText(store)}, which does not exist`, {
      ...told,
      target: store,
    });
  return leaf(
    'B09',
    node,
    'reconcile',
    `${nodeText(node)} names ${nodeText(store)}, which does not exist; there is ${nodeText(other)}`,
    {
      ...told,
      field: 'spec.secretStoreRef.kind',
      signature: `store ${store.key.kind} ${store.key.name}`,
      commonTitle: `ExternalSecrets name the ${store.key.kind} ${store.key.name}, which does not exist; there is a ${other.key.kind}`,
      fix: change(node, graph, `refer to the ${other.key.kind}`, {
        risk: 'none',
        edits: [setting(node, 'spec.secretStoreRef.kind', other.key.kind)],
      }),
    },
  );
}
