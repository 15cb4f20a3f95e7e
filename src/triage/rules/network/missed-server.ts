import type { Finding } from '../../findings/index.js';
import { conditionIs, type Graph, type Node, nodeText } from '../../graph/index.js';
import { type Complaint, complaintsAbout, hasComplaints } from '../complaints.js';
import { delegate, fact } from '../make-finding.js';
import { serviceRules } from './services.js';
import { servicesFor } from '../service-users.js';
import { containerFacts } from '../pods/pod-facts.js';

/** So many lines are no hiccup, and so old ones may be over. */
const MANY_LINES = 5;
const LATELY = 600_000;
/** A server that began lately was missed while it began. */
const SETTLED = 900_000;
const TOO_LATE = /timed? ?out|timeout|deadline ?exceeded|\b504\b/i;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)/;

/**
 * A pod in which nothing seems wrong, while others say until now that they do not get through to it: it hangs, is slow
 * or overloaded, or the network to it is. That is where to look.
 */
export function missedServer(pod: Node, graph: Graph): readonly Finding[] {
  if (pod.key.kind !== 'Pod' || !hasComplaints(pod.key.namespace, graph)) return [];
  if (!conditionIs(pod.object, 'Ready', 'True') || !isSettled(pod, graph)) return [];
  const top = graph.top(pod);
  const services = servicesFor(top, graph);
  const complaint = [top, ...services]
    .flatMap(({ key }) => complaintsAbout(key.name, key.namespace, graph))
    .filter((each) => graph.top(each.pod) !== top && each.count >= MANY_LINES && isLate(each, graph.time))
    .sort((a, b) => b.count - a.count || (a.pod.id < b.pod.id ? -1 : 1))[0];
  if (complaint === undefined || services.some((service) => serviceRules(service, graph).length > 0)) return [];
  const isSlow = TOO_LATE.test(complaint.line);
  const client = nodeText(graph.top(complaint.pod));
  return [
    delegate(
      isSlow ? 'F23' : 'F24',
      pod,
      'run',
      `${client} ${isSlow ? 'gets no answer in time' : 'does not get through'} to ${nodeText(top)}, which seems well`,
      {
        field: 'spec.template.spec.containers[]',
        evidence: [fact(complaint.pod, `log, ${complaint.count} lines`, complaint.line)],
      },
    ),
  ];
}

function isLate({ line, raw }: Complaint, now: number): boolean {
  const time = Date.parse(TIME.exec(raw)?.[0] ?? TIME.exec(line)?.[0] ?? '');
  return now - time <= LATELY;
}

function isSettled(pod: Node, graph: Graph): boolean {
  return containerFacts(pod).every(
    ({ startedAt, isInit }) => isInit || (startedAt !== undefined && graph.time - startedAt > SETTLED),
  );
}
