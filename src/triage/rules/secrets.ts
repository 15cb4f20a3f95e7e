import {
  type Graph,
  nodeText,
  type Node,
  selectedPods,
  ESO,
  conditionIs,
  conditionOf,
  sinceOf,
} from '../graph/index.js';
import { textAt } from '../json/index.js';
import { objectsAt } from '../../model/json/index.js';
import type { Finding, FixStep } from '../findings/index.js';
import { storeFix } from './store-fix.js';
import { act, change, delegate, fact, kubectlName, leaf, joinDistinct, setting, shellWord } from './make-finding.js';

/** Conditions of external-secrets say little; what the provider answered is in the events, the latest first. */
function answers(node: Node, graph: Graph): string[] {
  const ready = conditionOf(node.object, 'Ready');
  return [
    textAt(ready, 'message'),
    ...graph
      .events(node)
      .filter(({ type }) => type === 'Warning')
      .map(({ message }) => message),
  ];
}

function joinAnswers(node: Node, graph: Graph): string {
  return joinDistinct(answers(node, graph));
}

const SEALED = /sealed|503/;
const DENIED = /permission denied|403|[Ff]orbidden/;

/** A vault that was opened may deny what it did not answer before: only its latest answer holds. */
function latestAnswer(node: Node, graph: Graph): 'sealed' | 'denied' | undefined {
  const telling = answers(node, graph).find((text) => SEALED.test(text) || DENIED.test(text));
  return telling === undefined ? undefined : SEALED.test(telling) ? 'sealed' : 'denied';
}

