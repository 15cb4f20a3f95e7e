import { type Graph, nodeText, type Node, conditionIs, listedKey } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { act, change, fact, kubectlName, leaf, shellWord as nameWord } from '../make-finding.js';

const hookOf = (job: Node): string =>
  textAt(job.object, 'metadata', 'annotations', 'argocd.argoproj.io/hook') ||
  textAt(job.object, 'metadata', 'annotations', 'helm.sh/hook');

/** A hook that runs before the sync and waits for what the sync would make: both wait for ever. */
export function waitsForLater(job: Node, graph: Graph): Finding | undefined {
  if (!/\bPreSync\b|pre-(install|upgrade)/.test(hookOf(job)) || conditionIs(job.object, 'Complete', 'True'))
    return undefined;
  const text = objectsAt(job.object, 'spec', 'template', 'spec', 'containers')
    .map((container) =>
      JSON.stringify([
        valueAt(container, 'command') ?? [],
        valueAt(container, 'args') ?? [],
        valueAt(container, 'env') ?? [],
      ]),
    )
    .join(' ')
    .slice(0, 20_000)
    .toLowerCase();
  for (const app of graph.appsOf(job)) {
    for (const resource of objectsAt(app.object, 'status', 'resources')) {
      const key = listedKey(resource);
      const isAbsent = graph.store.refer(key).state === 'ghost' || textAt(resource, 'health', 'status') === 'Missing';
      if (
        !isAbsent ||
        key.name.length < 3 ||
        key.kind === '' ||
        !text.includes(key.kind.toLowerCase()) ||
        !hasWord(text, key.name.toLowerCase())
      )
        continue;
      return leaf(
        'A26',
        job,
        'reconcile',
        `deadlock: hook ${nodeText(job)} waits for ${key.kind} ${key.namespace}/${key.name}, which only the ` +
          'sync after it creates',
        {
          blamed: job,
          field: "metadata.annotations['argocd.argoproj.io/hook']",
          evidence: [
            fact(job, "metadata.annotations['argocd.argoproj.io/hook']", hookOf(job)),
            fact(app, `status.resources[${key.kind}/${key.name}]`, 'Missing'),
          ],
          fix: change(
            job,
            graph,
            `remove the hook and add a health check for ${key.kind}, or make it a Sync hook between the two ` +
              'waves; then terminate the operation and delete the Job',
            {
              commands: [`argosy app terminate-op ${nameWord(app.key.name)}`, `kubectl delete ${kubectlName(job)}`],
              actions: [
                { kind: 'merge', object: app.key, patch: { status: { operationState: { phase: 'Terminating' } } } },
                { kind: 'delete', object: job.key },
              ],
              risk: 'none',
            },
          ),
        },
      );
    }
  }
  return undefined;
}

/** Whether a text contains a name as a whole word. */
function hasWord(text: string, word: string): boolean {
  for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + 1)) {
    if (!/[a-z0-9-]/.test(text.charAt(from - 1)) && !/[a-z0-9-]/.test(text.charAt(from + word.length))) return true;
  }
  return false;
}

/** A hook Job from before the deployed revision: it is immutable, and nothing recreates it. */
export function staleHook(pod: Node, graph: Graph): Finding | undefined {
  const job = graph.owner(pod);
  if (job?.key.kind !== 'Job' || job.key.group !== 'batch' || hookOf(job) === '') return undefined;
  const made = Date.parse(textAt(job.object, 'metadata', 'creationTimestamp'));
  const newer = graph
    .appsOf(job)
    .map((app) => ({ app, since: newest(app) }))
    .find(({ since }) => since > made);
  if (newer === undefined || !(graph.time - made > 600_000)) return undefined;
  return leaf(
    'A28',
    pod,
    'schedule',
    `${nodeText(job)} is from an older revision than ${nodeText(newer.app)} deploys, and its pod never ran: ` +
      'the template of a Job is immutable',
    {
      blamed: job,
      field: 'spec.template',
      signature: 'stale hooks',
      commonTitle: 'hook Jobs are from an older revision than the deployed one and never ran',
      evidence: [
        fact(job, 'metadata.creationTimestamp', textAt(job.object, 'metadata', 'creationTimestamp')),
        fact(newer.app, 'status.history', new Date(newer.since).toISOString()),
      ],
      fix: act(
        'delete the Job, then sync the application: the hook is recreated from git',
        [`kubectl delete ${kubectlName(job)}`, `argosy app sync ${nameWord(newer.app.key.name)}`],
        {
          actions: [
            { kind: 'delete', object: job.key },
            { kind: 'merge', object: newer.app.key, patch: { operation: { sync: {} } } },
          ],
          verify: `kubectl get ${kubectlName(job)}`,
          steps: [
            {
              say: 'delete the stale Job',
              command: `kubectl delete ${kubectlName(job)}`,
              check: `kubectl get ${kubectlName(job)}   # NotFound`,
            },
            {
              say: 'sync the application',
              command: `argosy app sync ${nameWord(newer.app.key.name)}`,
              check: `kubectl get ${kubectlName(job)}   # Complete`,
            },
          ],
        },
      ),
    },
  );
}

/** When git last moved on for an application. */
function newest(app: Node): number {
  return Math.max(
    0,
    ...objectsAt(app.object, 'status', 'history').map((entry) => Date.parse(textAt(entry, 'deployedAt')) || 0),
  );
}
