import type { ReactNode } from 'react';
import type { Explanation } from '../../src/model/api/index.js';
import { useLoad } from '../http/load';
import type { WireApplication } from '../http/wire';
import { SLOW_INTERVAL, FAST_INTERVAL, useInterval } from '../parts/tick';
import { Shape } from '../parts/badge';
import { Icon } from '../parts/icon';
import { Link } from '../parts/link';
import { sentenceOf } from '../parts/sentence';
import { FixSentence, PatchActions, Patches } from '../triage/patches';
import { appPath, appQuery, type AppRef } from '../http/application-path';

type Status = WireApplication['status'];

function isSyncedAndHealthy(status: Status): boolean {
  return (
    status?.sync?.status === 'Synced' &&
    status.health?.status === 'Healthy' &&
    status.operationState?.phase !== 'Running' &&
    (status.conditions ?? []).length === 0
  );
}

function toneOf(status: Status): string {
  const [health, phase] = [status?.health?.status, status?.operationState?.phase];
  if (health === 'Degraded' || phase === 'Failed') return 'tone-bad';
  return health === 'Progressing' || phase === 'Running' ? 'tone-busy' : 'tone-warn';
}

/** Under the name of an application that is not Synced and Healthy: why, or what it waits for. */
export function WhyCard({
  app,
  application,
}: {
  readonly app: AppRef;
  readonly application: WireApplication;
}): ReactNode {
  const { status } = application;
  const isWell = isSyncedAndHealthy(status);
  const loaded = useLoad<Explanation>(
    isWell ? undefined : appPath(app, '/explain'),
    appQuery(app),
    application.metadata.resourceVersion ?? '',
  );
  const interval = loaded.value?.isSearched === false ? FAST_INTERVAL : SLOW_INTERVAL;
  useInterval(loaded.reload, isWell ? 0 : interval);
  if (isWell || loaded.value === undefined)
    return isWell || loaded.error !== undefined ? null : (
      <div className="card why">
        <span className="faint" role="status">
          Searching for the cause…
        </span>
      </div>
    );
  const { reasons, causes } = loaded.value;
  if (reasons.length + causes.length === 0) return null;
  return (
    <section className={`card why ${toneOf(status)}`} aria-label="Why">
      {causes.map((cause) => (
        <CauseLine key={cause.id} cause={cause} own={`Application ${app.namespace}/${app.name}`} />
      ))}
      <Reasons reasons={reasons} isCauseKnown={causes.length > 0} />
    </section>
  );
}

/** The symptoms; folded if the cause is known. */
function Reasons({
  reasons,
  isCauseKnown,
}: {
  readonly reasons: readonly string[];
  readonly isCauseKnown: boolean;
}): ReactNode {
  if (reasons.length === 0) return null;
  const list = (
    <ul className="why-more">
      {reasons.slice(0, 6).map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
  return isCauseKnown ? (
    <details className="why-seen">
      <summary>Symptoms</summary>
      {list}
    </details>
  ) : (
    list
  );
}

function CauseLine({
  own,
  cause: { id, name, severity, title, chain, fix, patches, proof },
}: {
  readonly own: string;
  readonly cause: Explanation['causes'][number];
}): ReactNode {
  return (
    <div className="stack-small">
      <div className="why-line">
        <Shape state={severity} label={severity} />
        <span className="why-title">{sentenceOf(title)}</span>
        <Link to={`/triage?cause=${encodeURIComponent(id)}`} className="link nowrap">
          Root cause and fix
        </Link>
      </div>
      {chain.length < 2 || chain[0]?.object !== own ? null : (
        <div className="why-chain">
          {chain.map(({ object }, index) => (
            <span key={object} className="with-icon">
              {index === 0 ? null : <Icon name="right" size={11} />}
              {object}
            </span>
          ))}
        </div>
      )}
      {fix === null ? null : (
        <div className="why-more">
          <FixSentence text={fix.say} />
        </div>
      )}
      {patches.length === 0 ? null : (
        <details className="why-patch">
          <summary>Change in git: {patches.map(({ file, line }) => `${file}:${line}`).join(', ')}</summary>
          <div className="stack-small">
            <PatchActions patches={patches} name={name} />
            <Patches patches={patches} proof={proof} />
          </div>
        </details>
      )}
    </div>
  );
}
