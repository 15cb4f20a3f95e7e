import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const DATABASE_RULES: RuleTable = {
  'postgresql.cnpg.io/Cluster': [backupRules],
};

/** A database whose log is not kept elsewhere: nothing is down until its disk is full. */
function backupRules(node: Node, graph: Graph): readonly Finding[] {
  return (['ContinuousArchiving', 'LastBackupSucceeded'] as const).flatMap((type) => {
    const condition = conditionOf(node.object, type);
    if (textAt(condition, 'status') !== 'False') return [];
    const evidence = [
      fact(node, `status.conditions[${type}]`, `${textAt(condition, 'reason')}: ${textAt(condition, 'message')}`),
    ];
    const what =
      type === 'ContinuousArchiving' ? 'cannot archive its WAL, which fills the disk' : 'has no successful backup';
    const say = `${nodeText(node)} ${what}: ${textAt(condition, 'message')}`;
    const ghost = graph
      .edges(node)
      .find(({ to, field }) => to.state === 'ghost' && field.startsWith('spec.backup'))?.to;
    if (ghost !== undefined) return [delegate('H03', node, 'reconcile', say, { evidence, target: ghost })];
    return [
      leaf('H03', node, 'reconcile', say, {
        evidence,
        field: 'spec.backup.barmanObjectStore',
        signature: `backup ${node.id}`,
        fix: change(node, graph, 'correct the bucket, its URL or the credentials before the volume is full', {
          risk: 'none',
        }),
      }),
    ];
  });
}
