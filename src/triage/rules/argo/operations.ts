import { type Json, type JsonObject, objectsAt, valueAt } from '../../../model/json/index.js';
import type { Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText, listedKey } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, delegate, fact, leaf } from '../make-finding.js';
import { webhookFault } from '../admission-webhooks.js';
import { matchRules } from './message-rules.js';
import { REJECTIONS } from './sync-rejections.js';
import { badResources } from './unhealthy-resources.js';

/** What the last operation of an application waits for, or why it failed. */
export function fromOperation(app: Node, graph: Graph): Finding[] {
  const state = valueAt(app.object, 'status', 'operationState');
  const phase = textAt(state, 'phase');
  if (isOver(app, state)) return [];
  const results = objectsAt(state, 'syncResult', 'resources').filter(
    (result) => textAt(result, 'status') === 'SyncFailed' || /^(Failed|Error)$/.test(textAt(result, 'hookPhase')),
  );
  const isRetried = phase === 'Running' && results.length > 0 && Number(valueAt(state, 'retryCount') ?? 0) > 0;
  if (phase === 'Running' && !isRetried) return waiting(app, graph, state);
  const failure = objectsAt(app.object, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'SyncError',
  );
  // A condition left after a successful operation is stale.
  if (phase === 'Succeeded' || (!isRetried && phase !== 'Failed' && phase !== 'Error' && failure === undefined))
    return [];
  return failed(app, graph, { state, results, failure });
}

interface FailedOperation {
  readonly state: Json | undefined;
  readonly results: readonly JsonObject[];
  /** The condition that auto-sync leaves. */
  readonly failure: JsonObject | undefined;
}

function failed(app: Node, graph: Graph, { state, results, failure }: FailedOperation): Finding[] {
  // A hook that the API server refused never ran: its refusal is read as that of any object.
  const hook = results.find((result) => textAt(result, 'hookType') !== '' && textAt(result, 'status') !== 'SyncFailed');
  if (hook !== undefined) return [failedHook(app, graph, hook)];
  const rejected = firstRejection(app, graph, [
    ...results.map((result) => ({ result, message: textAt(result, 'message') })),
    { message: textAt(state, 'message') },
    { message: textAt(failure, 'message') },
  ]);
  if (rejected !== undefined) return [rejected];
  // The object that the sync waited for is Degraded: it explains more than the sync.
  if (badResources(app).some((resource) => textAt(resource, 'health', 'status') === 'Degraded')) return [];
  const [first] = results;
  const why = textAt(first, 'message') || textAt(state, 'message') || textAt(failure, 'message');
  return [
    leaf('A29', app, 'admit', `last sync of ${nodeText(app)} failed: ${why}`, {
      evidence: [fact(app, 'status.operationState.message', textAt(state, 'message'))],
      field: 'spec',
      suspect: true,
      ...(first === undefined ? {} : { blamed: resourceOf(first, graph) }),
      fix: change(app, graph, 'resolve the error in the message, then sync', { risk: 'none' }),
    }),
  ];
}

/** The object of a row of results. */
function resourceOf(result: JsonObject, graph: Graph): Node {
  return graph.store.refer(listedKey(result));
}

function failedHook(app: Node, graph: Graph, hook: JsonObject): Finding {
  const target = resourceOf(hook, graph);
  const [message, phase] = [textAt(hook, 'message'), textAt(hook, 'hookPhase')];
  const evidence = [fact(app, 'status.operationState.syncResult.resources', `${phase} ${message}`)];
  const title = `hook ${nodeText(target)} of ${nodeText(app)} failed`;
  if (target.object !== undefined) return delegate('A27', app, 'reconcile', title, { target, evidence });
  // Its delete policy has removed it: that it is gone is no fault, and why it failed went with it.
  return leaf('A27', app, 'reconcile', `${title}${message === '' ? '' : `: ${message}`}`, {
    blamed: target,
    field: 'spec.template',
    suspect: true,
    evidence,
    fix: change(
      app,
      graph,
      'correct the hook and sync; with the delete policy BeforeHookCreation the failed object and its log remain',
      { risk: 'none' },
    ),
  });
}

/** The first message that a rule matches; a message about a resource blames that resource. */
function firstRejection(
  app: Node,
  graph: Graph,
  messages: readonly { readonly result?: JsonObject; readonly message: string }[],
): Finding | undefined {
  for (const { result, message } of messages) {
    const path =
      result === undefined
        ? 'status.operationState.message'
        : `status.operationState.syncResult.resources[${textAt(result, 'kind')}/${textAt(result, 'name')}]`;
    const evidence = [fact(app, path, message)];
    const finding =
      webhookFault(app, graph, message, evidence) ?? matchRules(REJECTIONS, { app, graph, message, evidence });
    if (finding === undefined) continue;
    const isAboutResource = finding.kind === 'leaf' && finding.blamed === undefined && result !== undefined;
    return isAboutResource ? onHolder(finding, resourceOf(result, graph)) : finding;
  }
  return undefined;
}

/** A failed operation is history if git has changed since and the cluster is in sync with it. */
function isOver(app: Node, state: Json | undefined): boolean {
  const revisions = (of: Json | undefined): string =>
    JSON.stringify([valueAt(of, 'revision') ?? null, valueAt(of, 'revisions') ?? null]);
  const [now, then] = [revisions(valueAt(app.object, 'status', 'sync')), revisions(valueAt(state, 'syncResult'))];
  return (
    textAt(app.object, 'status', 'sync', 'status') === 'Synced' &&
    valueAt(state, 'syncResult') !== undefined &&
    /^(Failed|Error)$/.test(textAt(state, 'phase')) &&
    now !== then
  );
}

/** The finding, with the resource as the object to change. */
function onHolder(finding: Finding, holder: Node): Finding {
  const { fix } = finding;
  return {
    ...finding,
    blamed: holder,
    ...(fix?.edits === undefined
      ? {}
      : {
          fix: {
            ...fix,
            edits: fix.edits.map((edit) => (edit.path[0] === '**' ? { ...edit, object: holder.key } : edit)),
          },
        }),
  };
}

/** An operation that waits for one object: it is named. */
function waiting(app: Node, graph: Graph, state: Json | undefined): Finding[] {
  const message = textAt(state, 'message');
  const started = Date.parse(textAt(state, 'startedAt'));
  const named = /waiting for (?:healthy state of|completion of hook|deletion of) (?:([\w.-]*)\/)?(\w+)\/([\w.-]+)/.exec(
    message,
  );
  const isLong = graph.time - started > 600_000;
  const details = {
    evidence: [fact(app, 'status.operationState.message', message)],
    ...(Number.isNaN(started) ? {} : { onset: started }),
    ...(isLong ? {} : { level: 'waiting' as const, impact: 'note' as const }),
  };
  const target =
    named === null
      ? undefined
      : graph.edges(app).find(({ to }) => to.key.kind === named[2] && to.key.name === named[3])?.to;
  return [
    delegate('A23', app, 'reconcile', `sync of ${nodeText(app)} is waiting: ${message}`, {
      ...details,
      ...(target === undefined ? {} : { target }),
    }),
  ];
}
