import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, delegate, fact, leaf, shellWord } from '../make-finding.js';
import { buildNumber, isFailedBuild } from './builds.js';

/** Registered by kind. */
export const IMAGE_RULES: RuleTable = {
  'image.openshift.io/ImageStream': [imageStreamRules],
  'build.openshift.io/BuildConfig': [buildConfigRules],
};

function imageStreamRules(node: Node, graph: Graph): readonly Finding[] {
  const bad = objectsAt(node.object, 'status', 'tags')
    .flatMap((tag) => objectsAt(tag, 'conditions'))
    .find((condition) => textAt(condition, 'type') === 'ImportSuccess' && textAt(condition, 'status') === 'False');
  if (bad !== undefined)
    return [
      leaf('E09', node, 'pull', `${nodeText(node)} cannot import its image: ${textAt(bad, 'message')}`, {
        evidence: [fact(node, 'status.tags[].conditions[ImportSuccess]', textAt(bad, 'message'))],
        field: 'spec.tags[].from',
        fix: change(node, graph, 'correct the image reference in spec.tags'),
      }),
    ];
  const isEmpty = objectsAt(node.object, 'status', 'tags').length === 0;
  const builds = graph.edges(node).filter(({ to }) => to.key.kind === 'BuildConfig');
  return isEmpty && builds.length > 0
    ? [
        delegate('E06', node, 'pull', `${nodeText(node)} has no image yet`, {
          evidence: [fact(node, 'status.tags', [])],
        }),
      ]
    : [];
}

function buildConfigRules(node: Node, graph: Graph): readonly Finding[] {
  const builds = graph
    .edges(node)
    .flatMap(({ to }) => (to.key.kind === 'Build' && to.object !== undefined ? [to] : []));
  if (
    builds.length === 0 &&
    graph.store.listing(node.key.group, 'Build', node.key.namespace) !== 'complete' &&
    graph.store.gaps.says !== ''
  )
    return [];
  if (builds.length === 0)
    return [
      leaf('E09', node, 'run', `${nodeText(node)} has never run a build`, {
        evidence: [fact(node, 'spec.triggers', valueAt(node.object, 'spec', 'triggers') ?? null)],
        field: 'spec.triggers',
        impact: 'note',
        fix: act('start a build', [`oc start-build ${shellWord(node.key.name)} -n ${shellWord(node.key.namespace)}`]),
      }),
    ];
  const [newest] = [...builds].sort((a, b) => buildNumber(b) - buildNumber(a));
  if (newest !== undefined && isFailedBuild(newest))
    return [delegate('E06', node, 'ready', `latest build of ${nodeText(node)} failed`, { target: newest })];
  return builds.some(({ object }) => textAt(object, 'status', 'phase') === 'Complete')
    ? []
    : [delegate('E06', node, 'ready', `${nodeText(node)} has no completed build`, {})];
}