export function externalSecretRules(node: Node, graph: Graph): readonly Finding[] {
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
  if (
    !isStoreBad &&
    /Secret does not exist|cannot find secret data for key|secret not found|SecretNotFound|no such key|does not have a value|invalid (?:path|key)|ResourceNotFoundException|key .* does not exist|property .* does not exist/i.test(
      text,
    )
  ) {
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

export function secretStoreRules(node: Node, graph: Graph): readonly Finding[] {
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

/** The vault is sealed: the cause is the pod that lost its key, not the store that asks it. */
function sealed(
  node: Node,
  graph: Graph,
  service: Node | undefined,
  told: { evidence: Finding['evidence']; impact: 'infrastructure' },
): Finding {
  const pods = service === undefined ? [] : selectedPods(service, graph);
  const [pod] = pods;
  const blamed = pod === undefined ? service : graph.top(pod);
  return leaf(
    'B06',
    node,
    'reconcile',
    `the vault behind ${nodeText(node)} is sealed${pod === undefined ? '' : `: ${nodeText(pod)}`}`,
    {
      ...told,
      ...(blamed?.object === undefined ? { suspect: true } : { blamed }),
      field: 'status',
      signature: `sealed ${blamed?.id ?? node.id}`,
      fix: act(
        'unseal the vault, then let the store and its ExternalSecrets look again; configure auto-unseal so ' +
          'that a restart does not seal it',
        [
          ...(pod === undefined
            ? []
            : [
                `kubectl exec -i ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} -- vault operator ` +
                  'unseal -   # the key by standard input',
              ]),
          `kubectl annotate ${kubectlName(node)} force-refresh="$(date +%s)" --overwrite`,
          ...(node.key.namespace === ''
            ? []
            : [
                `kubectl annotate externalsecrets --all -n ${shellWord(node.key.namespace)} ` +
                  'force-refresh="$(date +%s)" --overwrite',
              ]),
        ],
        {
          verify: `kubectl get ${kubectlName(node)}`,
          steps: [
            ...(pod === undefined
              ? []
              : [
                  {
                    say: 'unseal the vault; the key comes by standard input',
                    command:
                      `kubectl exec -i ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} -- vault operator ` +
                      'unseal -',
                    check:
                      `kubectl exec ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} -- vault status   # ` +
                      'Sealed false',
                  },
                ]),
            ...refreshSteps(node),
          ],
        },
      ),
    },
  );
}

/** A store looks again, then what reads from it. */
function refreshSteps(node: Node): FixStep[] {
  const refresh = 'force-refresh="$(date +%s)" --overwrite';
  const secrets = node.key.namespace === '' ? '-A' : `-n ${shellWord(node.key.namespace)}`;
  return [
    {
      say: 'let the store look again',
      command: `kubectl annotate ${kubectlName(node)} ${refresh}`,
      check: `kubectl get ${kubectlName(node)}   # Ready True`,
    },
    {
      say: 'let its ExternalSecrets look again',
      command: `kubectl annotate externalsecrets --all ${secrets} ${refresh}`,
      check: `kubectl get externalsecrets ${secrets}   # SecretSynced`,
    },
  ];
}

function denied(node: Node, told: { evidence: Finding['evidence']; impact: 'infrastructure' }): Finding {
  const role = textAt(node.object, 'spec', 'provider', 'vault', 'auth', 'kubernetes', 'role');
  const steps = [...bindRole(node, role), ...refreshSteps(node)];
  return leaf(
    'B07',
    node,
    'reconcile',
    `the provider denies ${nodeText(node)}${role === '' ? '' : ` with the role ${role}`}`,
    {
      ...told,
      evidence: [...told.evidence, fact(node, 'spec.provider.vault.auth.kubernetes.role', role)],
      field: role === '' ? 'spec.provider' : 'spec.provider.vault.auth.kubernetes.role',
      signature: `denied ${node.id}`,
      fix: act(
        'bind the role to the service account and namespace of the store, and check the issuer setting of ' +
          'the auth method',
        steps.map(({ command }) => command),
        { where: 'outside', verify: `kubectl get ${kubectlName(node)}`, steps },
      ),
    },
  );
}

/** Who may come as what, as the provider has to know it. The token comes from the shell, never from a command. */
function bindRole(node: Node, role: string): FixStep[] {
  const auth = ['spec', 'provider', 'vault', 'auth', 'kubernetes'];
  const path = `auth/${shellWord(textAt(node.object, ...auth, 'mountPath') || 'kubernetes')}`;
  const account = textAt(node.object, ...auth, 'serviceAccountRef', 'name') || 'default';
  const namespace = textAt(node.object, ...auth, 'serviceAccountRef', 'namespace') || node.key.namespace;
  const name = `${path}/role/${shellWord(role === '' ? 'ROLE' : role)}`;
  return [
    {
      say:
        'let the auth method trust the cluster; from Vault 1.9 on disable_iss_validation is the default; the ' +
        'token comes from VAULT_TOKEN of your shell',
      command: `vault write ${path}/config kubernetes_host=https://kubernetes.default.svc disable_iss_validation=true`,
      check: `vault read ${path}/config`,
    },
    {
      say: 'bind the role to the service account and namespace of the store; its policies stay',
      command:
        `vault write ${name} bound_service_account_names=${shellWord(account)} ` +
        `bound_service_account_namespaces=${shellWord(namespace === '' ? 'NAMESPACE' : namespace)}`,
      check: `vault read ${name}`,
    },
  ];
}

export function sealedSecretRules(node: Node, graph: Graph): readonly Finding[] {
  const synced = conditionOf(node.object, 'Synced');
  const hasSecret =
    graph.store.get({ group: '', kind: 'Secret', namespace: node.key.namespace, name: node.key.name })?.object !==
    undefined;
  // The condition stays after the Secret was made well.
  if (textAt(synced, 'status') !== 'False' || hasSecret)
    return synced === undefined && !hasSecret
      ? [
          delegate('B17', node, 'reconcile', `nothing looks after ${nodeText(node)}`, {
            evidence: [fact(node, 'status', null)],
          }),
        ]
      : [];
  return [
    leaf('B18', node, 'reconcile', `${nodeText(node)} cannot be opened: ${textAt(synced, 'message')}`, {
      field: 'spec.encryptedData',
      evidence: [fact(node, 'status.conditions[Synced]', textAt(synced, 'message'))],
      fix: change(node, graph, 'seal it again with the key of this cluster', { risk: 'none' }),
    }),
  ];
}

export function certificateRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  const end = Date.parse(textAt(node.object, 'status', 'notAfter'));
  if (textAt(ready, 'status') === 'True')
    return Number.isNaN(end) || end > graph.time
      ? []
      : [
          delegate('G11', node, 'reconcile', `${nodeText(node)} ended ${textAt(node.object, 'status', 'notAfter')}`, {
            evidence: [fact(node, 'status.notAfter', textAt(node.object, 'status', 'notAfter'))],
          }),
        ];
  const evidence = [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${textAt(ready, 'message')}`)];
  if (/Denied|Failed|InvalidRequest/.test(textAt(ready, 'reason')) && node.key.kind === 'CertificateRequest')
    return [
      leaf('G10', node, 'reconcile', `${nodeText(node)} was refused: ${textAt(ready, 'message')}`, {
        evidence,
        blamed: graph.top(node),
        field: 'spec',
        fix: change(graph.top(node), graph, 'correct what the issuer refuses', { risk: 'none' }),
      }),
    ];
  const issuer = graph.edges(node).find(({ field }) => field === 'spec.issuerRef')?.to;
  return [
    delegate('G10', node, 'reconcile', `${nodeText(node)} is not issued: ${textAt(ready, 'message')}`, {
      evidence,
      ...(issuer?.state === 'ghost' || (issuer?.object !== undefined && conditionIs(issuer.object, 'Ready', 'False'))
        ? { target: issuer }
        : {}),
    }),
  ];
}

export function issuerRules(node: Node, graph: Graph): readonly Finding[] {
  const ready = conditionOf(node.object, 'Ready');
  if (textAt(ready, 'status') !== 'False') return [];
  const evidence = [fact(node, 'status.conditions[Ready]', `${textAt(ready, 'reason')}: ${textAt(ready, 'message')}`)];
  const isGhost = graph.edges(node).some(({ to }) => to.state === 'ghost');
  if (isGhost)
    return [
      delegate('G10', node, 'reconcile', `${nodeText(node)} cannot issue: ${textAt(ready, 'message')}`, {
        evidence,
        impact: 'infrastructure',
      }),
    ];
  return [
    leaf('G10', node, 'reconcile', `${nodeText(node)} cannot issue: ${textAt(ready, 'message')}`, {
      evidence,
      impact: 'infrastructure',
      field: 'spec',
      fix: change(node, graph, 'correct the issuer', { risk: 'none' }),
    }),
  ];
}

/** Orders and challenges of ACME. */
export function acmeRules(node: Node, graph: Graph): readonly Finding[] {
  const state = textAt(node.object, 'status', 'state');
  if (state === 'valid' || state === 'ready' || state === '') return [];
  const reason = textAt(node.object, 'status', 'reason');
  const evidence = [fact(node, 'status.state', `${state} ${reason}`)];
  if (node.key.kind === 'Order' && graph.store.children(node).length > 0)
    return [delegate('G10', node, 'reconcile', `${nodeText(node)} is ${state}`, { evidence })];
  return [
    leaf('G10', node, 'reconcile', `${nodeText(node)} is ${state}: ${reason}`, {
      evidence,
      blamed: graph.top(node),
      field: 'spec.dnsNames',
      fix: act('make the name reachable for the challenge', [], {
        where: 'outside',
        verify: `kubectl get ${kubectlName(node)}`,
      }),
    }),
  ];
}
