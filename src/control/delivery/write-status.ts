import { wantedFinalizers } from '../../plan/index.js';
import type { OperatedApplication, SubResult } from './sub-reconciler.js';
import { revisionsOf } from './render-targets.js';
import { syncStatusOf } from './sync-status.js';
import { recordUnchanged } from './unchanged.js';
import { writeOutcome } from './write-outcome.js';

/** Writes the status, and remembers the application if there is nothing left to do for it. */
export async function writeStatus(operated: OperatedApplication): Promise<SubResult<never>> {
  const { application, context, cache, head, headState, requeueAt } = operated;
  const current = application.object.metadata.finalizers ?? [];
  const wanted = wantedFinalizers(
    current,
    headState.resources.flatMap(({ target }) => (target === undefined ? [] : [target])),
  );
  const update = await writeOutcome(
    application,
    {
      sync: syncStatusOf(headState, application),
      health: headState.health,
      conditions: [...headState.conditions, ...operated.conditions],
      comparedState: headState,
      revisions: revisionsOf(head),
      sourceTypes: head.rendered.sources.map(({ type }) => type),
    },
    context,
    {
      isRefresh: cache.values.refresh !== undefined,
      operation: operated.operationUpdate,
      finalizers: wanted.join() === current.join() ? undefined : wanted,
    },
  );
  recordUnchanged(operated);
  if (requeueAt === undefined) return { kind: 'done', cache: update };
  const milliseconds = Math.max(0, requeueAt.getTime() - context.clock.now().getTime());
  return { kind: 'done', requeue: { milliseconds }, cache: update };
}
