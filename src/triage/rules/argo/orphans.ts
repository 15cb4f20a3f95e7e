import { type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import { keyText } from '../../../model/kubernetes/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, listedKey, type Node, nodeText } from '../../graph/index.js';
import { act, delegate, fact, kubectlName, leaf, shellWord } from '../make-finding.js';

/** An Application that its parent delivered and has no more in git: whatever else is wrong, git is done with it. */
export function orphanedApplication(app: Node, graph: Graph): Finding | undefined {
  const parent = graph
    .once('applications that git has no more', () => new Map(graph.applications.flatMap(prunableApplications)))
    .get(app.id);
  if (parent === undefined) return undefined;
  return orphan(app, `${nodeText(app)} is no longer in git: ${nodeText(parent)} delivered it and has it no more`, [
    fact(parent, `status.resources[Application/${app.key.name}].requiresPruning`, true),
  ]);
}

function prunableApplications(parent: Node): (readonly [string, Node])[] {
  return objectsAt(parent.object, 'status', 'resources')
    .filter((row) => valueAt(row, 'requiresPruning') === true)
    .map(listedKey)
    .filter(({ group, kind }) => group === parent.key.group && kind === parent.key.kind)
    .map((key) => [keyText({ ...key, namespace: key.namespace || parent.key.namespace }), parent] as const);
}

/** What a commit removed is deleted, and never written again. */
export function orphan(app: Node, title: string, evidence: Finding['evidence']): Finding {
  const command = `argosy app delete ${shellWord(app.key.name)} --yes`;
  return leaf('A22', app, 'reconcile', title, {
    evidence,
    field: 'spec.source.path',
    signature: 'orphan applications',
    commonTitle: 'applications whose resources are no longer in git',
    fix: act('delete the application and its resources (--cascade=false keeps the resources)', [command], {
      risk: 'delete-recreate',
      reversible: false,
      actions: [{ kind: 'delete', object: app.key }],
      verify: `kubectl get ${kubectlName(app)}`,
    }),
  });
}

/** Git has some of its objects no more, and the application was not told to delete them. */
export function unpruned(app: Node, graph: Graph, rows: readonly JsonObject[], evidence: Finding['evidence']): Finding {
  const objects = rows.map((row) => graph.store.refer(listedKey(row)));
  const title = `${nodeText(app)} is OutOfSync: git has ${objects.map(nodeText).join(', ')} no more`;
  const application = objects.find(
    ({ key, object }) => key.kind === app.key.kind && key.group === app.key.group && object !== undefined,
  );
  if (application !== undefined)
    return delegate('A22', app, 'reconcile', title, { evidence, impact: 'drift', target: application });
  return leaf('A22', app, 'reconcile', title, {
    evidence,
    impact: 'drift',
    field: 'spec.syncPolicy.automated.prune',
    fix: act('delete what git has no more', [`argosy app sync ${shellWord(app.key.name)} --prune`], {
      risk: 'data',
      reversible: false,
      actions: [{ kind: 'merge', object: app.key, patch: { operation: { sync: { prune: true } } } }],
      verify: `kubectl get ${kubectlName(app)}`,
    }),
  });
}
