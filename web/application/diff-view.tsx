import type { ReactNode } from 'react';
import type { DriftResponse, DriftedField, DriftedResource } from '../../src/model/api/index.js';
import { useLoad } from '../http/load';
import type { WireNodeRef } from '../http/wire';
import { Code } from '../parts/code';
import { Empty, ErrorText, Ready } from '../parts/notice';
import { ago } from '../parts/time';
import { yamlText } from '../parts/yaml-text';
import { appPath, appQuery, type AppRef } from '../http/application-path';

/** Every field where git and cluster disagree: both values, who owns it, and what that means. */
export function DiffView({
  app,
  version,
  onOpen,
}: {
  readonly app: AppRef;
  readonly version: string;
  readonly onOpen: (ref: WireNodeRef) => void;
}): ReactNode {
  const drift = useLoad<DriftResponse>(appPath(app, '/drift'), appQuery(app), version);
  return (
    <Ready loaded={drift} what="the diff">
      {(value) => <DriftList drift={value} onOpen={onOpen} />}
    </Ready>
  );
}

function DriftList({
  drift: { resources, warnings, errors, rules, needsRespect },
  onOpen,
}: {
  readonly drift: DriftResponse;
  readonly onOpen: (ref: WireNodeRef) => void;
}): ReactNode {
  if (resources.length + errors.length + warnings.length === 0)
    return (
      <Empty icon="done" title="No differences">
        Every field that git sets has the same value in the cluster.
      </Empty>
    );
  return (
    <div className="stack">
      {errors.map((error) => (
        <ErrorText key={error} text={error} />
      ))}
      {warnings.map((warning) => (
        <p key={warning} className="muted">
          {warning}
        </p>
      ))}
      {resources.map((resource) => (
        <ResourceDiff key={Object.values(resource.key).join('/')} resource={resource} onOpen={onOpen} />
      ))}
      {rules.length === 0 ? null : (
        <Code
          label="Ignore fields that controllers own"
          file="Application spec.ignoreDifferences"
          text={yamlText({
            spec: {
              ignoreDifferences: rules,
              ...(needsRespect ? { syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } } : {}),
            },
          })}
        />
      )}
    </div>
  );
}

const PRESENCE: Readonly<Record<DriftedResource['presence'], string>> = {
  both: '',
  git: 'In git, missing in the cluster.',
  live: 'In the cluster, no longer in git.',
};

function ResourceDiff({
  resource,
  onOpen,
}: {
  readonly resource: DriftedResource;
  readonly onOpen: (ref: WireNodeRef) => void;
}): ReactNode {
  const { key } = resource;
  return (
    <section className="card" aria-label={`${key.kind} ${key.name}`}>
      <header className="card-head">
        <h2>
          {key.kind} {key.name}
        </h2>
        <span className="faint cut">
          {key.namespace}
          {resource.origin === '' ? '' : ` · ${resource.origin}`}
        </span>
        <div className="actions">
          <button
            type="button"
            className="button small"
            onClick={() => {
              onOpen(key);
            }}
          >
            Full diff
          </button>
        </div>
      </header>
      {resource.presence === 'both' ? null : <p className="card-body muted">{PRESENCE[resource.presence]}</p>}
      {resource.fields.map((field) => (
        <FieldDiff key={field.pointer} field={field} />
      ))}
    </section>
  );
}

function FieldDiff({ field }: { readonly field: DriftedField }): ReactNode {
  return (
    <div className="diff-row">
      <div className="diff-path">{field.pointer}</div>
      <div className="diff-values">
        <div className="diff-value is-live">
          <b>live</b>
          <span>{valueText(field.live)}</span>
        </div>
        <div className="diff-value is-git">
          <b>git</b>
          <span>{valueText(field.git)}</span>
        </div>
      </div>
      <div className="diff-owner">
        <span>
          {field.owner === '' ? (
            <span className="faint">no field manager</span>
          ) : (
            <>
              owned by <b>{field.owner}</b>
            </>
          )}
          {field.since === '' ? null : <span className="faint"> since {ago(field.since)}</span>}
        </span>
        <span className="pill self-start">{field.class}</span>
        <span className="muted">{field.say}</span>
      </div>
    </div>
  );
}

function valueText(value: unknown): string {
  if (value === undefined) return '(not set)';
  return typeof value === 'object' && value !== null ? yamlText(value).trimEnd() : JSON.stringify(value);
}
