import { useEffect, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import type { ServerSettings, UserInfo } from '../http/wire';
import { Badge } from '../parts/badge';
import { Empty, Ready } from '../parts/notice';
import { setQuery } from '../parts/route';
import { Tabs, type Tab } from '../parts/tabs';
import { AuditView } from './audit-view';

type View = 'general' | 'projects' | 'repositories' | 'clusters' | 'accounts' | 'audit';

const VIEWS: readonly Tab<View>[] = [
  { name: 'general', title: 'General' },
  { name: 'projects', title: 'Projects' },
  { name: 'repositories', title: 'Repositories' },
  { name: 'clusters', title: 'Clusters' },
  { name: 'accounts', title: 'Accounts' },
  { name: 'audit', title: 'Audit' },
];

/** What is set, to read. It is changed where it lives: in the objects of the control plane. */
export function SettingsPage({ query }: { readonly query: URLSearchParams }): ReactNode {
  const view = VIEWS.find(({ name }) => name === query.get('view'))?.name ?? 'general';
  useEffect(() => {
    document.title = 'Settings · Argosy';
  }, []);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Settings</h1>
        <span className="faint">Read-only; managed in argocd-cm, argocd-cmd-params-cm and Secrets</span>
      </header>
      <Tabs
        label="Settings"
        tabs={VIEWS}
        current={view}
        onChoose={(name) => {
          setQuery({ view: name });
        }}
        panel="settings-panel"
      />
      <div id="settings-panel" role="tabpanel" aria-labelledby={`tab-${view}`} className="stack">
        {PANELS[view]()}
      </div>
    </div>
  );
}

const PANELS: Readonly<Record<View, () => ReactNode>> = {
  general: () => <General />,
  projects: () => <Listing path="/api/v1/projects" what="projects" columns={PROJECT_COLUMNS} />,
  repositories: () => <Listing path="/api/v1/repositories" what="repositories" columns={REPOSITORY_COLUMNS} />,
  clusters: () => <Listing path="/api/v1/clusters" what="clusters" columns={CLUSTER_COLUMNS} />,
  accounts: () => <Listing path="/api/v1/account" what="accounts" columns={ACCOUNT_COLUMNS} />,
  audit: () => <AuditView />,
};

function General(): ReactNode {
  const settings = useLoad<ServerSettings>('/api/v1/settings');
  const version = useLoad<Readonly<Record<string, string>>>('/api/version');
  const user = useLoad<UserInfo>('/api/v1/session/userinfo');
  return (
    <div className="two">
      <section className="card" aria-label="Server">
        <header className="card-head">
          <h2>Server</h2>
        </header>
        <div className="card-body">
          <Ready loaded={settings} what="the settings" rows={3}>
            {(value) => (
              <dl className="facts">
                <dt>URL</dt>
                <dd>
                  {value.url === undefined || value.url === '' ? <span className="faint">not set</span> : value.url}
                </dd>
                <dt>Tracking</dt>
                <dd>{value.trackingMethod ?? ''}</dd>
                <dt>Instance label</dt>
                <dd>
                  <code>{value.appLabelKey ?? ''}</code>
                </dd>
                <dt>Namespace</dt>
                <dd>{value.controllerNamespace ?? ''}</dd>
                <dt>Single sign-on</dt>
                <dd>{value.oidcConfig?.name ?? <span className="faint">not set</span>}</dd>
              </dl>
            )}
          </Ready>
        </div>
      </section>
      <section className="card" aria-label="Version">
        <header className="card-head">
          <h2>Version</h2>
        </header>
        <div className="card-body">
          <Ready loaded={version} what="the version" rows={3}>
            {(value) => (
              <dl className="facts">
                {Object.entries(value)
                  .filter(([, text]) => text !== '')
                  .map(([name, text]) => (
                    <Pair key={name} name={name} text={text} />
                  ))}
              </dl>
            )}
          </Ready>
        </div>
      </section>
      <section className="card" aria-label="Your account">
        <header className="card-head">
          <h2>Your account</h2>
        </header>
        <div className="card-body">
          <Ready loaded={user} what="your account" rows={2}>
            {(value) => (
              <dl className="facts">
                <dt>Name</dt>
                <dd>{value.username}</dd>
                <dt>Issuer</dt>
                <dd>{value.iss}</dd>
                <dt>Groups</dt>
                <dd>{(value.groups ?? []).join(', ') || <span className="faint">none</span>}</dd>
              </dl>
            )}
          </Ready>
        </div>
      </section>
    </div>
  );
}

function Pair({ name, text }: { readonly name: string; readonly text: string }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{text}</code>
      </dd>
    </>
  );
}

type Row = Readonly<Record<string, unknown>>;
type Columns = readonly (readonly [string, (row: Row) => ReactNode])[];

/** A field by its path, where it is text or a number. */
function cellText(row: unknown, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>(
      (here, name) =>
        typeof here === 'object' && here !== null && Object.hasOwn(here, name) ? (here as Row)[name] : undefined,
      row,
    );
  if (Array.isArray(value))
    return value
      .map((each) =>
        typeof each === 'object'
          ? Object.values(each as Row)
              .filter((part) => typeof part === 'string')
              .join('/')
          : String(each),
      )
      .join(', ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

const state = (row: Row): ReactNode => {
  const status = cellText(row, 'connectionState.status');
  return status === '' ? null : (
    <Badge state={status === 'Successful' || status === 'Failed' ? status : 'Unknown'}>{status}</Badge>
  );
};
const code =
  (path: string) =>
  (row: Row): ReactNode => <code>{cellText(row, path)}</code>;
const words =
  (path: string) =>
  (row: Row): ReactNode =>
    cellText(row, path);

const PROJECT_COLUMNS: Columns = [
  ['Project', words('metadata.name')],
  ['Description', words('spec.description')],
  ['Sources', code('spec.sourceRepos')],
  ['Destinations', code('spec.destinations')],
];
const REPOSITORY_COLUMNS: Columns = [
  ['Repository', code('repo')],
  ['Type', words('type')],
  ['Project', words('project')],
  ['Connection', state],
  ['Message', words('connectionState.message')],
];
const CLUSTER_COLUMNS: Columns = [
  ['Cluster', words('name')],
  ['Server', code('server')],
  ['Version', words('serverVersion')],
  ['Connection', state],
  ['Message', words('connectionState.message')],
];
const ACCOUNT_COLUMNS: Columns = [
  ['Account', words('name')],
  ['Enabled', words('enabled')],
  ['Capabilities', words('capabilities')],
];

function Listing({
  path,
  what,
  columns,
}: {
  readonly path: string;
  readonly what: string;
  readonly columns: Columns;
}): ReactNode {
  const loaded = useLoad<{ readonly items?: readonly Row[] | null }>(path);
  return (
    <Ready loaded={loaded} what={`the ${what}`}>
      {({ items }) =>
        (items ?? []).length === 0 ? (
          <Empty icon="settings" title={`No ${what}`} />
        ) : (
          <div className="card scroll-x" tabIndex={0} role="region" aria-label={what}>
            <table className="table">
              <caption className="sr-only">{what}</caption>
              <thead>
                <tr>
                  {columns.map(([title]) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {(items ?? []).map((row, index) => (
                  <tr key={index}>
                    {columns.map(([title, show]) => (
                      <td key={title}>{show(row)}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Ready>
  );
}
