import { numberAt, valueAt } from '../../../model/json/index.js';
import type { Finding, RuleTable } from '../../findings/index.js';
import { conditionIs, conditionOf, type Graph, type Node, nodeText, sinceOf } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { waitsForLater } from '../argo/hooks.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { admissionRejection } from './admission.js';

/** Registered by kind. */
export const JOB_RULES: RuleTable = {
  'batch/Job': [jobRules],
  'batch/CronJob': [cronJobRules],
};

function jobRules(node: Node, graph: Graph): readonly Finding[] {
  const { object } = node;
  if (valueAt(object, 'spec', 'suspend') === true)
    return [
      leaf('F09', node, 'ready', `${nodeText(node)} is suspended`, {
        impact: 'note',
        level: 'waiting',
        field: 'spec.suspend',
      }),
    ];
  if (conditionIs(object, 'Complete', 'True') || conditionIs(object, 'SuccessCriteriaMet', 'True')) return [];
  const deadlock = waitsForLater(node, graph);
  if (deadlock !== undefined) return [deadlock];
  const failed = conditionOf(object, 'Failed');
  if (textAt(failed, 'status') === 'True') {
    const onset = sinceOf(failed);
    return [
      delegate('A27', node, 'ready', `${nodeText(node)} failed: ${textAt(failed, 'reason')}`, {
        evidence: [fact(node, 'status.conditions[Failed]', `${textAt(failed, 'reason')} ${textAt(failed, 'message')}`)],
        ...(onset === undefined ? {} : { onset }),
        field: textAt(failed, 'reason') === 'DeadlineExceeded' ? 'spec.activeDeadlineSeconds' : 'spec.template',
        fix: change(node, graph, 'correct the Job, delete the failed one, then sync', { risk: 'delete-recreate' }),
      }),
    ];
  }
  const rejected = admissionRejection(node, graph);
  if (rejected !== undefined) return [rejected];
  const isBad = graph.store
    .children(node)
    .some(
      (pod) =>
        textAt(pod.object, 'status', 'phase') !== 'Running' && textAt(pod.object, 'status', 'phase') !== 'Succeeded',
    );
  return isBad
    ? [
        delegate('A27', node, 'ready', `${nodeText(node)} makes no progress`, {
          evidence: [fact(node, 'status.active', numberAt(object, 'status', 'active') ?? 0)],
        }),
      ]
    : [];
}

function cronJobRules(node: Node, graph: Graph): readonly Finding[] {
  if (valueAt(node.object, 'spec', 'suspend') === true)
    return [
      leaf('F09', node, 'ready', `${nodeText(node)} is suspended`, {
        impact: 'note',
        level: 'waiting',
        field: 'spec.suspend',
      }),
    ];
  const jobs = [...graph.store.children(node)].sort((a, b) =>
    textAt(b.object, 'metadata', 'creationTimestamp').localeCompare(textAt(a.object, 'metadata', 'creationTimestamp')),
  );
  const [latest] = jobs;
  const skipped = graph.events(node).find(({ reason }) => reason === 'JobAlreadyActive');
  const running =
    skipped === undefined ? undefined : jobs.find((job) => (numberAt(job.object, 'status', 'active') ?? 0) > 0);
  if (skipped !== undefined && running !== undefined)
    return [
      leaf('F08', running, 'run', `${nodeText(running)} does not complete, so ${nodeText(node)} skips new runs`, {
        blamed: node,
        field: 'spec.jobTemplate.spec.activeDeadlineSeconds',
        evidence: [
          fact(node, 'event JobAlreadyActive', skipped.message),
          fact(running, 'status.startTime', textAt(running.object, 'status', 'startTime')),
        ],
        fix: change(node, graph, 'find out why it hangs; set activeDeadlineSeconds to end such runs'),
      }),
    ];
  return latest !== undefined && conditionIs(latest.object, 'Failed', 'True')
    ? [
        delegate('A27', node, 'ready', `last run of ${nodeText(node)} failed`, {
          target: latest,
          evidence: [fact(latest, 'status.conditions[Failed]', 'True')],
        }),
      ]
    : [];
}
