import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { get, post, errorMessage } from '../http/client';
import { useLoad } from '../http/load';
import type { WireApplication, WireManaged, WireTree } from '../http/wire';
import { Badge } from '../parts/badge';
import { Code } from '../parts/code';
import { Dialog } from '../parts/dialog';
import { DiffText } from '../parts/diff-text';
import { Empty, Ready } from '../parts/notice';
import { setQuery } from '../parts/route';
import { Tabs, type Tab } from '../parts/tabs';
import { ago } from '../parts/time';
import { yamlText } from '../parts/yaml-text';
import { EventsView } from './events-view';
import { PodLog } from './logs-view';
import { appAddress, appPath, appQuery, type AppRef } from '../http/application-path';
import { findItem, idOf, waveColumns, type TreeItem } from './resource-tree';

/** Few people open one: it comes when it is needed. */
const TerminalView = lazy(() =>
  import('../terminal/terminal-view').then((module) => ({ default: module.TerminalView })),
);

type Panel = 'live' | 'diff' | 'git' | 'events' | 'logs' | 'terminal';

interface DrawerProps {
  readonly app: AppRef;
  readonly id: string;
  readonly panel: string;
  readonly application: WireApplication;
  readonly tree: WireTree | undefined;
  readonly version: string;
  readonly onClose: () => void;
}

function tabsOf({ ref }: TreeItem, isManaged: boolean, hasTerminal: boolean): readonly Tab<Panel>[] {
  const isPod = ref.kind === 'Pod' && (ref.group ?? '') === '';
  return [
    { name: 'live', title: 'Live' },
    ...(isManaged ? [{ name: 'diff', title: 'Diff' } as const, { name: 'git', title: 'Git' } as const] : []),
    { name: 'events', title: 'Events' },
    ...(isPod ? [{ name: 'logs', title: 'Logs' } as const] : []),
    ...(isPod && hasTerminal ? [{ name: 'terminal', title: 'Terminal' } as const] : []),
  ];
}

interface PanelProps {
  readonly app: AppRef;
  readonly application: WireApplication;
  readonly item: TreeItem;
  readonly own: WireManaged | undefined;
  readonly version: string;
}

const PANELS: Record<Panel, (props: PanelProps) => ReactNode> = {
  live: ({ app, item, version }) => <LiveManifest app={app} item={item} version={version} />,
  diff: ({ item, own }) => (
    <DiffText
      before={stateText(own?.normalizedLiveState ?? own?.liveState)}
      after={stateText(own?.predictedLiveState ?? own?.targetState)}
      label={`${item.ref.kind} ${item.ref.name}`}
    />
  ),
  git: ({ own }) => <Code text={stateText(own?.targetState)} label="Manifest in git" hasNumbers />,
  events: ({ app, item: { ref }, version }) => (
    <EventsView
      app={app}
      version={version}
      of={{
        resourceName: ref.name,
        resourceNamespace: ref.namespace ?? '',
        ...(ref.uid === undefined ? {} : { resourceUID: ref.uid }),
      }}
    />
  ),
  terminal: ({ app, application, item }) => (
    <Suspense fallback={null}>
      <TerminalView app={app} project={application.spec.project} pod={item.ref} />
    </Suspense>
  ),
  logs: ({ app, item }) => <PodLog app={app} pod={item.ref} />,
};

/** One object: how it is, what git says, where they differ, its events and logs, and what can be done with it. */
export function ResourceDrawer({ app, id, panel, application, tree, version, onClose }: DrawerProps): ReactNode {
  const item = useMemo(() => findItem(waveColumns(application, tree), id), [application, tree, id]);
  const managed = useLoad<{ readonly items?: readonly WireManaged[] | null }>(
    appPath(app, '/managed-resources'),
    appQuery(app),
    version,
  );
  const own = (managed.value?.items ?? []).find((each) => idOf(each) === id);
  const hasTerminal = useMayExec(app, application);
  if (item === undefined)
    return (
      <Dialog title="Resource" kind="drawer" onClose={onClose}>
        <Empty icon="cluster" title="This resource no longer exists" />
      </Dialog>
    );
  const tabs = tabsOf(item, own !== undefined, hasTerminal);
  const current = tabs.find(({ name }) => name === panel)?.name ?? 'live';
  return (
    <Dialog title={`${item.ref.kind} ${item.ref.name}`} kind="drawer" onClose={onClose}>
      <Summary app={app} item={item} />
      <Tabs
        label="Resource views"
        tabs={tabs}
        current={current}
        onChoose={(name) => {
          setQuery({ panel: name === 'live' ? '' : name }, { replaces: true });
        }}
        panel="resource-panel"
      />
      <div id="resource-panel" role="tabpanel" aria-labelledby={`tab-${current}`} className="panel-body">
        {PANELS[current]({ app, application, item, own, version })}
      </div>
    </Dialog>
  );
}

