import { conditionOf, type Graph, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { joinDistinct } from '../make-finding.js';

/** Conditions of external-secrets have few details; the provider's response is in the events, the latest first. */
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

export function joinAnswers(node: Node, graph: Graph): string {
  return joinDistinct(answers(node, graph));
}

const SEALED = /sealed|503/;

export const DENIED = /permission denied|403|[Ff]orbidden/;

/** A vault that was opened may deny what it did not answer before: only its latest answer holds. */
export function latestAnswer(node: Node, graph: Graph): 'sealed' | 'denied' | undefined {
  const latest = answers(node, graph).find((text) => SEALED.test(text) || DENIED.test(text));
  if (latest === undefined) return undefined;
  return SEALED.test(latest) ? 'sealed' : 'denied';
}
