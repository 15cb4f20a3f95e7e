import { isConditionOutdated, keyText, type KubeObject } from '../../../model/kubernetes/index.js';
import { type JsonObject, objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import { type Graph, nodeText, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { Finding, Lint, LintFact, Rule, TriageCode } from '../../findings/index.js';
import { act, change, delegate, fact, kubectlName, leaf, removing } from '../make-finding.js';

/**
 * Triage codes of the rules of the health check linter. Rules that only matter to the author of a script are left out.
 */
const LINTED: Readonly<Record<string, TriageCode>> = {
  'masks-failure': 'A34',
  'malformed-key': 'A35',
  'dead-value': 'A37',
  'operator-reverts': 'A38',
  'syntax-error': 'A36',
  'missing-return': 'A36',
  'unknown-status': 'A36',
  'undefined-global': 'A36',
};

export function isSettings({ key }: Node): boolean {
  return (
    (key.kind === 'ConfigMap' && key.group === '' && key.name === 'argocd-cm') ||
    (key.group === 'argoproj.io' && key.kind === 'ArgoCD')
  );
}

/**
 * The settings of Argo CD: checks that mask failures, never run or are reverted, and missing single sign-on secrets.
 */
export function settingsRules(lint: Lint): Rule {
  return (node, graph) => {
    if (!isSettings(node)) return [];
    const own = node.key.kind === 'ArgoCD' ? notCopied(node, graph) : signOn(node, graph);
    return [...linted(node, graph, lint), ...own];
  };
}

function linted(node: Node, graph: Graph, lint: Lint): Finding[] {
  const facts = graph.once('lint of settings', () => {
    const objects = (group: string, kind: string): KubeObject[] =>
      graph.store.ofKind(group, kind).flatMap(({ object }) => object ?? []);
    return lint({
      configMaps: objects('', 'ConfigMap').filter(({ metadata }) => metadata.name === 'argocd-cm'),
      argocds: objects('argoproj.io', 'ArgoCD'),
      crds: objects('apiextensions.k8s.io', 'CustomResourceDefinition'),
    });
  });
  // Checks that the operator did not copy are reported with the operator.
  const mine = facts.filter(
    ({ of, rule }) =>
      of === nodeText(node) &&
      LINTED[rule] !== undefined &&
      !(rule === 'operator-reverts' && node.key.kind === 'ArgoCD'),
  );
  return [...new Map(mine.map((each) => [`${each.rule} ${each.key}`, each])).values()].map((each) =>
    lintFinding(node, graph, each),
  );
}

/** A script that cannot run has no effect: without it the built-in check applies again. */
const BROKEN = ['syntax-error', 'missing-return', 'undefined-global'];

function lintFinding(node: Node, graph: Graph, { rule, key, message, hint }: LintFact): Finding {
  const id = LINTED[rule] ?? 'A36';
  const field = node.key.kind === 'ConfigMap' ? `data['${key}']` : key;
  return leaf(id, node, 'reconcile', `${nodeText(node)} ${key}: ${message}`, {
    impact: 'drift',
    evidence: [fact(node, field, message)],
    field,
    ...(id === 'A36' ? { signature: 'health script', commonTitle: 'health check script fails' } : {}),
    fix: change(node, graph, `${hint}; argosy health lint shows it offline`, {
      risk: 'none',
      ...(BROKEN.includes(rule) && node.key.kind === 'ConfigMap' ? { edits: [removing(node, ['data', key])] } : {}),
    }),
  });
}

const HEALTH = 'resource.customizations.health.';

function checkName(check: JsonObject): string {
  const [group, kind] = [textAt(check, 'group'), textAt(check, 'kind')];
  return group === '' ? kind : `${group}_${kind}`;
}

/** The ArgoCD object has a check that its operator has not written into argocd-cm, or has there as it was before. */
function notCopied(node: Node, graph: Graph): Finding[] {
  const map = graph.store.get({ group: '', kind: 'ConfigMap', namespace: node.key.namespace, name: 'argocd-cm' });
  if (map?.object === undefined) return [];
  const [data, whole] = [objectAt(map.object, 'data') ?? {}, textAt(map.object, 'data', 'resource.customizations')];
  const isOld = node.object !== undefined && isConditionOutdated(node.object, 'Reconciled');
  const missing = objectsAt(node.object, 'spec', 'resourceHealthChecks')
    .filter((check) => {
      const name = checkName(check);
      if (isOld && textAt(data, HEALTH + name).trim() !== textAt(check, 'check').trim()) return true;
      return !Object.hasOwn(data, HEALTH + name) && !whole.includes(name.replace('_', '/'));
    })
    .map(checkName);
  const [first] = missing;
  if (first === undefined) return [];
  const rejected = objectsAt(node.object, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'ChecksValid' && textAt(condition, 'status') === 'False',
  );
  if (rejected !== undefined)
    return [
      leaf(
        'A36',
        node,
        'reconcile',
        `a health check of ${nodeText(node)} is rejected and missing from argocd-cm: ${textAt(rejected, 'message')}`,
        {
          impact: 'drift',
          field: 'spec.resourceHealthChecks',
          evidence: [
            fact(node, 'status.conditions[ChecksValid]', `${textAt(rejected, 'status')} ${textAt(rejected, 'reason')}`),
            fact(map, `data['${HEALTH}${first}']`, null),
          ],
          fix: change(node, graph, 'correct the script; argosy health lint shows the line', {
            risk: 'none',
          }),
        },
      ),
    ];
  const operator = graph.store
    .ofKind('apps', 'Deployment')
    .find(({ key }) => /^(argocd-operator|openshift-gitops-operator|gitops-operator).*/.test(key.name));
  const details = {
    evidence: [
      fact(node, 'spec.resourceHealthChecks', missing.join(', ')),
      fact(map, `data['${HEALTH}${first}']`, null),
    ],
    impact: 'drift' as const,
  };
  const say = `health checks of ${nodeText(node)} are missing from argocd-cm: ${missing.join(', ')}`;
  if (operator !== undefined && valueAt(operator.object, 'spec', 'replicas') === 0)
    return [
      leaf('A39', node, 'reconcile', `${say}; its operator is scaled to zero`, {
        ...details,
        blamed: operator,
        field: 'spec.replicas',
        fix: act('scale up the operator', [`kubectl scale ${kubectlName(operator)} --replicas=1`], {
          actions: [{ kind: 'merge', object: operator.key, patch: { spec: { replicas: 1 } } }],
          verify: `kubectl get ${kubectlName(map)}`,
        }),
      }),
    ];
  return [
    delegate('A39', node, 'reconcile', say, {
      ...details,
      target: operator ?? graph.store.virtual('Operator', 'argoproj.io'),
    }),
  ];
}

const REFERENCE = /\$([a-z0-9][a-z0-9.-]*):([\w.-]+)|\$([A-Za-z][\w.-]*)/g;

/** `$name:key` and `$key` in the settings of single sign-on have to lead to something. */
function signOn(node: Node, graph: Graph): Finding[] {
  const found: Finding[] = [];
  for (const field of ['oidc.config', 'dex.config']) {
    const text = textAt(node.object, 'data', field);
    for (const [whole, name, key, plain] of text.matchAll(REFERENCE)) {
      const secret = graph.store.refer({
        group: '',
        kind: 'Secret',
        namespace: node.key.namespace,
        name: name ?? 'argocd-secret',
      });
      const wanted = key ?? plain ?? '';
      const evidence = [fact(node, `data['${field}']`, whole)];
      if (secret.state === 'ghost')
        found.push(
          delegate('A48', node, 'reconcile', `single sign-on needs ${nodeText(secret)}, which does not exist`, {
            evidence,
            target: secret,
          }),
        );
      else if (secret.object !== undefined && valueAt(secret.object, 'data', wanted) === undefined)
        found.push(keyLess(node, graph, secret, wanted, evidence));
    }
  }
  return found;
}

/** Blames the object that writes the Secret, otherwise the missing key. */
function keyLess(node: Node, graph: Graph, secret: Node, key: string, evidence: Finding['evidence']): Finding {
  const maker = graph.edges(secret).find(
    ({ to }) =>
      to.object !== undefined &&
      textAt(
        objectsAt(to.object, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
        'status',
      ) === 'False',
  );
  const say = `single sign-on needs the key ${key}, which ${nodeText(secret)} lacks`;
  if (maker !== undefined) return delegate('A48', node, 'reconcile', say, { evidence, target: maker.to });
  return leaf('A48', node, 'reconcile', say, {
    evidence,
    blamed: secret,
    field: `data['${key}']`,
    fix: act(
      'have the client secret written there (by the realm patcher, then the ExternalSecret)',
      [`kubectl annotate externalsecrets --all -n ${node.key.namespace} force-refresh="$(date +%s)" --overwrite`],
      { verify: `kubectl get ${kubectlName(secret)}` },
    ),
  });
}

/** When an object was last written, by its managedFields. */
export function lastWrite(object: JsonObject | undefined): number {
  return Math.max(
    0,
    ...objectsAt(object, 'metadata', 'managedFields')
      .filter((entry) => textAt(entry, 'subresource') === '')
      .map((entry) => Date.parse(textAt(entry, 'time')) || 0),
  );
}

/** Keys of health checks that the settings of a namespace have. */
export function checkedKinds(graph: Graph, namespace: string): ReadonlySet<string> {
  return graph.once(`health checks of ${namespace}`, () => {
    const map = graph.store.get({ group: '', kind: 'ConfigMap', namespace, name: 'argocd-cm' });
    const data = objectAt(map?.object, 'data') ?? {};
    const whole = [...textAt(data, 'resource.customizations').matchAll(/^([\w.-]+)\/(\w+):/gm)].map(
      ([, group, kind]) => `${group ?? ''}_${kind ?? ''}`,
    );
    return new Set([
      ...Object.keys(data)
        .filter((key) => key.startsWith(HEALTH))
        .map((key) => key.slice(HEALTH.length)),
      ...whole,
    ]);
  });
}

export function settingsOf(graph: Graph, namespace: string): Node {
  const key = { group: '', kind: 'ConfigMap', namespace, name: 'argocd-cm' };
  return graph.store.byId(keyText(key)) ?? graph.store.refer(key);
}