/** Whether terminals are allowed here, and to whom it is. */
function useMayExec({ name }: AppRef, { spec: { project }, metadata: { namespace = '' } }: WireApplication): boolean {
  const settings = useLoad<{ readonly execEnabled?: boolean; readonly controllerNamespace?: string }>(
    '/api/v1/settings',
  );
  const isOn = settings.value?.execEnabled === true;
  const object =
    namespace === '' || namespace === settings.value?.controllerNamespace
      ? `${project}/${name}`
      : `${project}/${namespace}/${name}`;
  const may = useLoad<{ readonly value?: string }>(
    isOn ? `/api/v1/account/can-i/exec/create/${object.split('/').map(encodeURIComponent).join('/')}` : undefined,
  );
  return isOn && may.value?.value === 'yes';
}

/** The states of managed-resources are JSON, `null` where there is none. */
export function stateText(state: string | undefined): string {
  const value: unknown = JSON.parse(state === undefined || state === '' ? 'null' : state);
  return value === null ? '' : yamlText(value);
}

function Summary({ app, item }: { readonly app: AppRef; readonly item: TreeItem }): ReactNode {
  return (
    <div className="stack-small">
      <div className="app-states">
        {item.health === '' ? null : <Badge state={item.health} />}
        {item.sync === '' ? null : <Badge state={item.sync} />}
        <span className="muted">{item.ref.namespace}</span>
        {item.createdAt === '' ? null : <span className="faint">{ago(item.createdAt)} old</span>}
      </div>
      {item.message === '' ? null : <p className="muted wrap">{item.message}</p>}
      <Actions app={app} item={item} />
    </div>
  );
}

function objectQuery(item: TreeItem): Record<string, string> {
  return {
    namespace: item.ref.namespace ?? '',
    resourceName: item.ref.name,
    version: item.ref.version,
    group: item.ref.group ?? '',
    kind: item.ref.kind,
  };
}

function LiveManifest({
  app,
  item,
  version,
}: {
  readonly app: AppRef;
  readonly item: TreeItem;
  readonly version: string;
}): ReactNode {
  const live = useLoad<{ readonly manifest?: string }>(
    appPath(app, '/resource'),
    appQuery(app, objectQuery(item)),
    version,
  );
  return (
    <Ready loaded={live} what="the object">
      {({ manifest }) => <Code text={manifestText(manifest)} label="Live manifest" hasNumbers />}
    </Ready>
  );
}

/** Who owns which field is told in the diff; here it would be most of the text. */
function manifestText(manifest: string | undefined): string {
  const value = JSON.parse(manifest ?? 'null') as { metadata?: { managedFields?: unknown } } | null;
  if (value?.metadata !== undefined) delete value.metadata.managedFields;
  return value === null ? '' : yamlText(value);
}

interface ActionList {
  readonly actions?:
    | readonly { readonly name: string; readonly displayName?: string; readonly disabled?: boolean }[]
    | null;
}

function Actions({ app, item }: { readonly app: AppRef; readonly item: TreeItem }): ReactNode {
  const actions = useLoad<ActionList>(appPath(app, '/resource/actions'), appQuery(app, objectQuery(item)));
  const [told, setTold] = useState('');
  const run = (action: string): void => {
    if (!confirm(`Run ${action} on ${item.ref.kind} ${item.ref.name}?`)) return;
    setTold('');
    const { namespace = '', resourceName = '', version = '', group = '', kind = '' } = objectQuery(item);
    post(appAddress(app, '/resource/actions/v2'), {
      name: app.name,
      appNamespace: app.namespace,
      namespace,
      resourceName,
      version,
      group,
      kind,
      action,
    })
      .then(() => get(appPath(app), appQuery(app, { refresh: 'normal' })))
      .then(
        () => {
          setTold(`Action ${action} completed.`);
        },
        (error: unknown) => {
          setTold(errorMessage(error));
        },
      );
  };
  const listed = actions.value?.actions ?? [];
  if (listed.length === 0) return null;
  return (
    <div className="names">
      {listed.map(({ name, displayName, disabled }) => (
        <button
          key={name}
          type="button"
          className="button small"
          disabled={disabled === true}
          onClick={() => {
            run(name);
          }}
        >
          {displayName ?? name}
        </button>
      ))}
      {told === '' ? null : (
        <span role="status" className="plain">
          {told}
        </span>
      )}
    </div>
  );
}
