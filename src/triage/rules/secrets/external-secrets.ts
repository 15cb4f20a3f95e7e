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

interface Failure {
  readonly node: Node;
  readonly graph: Graph;
  /** What the controller and the provider answered. */
  readonly text: string;
  readonly store: Node | undefined;
  readonly details: { readonly evidence: Finding['evidence']; readonly onset?: number };
}

function externalSecretRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  // An ExternalSecret that merges into a missing Secret is Ready.
  const addsToNothing = textAt(ready, 'reason') === 'SecretMissing';
  if (textAt(ready, 'status') === 'True' && !addsToNothing) return [];
  if (ready === undefined)
    return [
      delegate('B17', node, 'reconcile', `no controller reconciles ${nodeText(node)}: it has no status`, {
        evidence: [fact(node, 'status', null)],
      }),
    ];
  const onset = sinceOf(ready);
  const text = joinAnswers(node, graph);
  const failure: Failure = {
    node,
    graph,
    text,
    store: graph.edges(node).find(({ field }) => /[sS]toreRef$/.test(field))?.to,
    details: {
      evidence: [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${text}`)],
      ...(onset === undefined ? {} : { onset }),
    },
  };
  return [
    storeRejects(failure) ??
      targetRejected(failure, addsToNothing) ??
      providerRejects(failure) ??
      delegate('B05', node, 'reconcile', `${nodeText(node)} gets no value from its store`, failure.details),
  ];
}

/** The store does not exist, or does not serve the namespace. */
function storeRejects({ node, graph, text, store, details }: Failure): Finding | undefined {
  if (store === undefined) return undefined;
  if (/could not get (?:Cluster)?SecretStore|SecretStore(?:\.external-secrets\.io)? "[^"]+" not found/.test(text)) {
    graph.store.missing(store.key);
    return wrongStore(node, graph, store, details);
  }
  if (!/denied by spec\.condition|not allowed from namespace/.test(text)) return undefined;
  return leaf('B10', node, 'reconcile', `${nodeText(store)} does not serve namespace ${node.key.namespace}`, {
    ...details,
    blamed: store,
    field: 'spec.conditions',
    signature: `conditions ${store.id}`,
    fix: change(store, graph, `allow namespace ${node.key.namespace} in spec.conditions`, { risk: 'none' }),
  });
}

/** The Secret to write belongs to another, cannot be changed, or is not there to add to. */
function targetRejected({ node, graph, text, details }: Failure, addsToNothing: boolean): Finding | undefined {
  if (/owned by another|target is owned/.test(text))
    return leaf('B15', node, 'reconcile', `the target Secret of ${nodeText(node)} is owned by another ExternalSecret`, {
      ...details,
      field: 'spec.target.name',
      fix: change(node, graph, 'keep one ExternalSecret for the Secret'),
    });
  if (/immutable/.test(text))
    return leaf('B15', node, 'reconcile', `the target Secret of ${nodeText(node)} is immutable`, {
      ...details,
      field: 'spec.target.immutable',
      fix: change(node, graph, 'delete the Secret so that it is recreated', { risk: 'delete-recreate' }),
    });
  if (!addsToNothing) return undefined;
  return leaf('B16', node, 'reconcile', `${nodeText(node)} merges into a Secret that does not exist`, {
    ...details,
    field: 'spec.target.creationPolicy',
    fix: change(node, graph, 'set creationPolicy Owner, or create the Secret'),
  });
}

/** The provider has no such value or denies it; a failing store is blamed itself. */
function providerRejects({ node, graph, text, store, details }: Failure): Finding | undefined {
  const isStoreBad =
    store !== undefined &&
    (store.state === 'ghost' || (store.object !== undefined && !conditionIs(store.object, 'Ready', 'True')));
  if (isStoreBad) return undefined;
  if (NOT_AT_PROVIDER.test(text)) {
    const keys = [
      ...objectsAt(node.object, 'spec', 'data').map((each) => textAt(each, 'remoteRef', 'key')),
      ...objectsAt(node.object, 'spec', 'dataFrom').map((each) => textAt(each, 'extract', 'key')),
    ].filter((key) => key !== '');
    const named = keys.join(', ');
    return leaf('B14', node, 'reconcile', `the provider has no secret ${named}, which ${nodeText(node)} reads`, {
      ...details,
      evidence: [...details.evidence, fact(node, 'spec.data[].remoteRef.key', named)],
      field: 'spec.data[].remoteRef.key',
      fix: change(node, graph, 'use a name that exists at the provider, or add the secret there', { risk: 'none' }),
    });
  }
  if (!DENIED.test(text) && !text.includes('AccessDenied')) return undefined;
  return leaf('B07', node, 'reconcile', `the provider denies ${nodeText(node)} access to its secret`, {
    ...details,
    ...(store === undefined ? {} : { blamed: store }),
    field: 'spec.provider',
    signature: `denied ${store?.id ?? node.id}`,
    fix: act('allow the role of the store to read the path', [], {
      where: 'outside',
      verify: `kubectl get ${kubectlName(node)}`,
    }),
  });
}

/** The store is not there, and one of the same name of the other kind may be: then the reference is wrong. */
function wrongStore(node: Node, graph: Graph, store: Node, details: Failure['details']): Finding {
  const other =
    store.key.kind === 'SecretStore'
      ? graph.store.get({ group: ESO, kind: 'ClusterSecretStore', namespace: '', name: store.key.name })
      : graph.store.get({ group: ESO, kind: 'SecretStore', namespace: node.key.namespace, name: store.key.name });
  if (other?.object === undefined)
    return delegate('B09', node, 'reconcile', `${nodeText(node)} refers to ${nodeText(store)}, which does not exist`, {
      ...details,
      target: store,
    });
  return leaf(
    'B09',
    node,
    'reconcile',
    `${nodeText(node)} refers to ${nodeText(store)}, which does not exist; ${nodeText(other)} does`,
    {
      ...details,
      field: 'spec.secretStoreRef.kind',
      signature: `store ${store.key.kind} ${store.key.name}`,
      commonTitle:
        `ExternalSecrets refer to ${store.key.kind} ${store.key.name}, which does not exist; ` +
        `a ${other.key.kind} of that name does`,
      fix: change(node, graph, `refer to the ${other.key.kind}`, {
        risk: 'none',
        edits: [setting(node, 'spec.secretStoreRef.kind', other.key.kind)],
      }),
    },
  );
}
