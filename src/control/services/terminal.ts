import type { Clock, Cluster, ExecEnd, ExecSession } from '../../cluster/index.js';
import { Fault } from '../../model/faults/index.js';
import { isObject, objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ResourceService } from './resource-service.js';
import type { ResourceNode } from './resource-tree.js';
import { watchPod } from './watch-pod.js';
import { PODS } from '../../model/resources/index.js';

/** Which container somebody wants to step into. */
export interface TerminalRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** One of those that the settings allow; empty for the first that is there. */
  readonly shell: string;
}

export interface Terminal extends Pick<ExecSession, 'write' | 'resize' | 'pause' | 'resume' | 'close'> {
  /** Resolves with why it is over. */
  readonly ended: Promise<string>;
}

/** A shell that shows nothing for so long, in milliseconds, is one that does so. */
const SILENCE_TIMEOUT = 2000;
/** Exit codes of a shell that could not be started. */
const NOT_STARTED = [126, 127, 128];

/** Starts the shell; `take` gets what it shows. */
export type StartShell = (take: (bytes: Buffer) => void) => Promise<Terminal>;

interface ShellContext {
  readonly resources: ResourceService;
  /** Those that the settings allow. */
  readonly shells: readonly string[];
  readonly clock: Clock;
}

/** What starts a shell in a container of an application. A Fault says why there can be none, in Argo CD's words. */
export async function findShell(
  context: ShellContext,
  application: KubeObject,
  request: TerminalRequest,
): Promise<StartShell> {
  const { shells, resources } = context;
  if (request.shell !== '' && !shells.includes(request.shell))
    throw rejected(`shell ${JSON.stringify(request.shell)} is not allowed: exec.shells has ${shells.join(', ')}`);
  const node = (await resources.tree(application)).nodes.find(
    ({ kind, group = '', namespace = '', name, uid }) =>
      kind === 'Pod' && group === '' && name === request.pod && namespace === request.namespace && uid !== undefined,
  );
  if (node === undefined) throw rejected("Pod doesn't belong to specified app");
  const { cluster } = await resources.destination(application);
  const pod = await cluster.get(PODS, { namespace: request.namespace, name: request.pod });
  if (pod?.metadata.uid !== node.uid) throw rejected('Cannot find pod');
  if (textAt(pod ?? {}, 'status', 'phase') !== 'Running') throw rejected('Pod not running');
  if (!containersOf(pod).includes(request.container)) throw rejected('Cannot find container');
  return (take) =>
    startShell(
      context,
      { cluster, node, request: request, shells: request.shell === '' ? shells : [request.shell] },
      take,
    );
}

interface ShellTarget {
  readonly cluster: Cluster;
  readonly node: Pick<ResourceNode, 'namespace' | 'name' | 'uid'>;
  readonly request: TerminalRequest;
  readonly shells: readonly string[];
}

async function startShell(context: ShellContext, place: ShellTarget, take: (bytes: Buffer) => void): Promise<Terminal> {
  const watch = watchPod(context.resources, place.cluster, place.node);
  try {
    const session = await firstShell(context, place, take);
    watch.gone.addEventListener('abort', () => {
      session.close();
    });
    const ended = session.ended
      .then(({ message }) => (watch.gone.aborted ? 'the pod no longer exists' : message))
      .finally(() => {
        watch.stop();
      });
    return {
      write: (text) => {
        session.write(text);
      },
      resize: (columns, rows) => {
        session.resize(columns, rows);
      },
      pause: () => {
        session.pause();
      },
      resume: () => {
        session.resume();
      },
      close: () => {
        session.close();
      },
      ended,
    };
  } catch (error) {
    watch.stop();
    throw error;
  }
}

function rejected(message: string): Fault {
  return new Fault('VALUE_INVALID', message);
}

function containersOf(pod: KubeObject | undefined): string[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(pod ?? {}, 'spec', list).map((container) => (isObject(container) ? textAt(container, 'name') : '')),
  );
}

/**
 * A shell that runs has something to show; one that ends before that, because it is not there, gives way to the next.
 */
async function firstShell(
  context: ShellContext,
  { cluster, request: { namespace, pod, container }, shells }: ShellTarget,
  take: (bytes: Buffer) => void,
): Promise<ExecSession> {
  let last: ExecEnd = { exitCode: undefined, message: 'exec.shells allows no shell' };
  for (const shell of shells) {
    const buffered: Buffer[] = [];
    let show = (bytes: Buffer): void => {
      buffered.push(bytes);
    };
    let speaks: () => void = () => undefined;
    const spoke = new Promise<void>((resolve) => {
      speaks = resolve;
    });
    const session = await cluster.exec({ namespace, pod, container, command: [shell] }, (bytes) => {
      show(bytes);
      speaks();
    });
    const stop = context.clock.after(SILENCE_TIMEOUT, () => {
      speaks();
    });
    const end = await Promise.race([session.ended, spoke.then(() => undefined)]);
    stop();
    if (end === undefined || (end.exitCode !== undefined && !NOT_STARTED.includes(end.exitCode))) {
      for (const bytes of buffered) take(bytes);
      show = take;
      return session;
    }
    last = end;
  }
  throw rejected(`no shell could be started: ${last.message}`);
}
