import { useState, type ReactNode } from 'react';
import { get, remove, errorMessage } from '../http/client';
import type { WireApplication, WireSource } from '../http/wire';
import { Badge } from '../parts/badge';
import { Icon } from '../parts/icon';
import { ErrorText } from '../parts/notice';
import { useShortcuts } from '../parts/keys';
import { ago } from '../parts/time';
import { shortRevision } from '../parts/short-revision';
import { appAddress, appPath, appQuery, type AppRef } from '../http/application-path';

interface HeadProps {
  readonly app: AppRef;
  readonly application: WireApplication;
  readonly isLive: boolean;
  readonly onSync: () => void;
  readonly onChanged: (application: WireApplication) => void;
}

export function AppHead({ app, application, isLive, onSync, onChanged }: HeadProps): ReactNode {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  const { status } = application;
  const isRunning = status?.operationState?.phase === 'Running';
  const act = (name: string, work: () => Promise<unknown>): void => {
    setBusy(name);
    setProblem('');
    work()
      .catch((error: unknown) => {
        setProblem(errorMessage(error));
      })
      .finally(() => {
        setBusy('');
      });
  };
  const refresh = (kind: 'normal' | 'hard'): void => {
    act('refresh', async () => {
      onChanged(await get<WireApplication>(appPath(app), appQuery(app, { refresh: kind })));
    });
  };
  useShortcuts({
    r: () => {
      refresh('normal');
    },
    R: () => {
      refresh('hard');
    },
  });
  return (
    <>
      <header className="app-head">
        <h1>{app.name}</h1>
        <div className="app-states">
          <State of={status?.sync?.status} unknown="Sync unknown" />
          <State of={status?.health?.status} unknown="Health unknown" />
          {isRunning ? <Badge state="Running">Syncing</Badge> : null}
          <span className={`live${isLive ? ' is-on' : ''}`}>
            <i />
            <span className="sr-only">{isLive ? 'live' : 'not connected'}</span>
          </span>
        </div>
        <div className="page-head actions-only">
          <div className="actions">
            {isRunning ? (
              <button
                type="button"
                className="button danger"
                disabled={busy !== ''}
                onClick={() => {
                  act('stop', () => remove(appAddress(app, '/operation')));
                }}
              >
                <Icon name="close" />
                Stop
              </button>
            ) : null}
            <button
              type="button"
              className="button"
              disabled={busy !== ''}
              onClick={() => {
                refresh('normal');
              }}
            >
              <Icon name="refresh" />
              {busy === 'refresh' ? 'Refreshing…' : 'Refresh'}
            </button>
            <button type="button" className="button primary" onClick={onSync}>
              <Icon name="sync" />
              Sync…
            </button>
          </div>
        </div>
      </header>
      <ErrorText text={problem} />
      <Facts application={application} />
    </>
  );
}

type AutomatedPolicy = NonNullable<WireApplication['spec']['syncPolicy']>['automated'];

function syncPolicyText(automated: AutomatedPolicy): string {
  if (automated === undefined || automated.enabled === false) return 'Manual sync';
  return `Auto-sync${automated.prune === true ? ', prune' : ''}${automated.selfHeal === true ? ', self-heal' : ''}`;
}

function Facts({ application: { spec, status } }: { readonly application: WireApplication }): ReactNode {
  const sources = spec.sources ?? (spec.source === undefined ? [] : [spec.source]);
  const revisions = status?.sync?.revisions ?? [status?.sync?.revision ?? ''];
  const last = status?.history?.at(-1)?.deployedAt;
  return (
    <div className="app-facts">
      {sources.map((source, index) => (
        <span key={index}>
          <Icon name="git" size={14} />
          <SourceText source={source} revision={revisions[index] ?? ''} />
        </span>
      ))}
      <span>
        <Icon name="cluster" size={14} />
        {spec.destination.name ?? spec.destination.server ?? ''} / {spec.destination.namespace ?? ''}
      </span>
      <span>
        <Icon name="sync" size={14} />
        {syncPolicyText(spec.syncPolicy?.automated)}
      </span>
      {last === undefined ? null : (
        <span>
          <Icon name="clock" size={14} />
          Last deployed {ago(last)} ago
        </span>
      )}
    </div>
  );
}

/** Two things can be unknown: which of them is said. */
function State({
  of: state = 'Unknown',
  unknown,
}: {
  readonly of: string | undefined;
  readonly unknown: string;
}): ReactNode {
  return <Badge state={state}>{state === 'Unknown' ? unknown : state}</Badge>;
}

function SourceText({ source, revision }: { readonly source: WireSource; readonly revision: string }): ReactNode {
  const name = source.repoURL.replace(/^(?:https?|file|ssh):\/\//, '').replace(/\.git$/, '');
  return (
    <span className="cut" title={source.repoURL}>
      {name.split('/').slice(-2).join('/')}
      {source.chart === undefined ? '' : ` chart ${source.chart}`}
      {source.path === undefined ? '' : ` · ${source.path}`} · {source.targetRevision ?? 'HEAD'}
      {revision === '' ? '' : ` (${shortRevision(revision)})`}
    </span>
  );
}
