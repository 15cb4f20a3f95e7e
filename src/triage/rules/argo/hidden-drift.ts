import { objectsAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt, textsAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

const WHOLE = /^\/?(spec)?\/?$/;

/** A rule that ignores a whole spec hides every change of it. */
export function hidesDrift(app: Node, graph: Graph): Finding[] {
  return objectsAt(app.object, 'spec', 'ignoreDifferences').flatMap((rule, index) => {
    const pointers = textsAt(rule, 'jsonPointers').filter((pointer) => WHOLE.test(pointer));
    const paths = textsAt(rule, 'jqPathExpressions').filter((path) => /^\.(spec)?$/.test(path.trim()));
    const [hiding] = [...pointers, ...paths];
    if (hiding === undefined) return [];
    const field = `spec.ignoreDifferences[${index}].${pointers.length > 0 ? 'jsonPointers' : 'jqPathExpressions'}`;
    return [
      leaf(
        'A33',
        app,
        'reconcile',
        `${nodeText(app)} ignores the entire ` +
          `${hiding === '' || hiding === '/' || hiding === '.' ? 'object' : 'spec'} of every ` +
          `${textAt(rule, 'kind') || 'kind'}: drift is hidden`,
        {
          evidence: [fact(app, field, hiding)],
          field,
          fix: change(app, graph, 'ignore only the fields that a controller owns; argosy drift lists them', {
            risk: 'none',
          }),
        },
      ),
    ];
  });
}
