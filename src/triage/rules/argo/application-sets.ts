import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionOf, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const APPLICATION_SET_RULES: RuleTable = {
  'argoproj.io/ApplicationSet': [applicationSetRules],
};

/** An ApplicationSet that generates none or not all of its applications. */
function applicationSetRules(node: Node, graph: Graph): readonly Finding[] {
  const error = conditionOf(node.object, 'ErrorOccurred');
  const generated = conditionOf(node.object, 'ParametersGenerated');
  const notGenerated = textAt(generated, 'status') === 'False' ? generated : undefined;
  const bad = textAt(error, 'status') === 'True' ? error : notGenerated;
  if (bad === undefined) return [];
  const evidence = [
    fact(node, `status.conditions[${textAt(bad, 'type')}]`, `${textAt(bad, 'reason')}: ${textAt(bad, 'message')}`),
  ];
  const say = `${nodeText(node)} generates no applications: ${textAt(bad, 'reason')} ${textAt(bad, 'message')}`;
  const ghost = graph.edges(node).find(({ to }) => to.state === 'ghost')?.to;
  if (ghost !== undefined) return [delegate('A44', node, 'reconcile', say, { evidence, target: ghost })];
  return [
    leaf('A44', node, 'reconcile', say, {
      evidence,
      field: /Render|Template/i.test(textAt(bad, 'reason')) ? 'spec.template' : 'spec.generators',
      fix: change(node, graph, 'resolve the error in the message', { risk: 'none' }),
    }),
  ];
}
