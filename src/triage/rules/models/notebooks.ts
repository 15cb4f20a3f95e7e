import { numberAt, objectAt, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, Fix, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, joinDistinct, kubectlName, leaf } from '../make-finding.js';
import { staleStatus, withoutStatus } from '../operators/any-kind.js';

/** Registered by kind. */
export const NOTEBOOK_RULES: RuleTable = {
  'mlops.mlops.dev/NotebookValidationJob': [notebookRules],
};

/** Notebook jobs. */
export function notebookRules(node: Node, graph: Graph): readonly Finding[] {
  const phase = textAt(node.object, 'status', 'phase');
  const notReconciled = withoutStatus(node, graph);
  if (notReconciled !== undefined) return [notReconciled];
  const stale = staleStatus(node, graph);
  if (stale !== undefined) return [stale];
  if (phase !== 'Failed') return [];
  const bad = objectsAt(node.object, 'status', 'conditions').filter(
    (condition) => textAt(condition, 'status') === 'False',
  );
  const reason = bad.map((condition) => textAt(condition, 'reason')).join(' ');
  const message = joinDistinct([
    textAt(node.object, 'status', 'message'),
    ...bad.map((condition) => textAt(condition, 'message')),
    ...objectsAt(node.object, 'status', 'results')
      .filter((cell) => textAt(cell, 'status') === 'Failure')
      .map((cell) => textAt(cell, 'errorMessage')),
  ]);
  const evidence = [fact(node, 'status', `${phase} ${reason} ${message}`)];
  const newer = graph.store
    .inNamespace(node.key.group, node.key.kind, node.key.namespace)
    .find(
      (other) =>
        other.id !== node.id &&
        textAt(other.object, 'status', 'phase') === 'Succeeded' &&
        textAt(other.object, 'spec', 'notebook', 'path') === textAt(node.object, 'spec', 'notebook', 'path') &&
        textAt(other.object, 'metadata', 'creationTimestamp') > textAt(node.object, 'metadata', 'creationTimestamp'),
    );
  if (newer !== undefined)
    return [
      leaf(
        'I13',
        node,
        'ready',
        `${nodeText(node)} failed; ${newer.key.name} ran the same notebook later and succeeded`,
        {
          evidence,
          field: 'metadata.name',
          fix: act('delete the failed job', [`kubectl delete ${kubectlName(node)}`]),
        },
      ),
    ];
  const module = /ModuleNotFoundError: No module named '?([\w.]+)'?|ImportError: .*?([\w.]+)/.exec(message);
  if (module !== null)
    return [
      leaf('I08', node, 'run', `the image of ${nodeText(node)} lacks the module ${module[1] ?? module[2] ?? ''}`, {
        evidence,
        field: 'spec.podConfig.containerImage',
        fix: change(node, graph, 'use an image with the module'),
      }),
    ];
  if (/Git(?:Clone|Authentication)|authentication|clone/i.test(reason))
    return [gitFault(node, graph, evidence, reason)];
  if (/Build|RBAC|Task|Parameter|Strategy/.test(reason))
    return [
      leaf('I10', node, 'run', `the image build of ${nodeText(node)} failed: ${message}`, {
        evidence,
        field: 'spec.podConfig.buildConfig',
        fix: change(node, graph, 'resolve the build error in the message'),
      }),
    ];
  if (
    textAt(node.object, 'status', 'comparisonResult', 'result') === 'failed' ||
    valueAt(node.object, 'status', 'modelValidationResult', 'success') === false
  )
    return [
      leaf('I12', node, 'run', `the results of ${nodeText(node)} differ from the expected ones`, {
        evidence,
        field: 'spec.goldenNotebook',
        fix: change(node, graph, 'check the data and the model; the platform is fine'),
      }),
    ];
  if (objectsAt(node.object, 'status', 'results').some((cell) => textAt(cell, 'status') === 'Failure'))
    return [
      leaf('I08', node, 'run', `a cell of ${nodeText(node)} fails: ${message}`, {
        evidence,
        field: 'spec.notebook',
        fix: correctNotebook(node),
      }),
    ];
  return [delegate('I11', node, 'ready', `${nodeText(node)} failed: ${message}`, { evidence })];
}

/** The notebook has a repository of its own, beside the one that delivers its job. */
function correctNotebook(node: Node): Fix {
  const at = (...path: string[]): string => textAt(node.object, 'spec', 'notebook', ...path);
  const failed = objectsAt(node.object, 'status', 'results').find((cell) => textAt(cell, 'status') === 'Failure');
  const cell = numberAt(failed, 'cellIndex');
  const place = [
    `${at('git', 'url')} ${at('path')}`.trim(),
    at('git', 'ref'),
    cell === undefined ? '' : `cell ${cell}`,
  ];
  return {
    where: 'git',
    say:
      `correct the notebook (${place.filter((each) => each !== '').join(', ')}), then run the job again with ` +
      'the annotation mlops.dev/rerun',
    commands: [],
    risk: 'none',
    reversible: true,
    verify: `kubectl get ${kubectlName(node)}`,
  };
}

function gitFault(node: Node, graph: Graph, evidence: Finding['evidence'], reason: string): Finding {
  const secret = graph.edges(node).find(({ field }) => field.endsWith('credentialsSecret'))?.to;
  if (secret?.state === 'ghost')
    return delegate(
      'I09',
      node,
      'init',
      `${nodeText(node)} cannot clone: its Secret ${secret.key.name} does not exist`,
      { evidence, target: secret },
    );
  const isLogin = /Authentication/i.test(reason);
  return leaf('I09', node, 'init', `${nodeText(node)} cannot clone its notebook`, {
    evidence,
    ...(isLogin && secret?.object !== undefined ? { blamed: secret, field: 'data' } : { field: 'spec.notebook.git' }),
    fix: change(node, graph, 'correct the URL, revision or credentials of the repository', { risk: 'none' }),
  });
}

/** A build has the source that its configuration had when it began. */
export function isOfOldSource({ object }: Node, config: Node): boolean {
  const source = (of: Node['object']): string =>
    JSON.stringify([
      textAt(of, 'spec', 'source', 'git', 'uri'),
      textAt(of, 'spec', 'source', 'git', 'ref'),
      textAt(of, 'spec', 'source', 'contextDir'),
    ]);
  return (
    config.object !== undefined &&
    objectAt(object, 'spec', 'source') !== undefined &&
    source(object) !== source(config.object)
  );
}
