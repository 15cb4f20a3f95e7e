import type { ApplyOptions, SyncInput } from './sync-plan.js';
import { hasOption } from './options.js';
import { isCrd, type Task } from './task.js';

/** How the target of a task reaches the cluster, by the options of the application and of the object. */
export function applyOptionsOf(input: SyncInput, task: Task): ApplyOptions {
  const { target, live } = task;
  const says = (option: string): boolean => hasOption(target, option) || hasOption(live, option);
  const isForced = input.request.force || says('Force=true');
  const isReplaced = input.syncOptions.includes('Replace=true') || says('Replace=true');
  return {
    method: methodOf(task, isReplaced, isForced),
    validate: !input.syncOptions.includes('Validate=false') && !hasOption(target, 'Validate=false'),
    migrate: !input.syncOptions.includes('ClientSideApplyMigration=false'),
    force: isForced && !isNeverRecreated(task),
    ...(isBareNamespace(task) ? { createOnly: true } : {}),
  };
}

function methodOf(task: Task, isReplaced: boolean, isForced: boolean): ApplyOptions['method'] {
  if (task.isHook && task.live === undefined) return 'create';
  if (!isReplaced) return 'apply';
  return isForced && task.live !== undefined && !isNeverRecreated(task) ? 'recreate' : 'replace';
}

/**
 * The namespace of `CreateNamespace=true` without metadata of its own. Another application may have it in git, and an
 * apply of nothing but its name would take away what that one has applied, such as its tracking id.
 */
function isBareNamespace({ key, target, resource }: Task): boolean {
  return (
    resource === undefined &&
    key.kind === 'Namespace' &&
    key.group === '' &&
    target !== undefined &&
    Object.keys(target.metadata).every((field) => field === 'name')
  );
}

/** To recreate a Namespace or a CRD would delete all that lives in it. */
function isNeverRecreated({ key, target }: Task): boolean {
  return (key.kind === 'Namespace' && key.group === '') || (target !== undefined && isCrd(target));
}
