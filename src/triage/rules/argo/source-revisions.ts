import type { Fix } from '../../findings/index.js';
import { applicationSources, type Graph, type Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, setting } from '../make-finding.js';
import type { RuleInput } from './message-rules.js';

export const sourceField = ({ app }: RuleInput, name: string): string =>
  `${applicationSources(app.object)[0]?.field ?? 'spec.source'}.${name}`;

export const revisionOf = ({ app }: RuleInput): string =>
  textAt(applicationSources(app.object)[0]?.source, 'targetRevision') || 'HEAD';

/** The revision that most other applications of the repository track: probably the intended one. */
export function usualRevision(app: Node, graph: Graph, repoURL: string): string | undefined {
  const counts = new Map<string, number>();
  for (const other of graph.applications) {
    if (other.id === app.id) continue;
    for (const { source } of applicationSources(other.object))
      if (textAt(source, 'repoURL') === repoURL && textAt(source, 'chart') === '')
        counts.set(
          textAt(source, 'targetRevision') || 'HEAD',
          (counts.get(textAt(source, 'targetRevision') || 'HEAD') ?? 0) + 1,
        );
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0];
}

export function retarget(input: RuleInput, say: string): Fix {
  const [first] = applicationSources(input.app.object);
  const usual = usualRevision(input.app, input.graph, textAt(first?.source, 'repoURL'));
  const isOther = usual !== undefined && first !== undefined && usual !== revisionOf(input);
  return change(
    input.app,
    input.graph,
    isOther ? `${say}, such as ${usual}, which most applications of this repository track` : say,
    { risk: 'none', edits: isOther ? [setting(input.app, `${first.field}.targetRevision`, usual)] : [] },
  );
}
