import type { ReactNode } from 'react';
import type { TaskView, WaveView, WavesResponse } from '../../src/model/api/index.js';
import type { Loaded } from '../http/load';
import { Badge } from '../parts/badge';
import { Icon } from '../parts/icon';
import { Empty, Ready } from '../parts/notice';
import { waitText } from './waves';

/** The plan of a sync in order: what each wave does, and what it waits for. */
export function PlanView({ waves }: { readonly waves: Loaded<WavesResponse> }): ReactNode {
  return (
    <Ready loaded={waves} what="the plan">
      {(plan) => <PlanList plan={plan} />}
    </Ready>
  );
}

export function PlanList({ plan: { waves, unknown } }: { readonly plan: WavesResponse }): ReactNode {
  if (unknown !== '')
    return (
      <Empty icon="alert" title="No plan yet">
        {unknown}
      </Empty>
    );
  if (waves.length === 0)
    return (
      <Empty icon="done" title="Nothing to sync">
        The application has no resources.
      </Empty>
    );
  return (
    <div className="plan">
      {waves.map((wave) => (
        <Wave key={`${wave.phase}${wave.wave}`} wave={wave} />
      ))}
    </div>
  );
}

const TASK_LABELS: Readonly<Record<string, string>> = {
  nothing: 'leave',
  prune: 'delete',
  apply: 'apply',
  'server-side-apply': 'apply',
  'client-side-apply': 'apply',
  replace: 'replace',
  create: 'create',
};

function Wave({ wave }: { readonly wave: WaveView }): ReactNode {
  const wait = waitText(wave);
  const idle = wave.tasks.filter(({ does, isHook }) => does === 'nothing' && !isHook).length;
  return (
    <section className="plan-wave" aria-label={`${wave.phase} wave ${wave.wave}`}>
      <header>
        <b>
          {wave.phase === 'Sync' ? '' : `${wave.phase} · `}Wave {wave.wave}
        </b>
        <span className="faint">
          {wave.tasks.length - idle} to sync{idle > 0 ? `, ${idle} unchanged` : ''}
        </span>
        {wait === '' ? null : (
          <span className="muted with-icon">
            <Icon name="wait" size={13} />
            {wait}
          </span>
        )}
      </header>
      <div>
        {wave.tasks.map((task) => (
          <Task key={`${task.key.group}/${task.key.kind}/${task.key.namespace}/${task.key.name}`} task={task} />
        ))}
      </div>
    </section>
  );
}

const TASK_CLASSES = new Map<string, string>([
  ['prune', 'plan-task is-prune'],
  ['nothing', 'plan-task is-idle'],
]);

function Task({ task: { key, does, isHook, status, phase, notes } }: { readonly task: TaskView }): ReactNode {
  return (
    <div className={TASK_CLASSES.get(does) ?? 'plan-task'}>
      <span className="does">{isHook ? 'run hook' : (TASK_LABELS[does] ?? does)}</span>
      <span className="wrap">
        {key.kind} <b>{key.name}</b>
        {key.namespace === '' ? null : <span className="faint"> {key.namespace}</span>}
        {notes.length === 0 ? null : <span className="faint"> · {notes.join('; ')}</span>}
      </span>
      {status === undefined ? (
        <span />
      ) : (
        <Badge
          state={
            status === 'SyncFailed'
              ? 'Failed'
              : (phase ?? (status === 'Pruned' || status === 'Synced' ? 'Synced' : 'Unknown'))
          }
          isQuiet
        >
          {[status, phase].filter((word) => word !== undefined).join(', ')}
        </Badge>
      )}
    </div>
  );
}
