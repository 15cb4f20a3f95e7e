import { useState, type ReactNode } from 'react';
import { post, errorMessage } from '../http/client';
import { useLoad } from '../http/load';
import type { WireApplication, WireDeployment, WireOperationState } from '../http/wire';
import { Badge } from '../parts/badge';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icon';
import { Empty, ErrorText } from '../parts/notice';
import { ago, moment, span } from '../parts/time';
import { shortRevision } from '../parts/short-revision';
import { appPath, appQuery, type AppRef } from '../http/application-path';

interface HistoryProps {
  readonly app: AppRef;
  readonly application: WireApplication;
  readonly onChanged: (application: WireApplication) => void;
}

/** The last operation, what was delivered when, and the way back. */
export function HistoryView({ app, application, onChanged }: HistoryProps): ReactNode {
  const [back, setBack] = useState<WireDeployment | undefined>(undefined);
  const history = (application.status?.history ?? []).toSorted((a, b) => b.id - a.id);
  const operation = application.status?.operationState;
  return (
    <div className="stack">
      {operation === undefined ? null : <OperationCard operation={operation} />}
      {history.length === 0 ? (
        <Empty icon="clock" title="No deployments yet">
          Every successful sync is listed here and can be rolled back to.
        </Empty>
      ) : (
        <div className="card scroll-x" tabIndex={0} role="region" aria-label="Deployments">
          <table className="table">
            <caption className="sr-only">History</caption>
            <thead>
              <tr>
                <th scope="col">ID</th>
                <th scope="col">Revision</th>
                <th scope="col">Commit</th>
                <th scope="col">By</th>
                <th scope="col">When</th>
                <th scope="col">
                  <span className="sr-only">Roll back</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {history.map((deployment, index) => (
                <DeploymentRow
                  key={deployment.id}
                  app={app}
                  deployment={deployment}
                  isNewest={index === 0}
                  onBack={() => {
                    setBack(deployment);
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {back === undefined ? null : (
        <RollbackDialog
          app={app}
          application={application}
          deployment={back}
          onClose={() => {
            setBack(undefined);
          }}
          onChanged={onChanged}
        />
      )}
    </div>
  );
}

interface RevisionMetadata {
  readonly author?: string;
  readonly message?: string;
  readonly date?: string;
}

function DeploymentRow({
  app,
  deployment,
  isNewest,
  onBack,
}: {
  readonly app: AppRef;
  readonly deployment: WireDeployment;
  readonly isNewest: boolean;
  readonly onBack: () => void;
}): ReactNode {
  const revision = deployment.revision ?? deployment.revisions?.[0] ?? '';
  const metadata = useLoad<RevisionMetadata>(
    /^[0-9a-f]{40}$/.test(revision) ? appPath(app, `/revisions/${revision}/metadata`) : undefined,
    appQuery(app),
  );
  const { initiatedBy } = deployment;
  return (
    <tr>
      <td className="tight number">{deployment.id}</td>
      <td className="tight">
        <code>{(deployment.revisions ?? [revision]).map(shortRevision).join(', ')}</code>
        {isNewest ? <span className="pill tone-good beside">current</span> : null}
      </td>
      <td className="wrap">
        {metadata.value?.message?.split('\n')[0] ?? ''}
        <div className="faint small-text">{metadata.value?.author ?? ''}</div>
      </td>
      <td className="tight muted">{initiatedBy?.automated === true ? 'automatic' : (initiatedBy?.username ?? '')}</td>
      <td className="tight" title={moment(deployment.deployedAt)}>
        {ago(deployment.deployedAt)} ago
      </td>
      <td className="tight">
        {isNewest ? null : (
          <button type="button" className="button small" aria-label={`Roll back to ${deployment.id}`} onClick={onBack}>
            <Icon name="rollback" size={14} />
            Roll back…
          </button>
        )}
      </td>
    </tr>
  );
}

function RollbackDialog({
  app,
  application,
  deployment,
  onClose,
  onChanged,
}: HistoryProps & { readonly deployment: WireDeployment; readonly onClose: () => void }): ReactNode {
  const [prune, setPrune] = useState(false);
  const [state, setState] = useState({ isBusy: false, problem: '' });
  const { automated } = application.spec.syncPolicy ?? {};
  const isAutomated = automated !== undefined && automated.enabled !== false;
  const start = (): void => {
    setState({ isBusy: true, problem: '' });
    post<WireApplication>(appPath(app, '/rollback'), {
      name: app.name,
      ...(app.namespace === '' ? {} : { appNamespace: app.namespace }),
      id: deployment.id,
      prune,
      dryRun: false,
    }).then(
      (changed) => {
        onChanged(changed);
        onClose();
      },
      (error: unknown) => {
        setState({ isBusy: false, problem: errorMessage(error) });
      },
    );
  };
  return (
    <Dialog
      title={`Roll back ${app.name}`}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" className="button primary" disabled={state.isBusy} onClick={start}>
            <Icon name="rollback" />
            {state.isBusy ? 'Starting…' : 'Roll back'}
          </button>
        </>
      }
    >
      <ErrorText text={state.problem} />
      <p>
        Rolls back to deployment {deployment.id} of {moment(deployment.deployedAt)}, revision{' '}
        <code>{(deployment.revisions ?? [deployment.revision ?? '']).map(shortRevision).join(', ')}</code>.
      </p>
      {isAutomated ? (
        <p className="problem">
          <Icon name="alert" />
          <span>
            Auto-sync is enabled and would undo the rollback, so the server rejects it. Disable auto-sync first.
          </span>
        </p>
      ) : (
        <p className="muted">
          Git does not change: the application stays OutOfSync until git matches, or the next sync.
        </p>
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={prune}
          onChange={(event) => {
            setPrune(event.target.checked);
          }}
        />
        <span>
          Prune<span className="faint"> delete resources that are not in this revision</span>
        </span>
      </label>
    </Dialog>
  );
}

function initiatorText(by: { readonly automated?: boolean; readonly username?: string } | undefined): string {
  if (by?.automated === true) return ', automatic';
  return by?.username === undefined ? '' : `, by ${by.username}`;
}

function OperationCard({ operation }: { readonly operation: WireOperationState }): ReactNode {
  const { phase, message, startedAt, finishedAt, syncResult, operation: asked } = operation;
  const took = (Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
  const results = (syncResult?.resources ?? []).toSorted(
    (a, b) => Number(b.status === 'SyncFailed') - Number(a.status === 'SyncFailed'),
  );
  return (
    <section className="card" aria-label="Last operation">
      <header className="card-head">
        <h2>Last operation</h2>
        <Badge state={phase} />
        <span className="faint">
          {ago(startedAt)} ago{Number.isNaN(took) ? '' : `, took ${span(took)}`}
          {initiatorText(asked?.initiatedBy)}
          {asked?.sync?.dryRun === true ? ', dry run' : ''}
        </span>
      </header>
      <div className="card-body stack-small">
        {message === undefined || message === '' ? null : <p className="wrap">{message}</p>}
        {results.length === 0 ? null : (
          <details>
            <summary>
              {results.length} {results.length === 1 ? 'resource' : 'resources'}
            </summary>
            <table className="table">
              <caption className="sr-only">Resources of the operation</caption>
              <tbody>
                {results.map((result) => (
                  <tr key={`${result.kind}${result.namespace ?? ''}${result.name}${result.syncPhase ?? ''}`}>
                    <td className="tight">
                      <Badge state={result.status === 'SyncFailed' ? 'Failed' : 'Synced'} isQuiet>
                        {result.hookPhase ?? result.status}
                      </Badge>
                    </td>
                    <td className="tight">
                      {result.kind} {result.name}
                    </td>
                    <td className="muted wrap">{result.message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        )}
      </div>
    </section>
  );
}
