import { type JsonObject, numberAt, objectAt, objectsAt } from '../../../model/json/index.js';
import { conditionIs, containersOf, type Graph, type Node, UNNAMED } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import type { EventFact } from '../../snapshot/index.js';

/** A container with facts of its spec and status. */
export interface ContainerFact {
  readonly name: string;
  readonly spec: JsonObject;
  readonly path: string;
  readonly isInit: boolean;
  readonly waiting: string;
  readonly message: string;
  /** Reason of its last end, and its exit code. */
  readonly ended: string;
  readonly endMessage: string;
  readonly exitCode: number | undefined;
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly endedAt: number | undefined;
  /** When it began to run, if it runs. */
  readonly startedAt: number | undefined;
  /** How long it ran the last time, in milliseconds. */
  readonly ranFor: number | undefined;
}

export function containerFacts(pod: Node): ContainerFact[] {
  const statuses = new Map(
    [
      ...objectsAt(pod.object, 'status', 'initContainerStatuses'),
      ...objectsAt(pod.object, 'status', 'containerStatuses'),
    ].map((status) => [textAt(status, 'name'), status]),
  );
  return containersOf(objectAt(pod.object, 'spec'), 'spec').map(({ container, path, isInit }) => {
    const status = statuses.get(textAt(container, 'name'));
    const ended = objectAt(status, 'state', 'terminated') ?? objectAt(status, 'lastState', 'terminated');
    const [at, began, started] = [
      textAt(ended, 'finishedAt'),
      textAt(ended, 'startedAt'),
      textAt(status, 'state', 'running', 'startedAt'),
    ].map((text) => (text === '' || Number.isNaN(Date.parse(text)) ? undefined : Date.parse(text)));
    return {
      name: textAt(container, 'name'),
      spec: container,
      path,
      isInit,
      waiting: textAt(status, 'state', 'waiting', 'reason'),
      message: textAt(status, 'state', 'waiting', 'message'),
      ended: textAt(ended, 'reason'),
      endMessage: textAt(ended, 'message'),
      exitCode: numberAt(ended, 'exitCode'),
      isRunning: objectAt(status, 'state', 'running') !== undefined,
      isReady: status?.ready === true,
      restarts: numberAt(status, 'restartCount') ?? 0,
      endedAt: at,
      startedAt: started,
      ranFor: at === undefined || began === undefined ? undefined : at - began,
    };
  });
}

/** The latest event of a reason about a pod. */
export function eventOf(node: Node, graph: Graph, reason: RegExp, message?: RegExp): EventFact | undefined {
  return graph
    .events(node)
    .find((event) => reason.test(event.reason) && (message === undefined || message.test(event.message)));
}

/**
 * Lines of a container's log, those of the previous container first. A pod that is not ready and has no log is taken to
 * say what its sister says that is not ready either: of many replicas people look at one.
 */
export function logLines(pod: Node, graph: Graph, container: string): string[] {
  const source = graph.logs(pod).length > 0 ? pod : (sisterWithLog(pod, graph) ?? pod);
  const logs = graph
    .logs(source)
    .filter((log) => log.container === container || log.container === '' || container === UNNAMED);
  return [...logs.filter(({ previous }) => previous), ...logs.filter(({ previous }) => !previous)].flatMap(
    ({ lines }) => lines,
  );
}

function sisterWithLog(pod: Node, graph: Graph): Node | undefined {
  const owner = conditionIs(pod.object, 'Ready', 'False') ? graph.owner(pod) : undefined;
  if (owner === undefined) return undefined;
  return graph.store
    .children(owner)
    .find((other) => conditionIs(other.object, 'Ready', 'False') && graph.logs(other).length > 0);
}
