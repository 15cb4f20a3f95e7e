import { useEffect, useState, type ReactNode } from 'react';
import { useLoad } from '../http/load';
import type { WireApplication, WireTree } from '../http/wire';
import { Icon } from '../parts/icon';
import { useShortcuts } from '../parts/keys';
import { Link } from '../parts/link';
import { Empty, ErrorNotice, LoadingRows } from '../parts/notice';
import { go, setQuery } from '../parts/route';
import { Tabs, type Tab } from '../parts/tabs';
import { AppHead } from './app-head';
import { ConditionsView } from './conditions-view';
import { DiffView } from './diff-view';
import { EventsView } from './events-view';
import { HistoryView } from './history-view';
import { LogsView } from './logs-view';
import { ManifestsView } from './manifests-view';
import { appPath, appQuery, type AppRef } from '../http/application-path';
import { PlanView } from './plan-view';
import { ResourceDrawer } from './resource-drawer';
import { idOf, type TreeItem } from './resource-tree';
import { SyncDialog } from './sync-dialog';
import { TreeView } from './tree-view';
import { useApplication } from './use-application';
import { ValuesView } from './values-view';
import { useWaves } from './waves';
import { gatesOf } from './wave-gates';
import { WhyCard } from './why-card';

type View = 'resources' | 'diff' | 'plan' | 'manifests' | 'values' | 'events' | 'logs' | 'history' | 'conditions';

function tabsOf(application: WireApplication): readonly Tab<View>[] {
  const resources = application.status?.resources ?? [];
  return [
    { name: 'resources', title: 'Resources' },
    { name: 'diff', title: 'Diff', count: resources.filter(({ status }) => status === 'OutOfSync').length },
    { name: 'plan', title: 'Waves' },
    { name: 'manifests', title: 'Manifests' },
    { name: 'values', title: 'Values' },
    { name: 'events', title: 'Events' },
    { name: 'logs', title: 'Logs' },
    { name: 'history', title: 'History', count: (application.status?.history ?? []).length },
    { name: 'conditions', title: 'Conditions', count: (application.status?.conditions ?? []).length },
  ];
}

/** One application: how it is, why, and everything that can be done about it. */
export function ApplicationPage({ namespace, name, query }: AppRef & { readonly query: URLSearchParams }): ReactNode {
  const app = { namespace, name };
  const live = useApplication(app);
  useEffect(() => {
    document.title = `${name} · Argosy`;
  }, [name]);
  return (
    <div className="page">
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/applications">Fleet</Link>
        <Icon name="right" size={12} />
        <span>{live.value?.spec.project ?? namespace}</span>
      </nav>
      <PageBody app={app} live={live} query={query} />
    </div>
  );
}

interface PageBodyProps {
  readonly app: AppRef;
  readonly live: ReturnType<typeof useApplication>;
  readonly query: URLSearchParams;
}

function PageBody({ app, live, query }: PageBodyProps): ReactNode {
  if (live.isGone)
    return (
      <Empty icon="fleet" title={`${app.name} was deleted`}>
        <Link to="/applications" className="link">
          Back to the fleet
        </Link>
      </Empty>
    );
  if (live.value !== undefined)
    return (
      <ApplicationView app={app} application={live.value} isLive={live.isLive} query={query} onChanged={live.learn} />
    );
  if (live.error !== undefined) return <ErrorNotice error={live.error} what="this application" onRetry={live.reload} />;
  return <LoadingRows label="Loading the application" rows={9} />;
}

interface ViewProps {
  readonly app: AppRef;
  readonly application: WireApplication;
  readonly isLive: boolean;
  readonly query: URLSearchParams;
  readonly onChanged: (application: WireApplication) => void;
}

interface PanelProps extends Omit<ViewProps, 'isLive'> {
  readonly version: string;
  readonly tree: WireTree | undefined;
  readonly waves: ReturnType<typeof useWaves>;
}

const openResource = (item: TreeItem): void => {
  setQuery({ resource: item.id, panel: '' });
};
const openDiff = (ref: Parameters<typeof idOf>[0]): void => {
  setQuery({ resource: idOf(ref), panel: 'diff' });
};

const VIEWS: Record<View, (props: PanelProps) => ReactNode> = {
  resources: ({ application, tree, waves }) => (
    <TreeView application={application} tree={tree} gates={gatesOf(waves.value, application)} onOpen={openResource} />
  ),
  diff: ({ app, version }) => <DiffView app={app} version={version} onOpen={openDiff} />,
  plan: ({ waves }) => <PlanView waves={waves} />,
  manifests: ({ app, version }) => <ManifestsView app={app} version={version} />,
  values: ({ app, version }) => <ValuesView app={app} version={version} />,
  events: ({ app, version }) => <EventsView app={app} version={version} />,
  logs: ({ app, tree, query }) => <LogsView app={app} tree={tree} query={query} />,
  history: ({ app, application, onChanged }) => (
    <HistoryView app={app} application={application} onChanged={onChanged} />
  ),
  conditions: ({ application }) => <ConditionsView application={application} />,
};

function ApplicationView({ app, application, isLive, query, onChanged }: ViewProps): ReactNode {
  const tabs = tabsOf(application);
  const view = tabs.find(({ name }) => name === query.get('view'))?.name ?? 'resources';
  const version = application.metadata.resourceVersion ?? '';
  const tree = useLoad<WireTree>(appPath(app, '/resource-tree'), appQuery(app), version);
  const waves = useWaves(app, version);
  const [isSyncing, setSyncing] = useState(query.get('sync') === 'true');
  const opened = query.get('resource') ?? '';
  useShortcuts({
    s: () => {
      setSyncing(true);
    },
    u: () => {
      go('/applications');
    },
    ...Object.fromEntries(
      tabs.map(({ name }, index) => [
        String(index + 1),
        () => {
          setQuery({ view: name === 'resources' ? '' : name });
        },
      ]),
    ),
  });
  return (
    <>
      <AppHead
        app={app}
        application={application}
        isLive={isLive}
        onSync={() => {
          setSyncing(true);
        }}
        onChanged={onChanged}
      />
      <WhyCard app={app} application={application} />
      <Tabs
        label="Application views"
        tabs={tabs}
        current={view}
        onChoose={(name) => {
          setQuery({ view: name === 'resources' ? '' : name });
        }}
        panel="application-panel"
      />
      <div id="application-panel" role="tabpanel" aria-labelledby={`tab-${view}`} className="panel-body">
        {VIEWS[view]({ app, application, query, onChanged, version, tree: tree.value, waves })}
      </div>
      {opened === '' ? null : (
        <ResourceDrawer
          app={app}
          id={opened}
          panel={query.get('panel') ?? ''}
          application={application}
          tree={tree.value}
          version={version}
          onClose={() => {
            setQuery({ resource: '', panel: '' });
          }}
        />
      )}
      {isSyncing ? (
        <SyncDialog
          app={app}
          application={application}
          onClose={() => {
            setSyncing(false);
          }}
          onChanged={onChanged}
        />
      ) : null}
    </>
  );
}
