import { useEffect, useRef, useState, type ReactNode } from 'react';
import { errorMessage } from '../http/client';
import type { WireNode, WireTree } from '../http/wire';
import { ContainerSelect } from '../parts/container-select';
import { Icon } from '../parts/icon';
import { Empty } from '../parts/notice';
import { setQuery } from '../parts/route';
import { readLog, type LogLine } from './log-stream';
import { appPath, appQuery, type AppRef } from '../http/application-path';
import { useContainers } from '../http/use-containers';

const MAX_LINES = 5000;

/** Logs of the pods of an application. */
export function LogsView({
  app,
  tree,
  query,
}: {
  readonly app: AppRef;
  readonly tree: WireTree | undefined;
  readonly query: URLSearchParams;
}): ReactNode {
  const pods = (tree?.nodes ?? [])
    .filter(({ kind, group = '' }) => kind === 'Pod' && group === '')
    .toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  const pod = pods.find(({ name }) => name === query.get('pod')) ?? pods[0];
  if (pod === undefined)
    return (
      <Empty icon="cluster" title="No pods">
        This application has no pods.
      </Empty>
    );
  return (
    <>
      <div className="filters">
        <select
          className="select wide-select"
          aria-label="Pod"
          value={pod.name}
          onChange={(event) => {
            setQuery({ pod: event.target.value }, { replaces: true });
          }}
        >
          {pods.map(({ name, health }) => (
            <option key={name} value={name}>
              {name}
              {health?.status === undefined || health.status === 'Healthy' ? '' : ` (${health.status})`}
            </option>
          ))}
        </select>
      </div>
      <PodLog key={pod.name} app={app} pod={pod} />
    </>
  );
}

/** Pods that are not well come first: their logs are what people look for. */
function rank({ health }: WireNode): number {
  return health?.status === 'Healthy' ? 1 : 0;
}

/** The end of a log, and every line that comes after it. */
export function PodLog({
  app,
  pod,
}: {
  readonly app: AppRef;
  readonly pod: { readonly name: string; readonly namespace?: string };
}): ReactNode {
  const containers = useContainers(app, pod);
  const [chosen, setChosen] = useState('');
  const [isPrevious, setPrevious] = useState(false);
  const [search, setSearch] = useState('');
  const container = chosen === '' ? (containers[0] ?? '') : chosen;
  const { lines, problem, isOver } = useLog(app, pod, container, isPrevious);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element !== null && element.scrollHeight - element.scrollTop - element.clientHeight < 200)
      element.scrollTop = element.scrollHeight;
  }, [lines]);
  const shown =
    search === '' ? lines : lines.filter(({ content }) => content.toLowerCase().includes(search.toLowerCase()));
  return (
    <>
      <div className="filters">
        <ContainerSelect containers={containers} chosen={container} onChoose={setChosen} />
        <label className="search">
          <span className="sr-only">Filter logs</span>
          <Icon name="search" />
          <input
            type="search"
            value={search}
            placeholder="Filter logs…"
            onChange={(event) => {
              setSearch(event.target.value);
            }}
          />
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={isPrevious}
            onChange={(event) => {
              setPrevious(event.target.checked);
            }}
          />
          <span>Previous container</span>
        </label>
        <span className="faint" role="status">
          {shown.length} {shown.length === 1 ? 'line' : 'lines'}
          {isOver ? '' : ', live'}
        </span>
      </div>
      <div className="log" ref={box} tabIndex={0} role="log" aria-label={`Log of ${pod.name}`} aria-live="off">
        {problem === '' ? null : <div className="is-bad">{problem}</div>}
        {shown.map((line, index) => (
          <div key={index} className={/\b(error|fatal|panic|exception)\b/i.test(line.content) ? 'is-bad' : undefined}>
            {line.time === '' ? null : <time>{line.time.slice(11, 19)}</time>}
            {line.content}
          </div>
        ))}
        {shown.length === 0 && problem === '' ? (
          <div>{isOver ? 'The log is empty.' : 'Waiting for the first line…'}</div>
        ) : null}
      </div>
    </>
  );
}

function useLog(
  app: AppRef,
  pod: { readonly name: string; readonly namespace?: string },
  container: string,
  isPrevious: boolean,
): { readonly lines: readonly LogLine[]; readonly problem: string; readonly isOver: boolean } {
  const [state, setState] = useState<{
    readonly lines: readonly LogLine[];
    readonly problem: string;
    readonly isOver: boolean;
  }>({ lines: [], problem: '', isOver: false });
  useEffect(() => {
    if (container === '') return;
    const abort = new AbortController();
    setState({ lines: [], problem: '', isOver: false });
    const query = appQuery(app, {
      podName: pod.name,
      namespace: pod.namespace,
      container,
      tailLines: 500,
      follow: !isPrevious,
      ...(isPrevious ? { previous: true } : {}),
    });
    readLog(
      appPath(app, '/logs'),
      query,
      (lines) => {
        setState((before) => ({ ...before, lines: [...before.lines, ...lines].slice(-MAX_LINES) }));
      },
      abort.signal,
    ).then(
      () => {
        setState((before) => ({ ...before, isOver: true }));
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, problem: errorMessage(error), isOver: true }));
      },
    );
    return () => {
      abort.abort();
    };
  }, [app.name, app.namespace, pod.name, pod.namespace, container, isPrevious]);
  return state;
}
