import { useState, type ReactNode } from 'react';
import { post, errorMessage } from '../http/client';
import type { WireApplication } from '../http/wire';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icon';
import { ErrorText, Ready } from '../parts/notice';
import { appPath, type AppRef } from '../http/application-path';
import { PlanList } from './plan-view';
import { useWaves } from './waves';

interface SyncDialogProps {
  readonly app: AppRef;
  readonly application: WireApplication;
  readonly onClose: () => void;
  readonly onChanged: (application: WireApplication) => void;
}

/** The plan first, then the choice. */
export function SyncDialog({ app, application, onClose, onChanged }: SyncDialogProps): ReactNode {
  const waves = useWaves(app, application.metadata.resourceVersion ?? '');
  const [options, setOptions] = useState({ prune: false, force: false, replace: false, outOfSyncOnly: false });
  const [revision, setRevision] = useState('');
  const [state, setState] = useState({ isBusy: false, problem: '', done: '' });
  const start = (dryRun: boolean): void => {
    setState({ isBusy: true, problem: '', done: '' });
    const items = [
      ...(options.replace ? ['Replace=true'] : []),
      ...(options.outOfSyncOnly ? ['ApplyOutOfSyncOnly=true'] : []),
    ];
    post<WireApplication>(appPath(app, '/sync'), {
      name: app.name,
      ...(app.namespace === '' ? {} : { appNamespace: app.namespace }),
      revision,
      prune: options.prune,
      dryRun,
      strategy: options.force ? { hook: { force: true } } : { hook: {} },
      ...(items.length === 0 ? {} : { syncOptions: { items } }),
    }).then(
      (changed) => {
        onChanged(changed);
        if (dryRun) setState({ isBusy: false, problem: '', done: 'Dry run started; see History for the result.' });
        else onClose();
      },
      (error: unknown) => {
        setState({ isBusy: false, problem: errorMessage(error), done: '' });
      },
    );
  };
  const toggle = (name: keyof typeof options, label: string, says: string): ReactNode => (
    <label className="check">
      <input
        type="checkbox"
        checked={options[name]}
        onChange={(event) => {
          setOptions({ ...options, [name]: event.target.checked });
        }}
      />
      <span>
        {label}
        <span className="faint"> {says}</span>
      </span>
    </label>
  );
  const target = application.spec.source?.targetRevision ?? 'HEAD';
  return (
    <Dialog
      title={`Sync ${app.name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button"
            disabled={state.isBusy}
            onClick={() => {
              start(true);
            }}
          >
            Dry run
          </button>
          <button
            type="button"
            className="button primary"
            disabled={state.isBusy}
            onClick={() => {
              start(false);
            }}
          >
            <Icon name="sync" />
            {state.isBusy ? 'Starting…' : 'Sync'}
          </button>
        </>
      }
    >
      <ErrorText text={state.problem} />
      {state.done === '' ? null : <p role="status">{state.done}</p>}
      <div className="two">
        <label className="field">
          Revision
          <input
            value={revision}
            placeholder={target}
            spellCheck={false}
            onChange={(event) => {
              setRevision(event.target.value);
            }}
          />
        </label>
        <div className="stack-small">
          {toggle('prune', 'Prune', 'delete resources that are no longer in git')}
          {toggle('outOfSyncOnly', 'Apply only out-of-sync resources', 'skip the rest')}
          {toggle('replace', 'Replace', 'instead of apply')}
          {toggle('force', 'Force', 'delete and recreate if the update is rejected')}
        </div>
      </div>
      <section className="stack-small" aria-label="Plan">
        <h3>Plan, in order</h3>
        <Ready loaded={waves} what="the plan" rows={4}>
          {(plan) => <PlanList plan={plan} />}
        </Ready>
      </section>
    </Dialog>
  );
}
