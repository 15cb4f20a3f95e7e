import { isArray, isObject, numberAt, objectAt, textAt } from '../../model/json/index.js';
import { gvkOf, keyOf, keyText, type KubeObject } from '../../model/kubernetes/index.js';
import { idOf, qualifiedName } from '../../model/argo/index.js';
import { awaitedHooks, type HookReason, type SyncInput } from '../../plan/index.js';
import { causesBehind, type ReportedCause } from '../../triage/index.js';
import type { HookLook, RunningOperation } from '../operation/index.js';
import { collectHook, descendantsOf } from '../triage/index.js';
import type { Reconciliation } from './reconciliation.js';

const MAX_HOOKS = 5;
/** Milliseconds that a hook is given before anybody asks what keeps it: most end in that time. */
const GRACE = 1500;
const MIN_INTERVAL = 1000;
const MAX_INTERVAL = 30_000;

/**
 * Adds why the hooks wait that hold the sync, as triage finds it. A change of what they started enqueues the
 * application; what only events tell is looked for again after a while, longer each time.
 */
export async function withHookReasons(
  reconciliation: Reconciliation,
  input: SyncInput,
  running: RunningOperation,
): Promise<SyncInput> {
  const hooks = input.improvements.sayWhy ? awaitedHooks(input).slice(0, MAX_HOOKS) : [];
  const { hookLooks } = running;
  const uids = new Set(hooks.map(({ metadata }) => metadata.uid));
  for (const uid of hookLooks.keys()) if (!uids.has(uid)) hookLooks.delete(uid);
  if (hooks.length === 0) return input;
  const reasons = new Map<string, HookReason>();
  let next = Infinity;
  for (const hook of hooks) {
    const look = await lookAt(reconciliation, hook, running);
    if (look.reason !== undefined) reasons.set(keyText(keyOf(hook)), look.reason);
    next = Math.min(next, look.due);
  }
  const started = hooks.flatMap((hook) => descendantsOf(reconciliation.clusterCache, hook));
  running.awaitedTopics = new Set([...running.awaitedTopics, ...started.map((each) => keyText(keyOf(each)))]);
  return { ...input, hookReason: (hook) => reasons.get(keyText(hook)), hookLookAt: new Date(next) };
}

/** What is known of the hook, or what is found out now. */
async function lookAt(
  reconciliation: Reconciliation,
  hook: KubeObject,
  { hookLooks }: RunningOperation,
): Promise<HookLook> {
  const { clusterCache, context } = reconciliation;
  const uid = hook.metadata.uid ?? '';
  const known = hookLooks.get(uid);
  const now = context.clock.now().getTime();
  const keep = (look: HookLook): HookLook => {
    hookLooks.set(uid, look);
    return look;
  };
  if (known === undefined) return keep({ seen: '', reason: undefined, at: now, due: now + GRACE });
  const seen = [hook, ...descendantsOf(clusterCache, hook)]
    .map(({ metadata }) => `${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''}`)
    .join();
  if (now < known.due && (known.seen === seen || known.seen === '')) return known;
  if (now < known.at + MIN_INTERVAL) return keep({ ...known, due: known.at + MIN_INTERVAL });
  const reason = await explain(reconciliation, hook);
  const waited = known.seen === seen ? Math.min(2 * (now - known.at), MAX_INTERVAL) : MIN_INTERVAL;
  return keep({ seen, reason, at: now, due: now + Math.max(waited, MIN_INTERVAL) });
}

async function explain(reconciliation: Reconciliation, hook: KubeObject): Promise<HookReason | undefined> {
  const { application, clusterCache, context } = reconciliation;
  const snapshot = await collectHook(hook, {
    application: application.object,
    clusterCache,
    now: context.clock.now().getTime(),
  });
  const pods = snapshot.objects.filter(({ kind }) => kind === 'Pod');
  const causes = causesBehind(context.triage(snapshot), [hook, ...pods].map(keyOf));
  const cause = causes.find(({ kind }) => kind !== 'unexplained') ?? causes[0];
  const message = cause === undefined ? runningSince(pods) : sentenceOf(cause);
  if (message === undefined) return undefined;
  return { message, remedy: remedyOf(reconciliation), isIdle: startsPods(hook) && !pods.some(hasRun) };
}

/** A cause that nothing explains further is what the pod itself says, and no guess. */
function sentenceOf({ title, kind, confidence }: ReportedCause): string {
  return `${title.replace(/\.$/, '')}${confidence !== 'sure' && kind !== 'unexplained' ? ' (unconfirmed)' : ''}`;
}

/** Nothing is wrong with a pod that works; since when it does tells whether that is too long. */
function runningSince(pods: readonly KubeObject[]): string | undefined {
  const [pod] = pods.filter(({ status }) => isObject(status) && status.phase === 'Running');
  if (pod === undefined) return undefined;
  const { namespace = '', name = '' } = pod.metadata;
  return `Pod ${namespace}/${name} has been running since ${textAt(pod, 'status', 'startTime')}`;
}

/** What ends the sync beside the repair, as a command that can be pasted. */
function remedyOf({ application, context }: Reconciliation): string {
  const command = `argosy app terminate-op ${qualifiedName(idOf(application.object))}`;
  const isFollowed =
    context.controlPlane.settings.improvements.supersede && application.syncPolicy.automated !== undefined;
  return isFollowed
    ? `A commit that changes or removes the hook ends this sync, and so does ${command}`
    : `${command} ends this sync`;
}

function startsPods(hook: KubeObject): boolean {
  const { group, kind } = gvkOf(hook);
  return (group === 'batch' && kind === 'Job') || (group === '' && kind === 'Pod');
}

/** Whether a container of the pod runs or ran. */
function hasRun({ status }: KubeObject): boolean {
  const of = isObject(status) ? status : {};
  const lists = [of.initContainerStatuses, of.containerStatuses].flatMap((list) => (isArray(list) ? list : []));
  return lists
    .filter(isObject)
    .some(
      (container) =>
        (numberAt(container, 'restartCount') ?? 0) > 0 ||
        objectAt(container, 'state', 'running') !== undefined ||
        objectAt(container, 'state', 'terminated') !== undefined,
    );
}
