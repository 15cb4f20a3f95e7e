import { type JsonObject, objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { applicationSources, type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf, setting } from '../make-finding.js';

const MIN_APPLICATIONS = 4;

/** Nearly all applications of a repository follow one revision, and this one another. */
export function otherRevision(app: Node, graph: Graph): Finding[] {
  const revisions = graph.once('revisions by repository', () => {
    const map = new Map<string, Map<string, number>>();
    for (const each of graph.applications)
      for (const { source } of applicationSources(each.object)) {
        if (textAt(source, 'chart') !== '') continue;
        const counts = map.get(textAt(source, 'repoURL')) ?? new Map<string, number>();
        counts.set(revisionOf(source), (counts.get(revisionOf(source)) ?? 0) + 1);
        map.set(textAt(source, 'repoURL'), counts);
      }
    return map;
  });
  // A comparison error is reported instead, with the same advice.
  if (
    objectsAt(app.object, 'status', 'conditions').some((condition) =>
      /^(ComparisonError|InvalidSpecError)$/.test(textAt(condition, 'type')),
    )
  )
    return [];
  return applicationSources(app.object).flatMap(({ source, field }) => {
    const counts = revisions.get(textAt(source, 'repoURL')) ?? new Map<string, number>();
    const all = [...counts.values()].reduce((a, b) => a + b, 0);
    const [usual] = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    if (
      textAt(source, 'chart') !== '' ||
      usual === undefined ||
      usual[0] === revisionOf(source) ||
      usual[1] < MIN_APPLICATIONS ||
      usual[1] / all < 0.8
    )
      return [];
    return [
      leaf(
        'A03',
        app,
        'reconcile',
        `${nodeText(app)} tracks ${revisionOf(source)}, while ${usual[1]} of ${all} applications of its ` +
          `repository track ${usual[0]}`,
        {
          evidence: [fact(app, `${field}.targetRevision`, revisionOf(source))],
          field: `${field}.targetRevision`,
          fix: change(app, graph, `track ${usual[0]}, unless this is intended`, {
            risk: 'none',
            edits: [setting(app, `${field}.targetRevision`, usual[0])],
          }),
        },
      ),
    ];
  });
}

function revisionOf(source: JsonObject): string {
  return textAt(source, 'targetRevision') || 'HEAD';
}
