import { StringDecoder } from 'node:string_decoder';
import { type StartShell } from '../../../control/index.js';
import { Fault } from '../../../model/faults/index.js';
import { objectIn } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import { type Answer, type MessageSocket, ApiError } from '../../http/index.js';
import { route, type Context, type ReadServices, type Route, text } from '../../route/index.js';
import { TAG } from './parameters.js';

type Terminal = Awaited<ReturnType<StartShell>>;

const QUERY = {
  appName: text(),
  appNamespace: text("The namespace of the Application; the control plane's by default."),
  projectName: text(),
  namespace: text('Of the pod.'),
  pod: text(),
  container: text(),
  shell: text('One of exec.shells; the first that exists by default.'),
};
const ACCESS = {
  resource: 'applications',
  action: 'get',
  object: 'application',
  named: 'in-query',
  also: { resource: 'exec', action: 'create' },
} as const;
/** As names of pods, containers and namespaces are. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * A shell in a container, as Argo CD's page speaks with it: each message is `{operation: stdin|resize|stdout, data,
 * rows, cols}`.
 */
export const TERMINAL_ROUTES: readonly Route[] = [
  route('GET', '/terminal', {
    summary: 'A shell in a container of an application, over a WebSocket.',
    tag: TAG,
    access: ACCESS,
    query: QUERY,
    streams: true,
    changes: true,
    handle: async ({
      application,
      services,
      audit,
      query: { pod = '', container = '', namespace = '', shell = '' },
    }) => {
      if (!services.settings.current.terminal.isEnabled)
        throw new ApiError(
          'NotFound',
          'terminals are disabled: an administrator can enable them with exec.enabled in argocd-cm',
        );
      for (const [what, name] of Object.entries({ pod, container, namespace }))
        if (!NAME.test(name))
          throw new ApiError('InvalidArgument', `the name of the ${what} is ${name === '' ? 'missing' : 'not valid'}`);
      return openTerminal(
        services,
        application,
        await services.pods.findShell(application, { pod, container, namespace, shell }),
        audit,
      );
    },
  }),
];

function openTerminal(
  services: ReadServices,
  application: KubeObject,
  start: StartShell,
  audit: Context['audit'],
): Answer {
  return {
    kind: 'socket',
    hold: async (socket, signal) => {
      const decoder = new StringDecoder('utf8');
      const typed = new TypedInput();
      socket.onMessage((message) => {
        typed.take(message);
      });
      let terminal: Terminal | undefined;
      try {
        terminal = await start((bytes) => {
          sendOutput(socket, decoder.write(bytes));
          applyBackpressure(socket, terminal);
        });
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        sendOutput(socket, `${error.message}\r\n`);
        audit.later('close', error.message);
        return;
      }
      const reason = await runTerminal(terminal, {
        socket,
        signal,
        typed,
        onDeleted: (gone) =>
          services.applications.onChange((change) => {
            if (change.type === 'deleted' && change.old.metadata.uid === application.metadata.uid) gone();
          }),
      });
      audit.later('close', reason);
    },
  };
}

interface TerminalSession {
  readonly socket: MessageSocket;
  readonly signal: AbortSignal;
  readonly typed: TypedInput;
  /** Calls when the application is gone; gives what ends that. */
  readonly onDeleted: (gone: () => void) => () => void;
}

/** Gives why it is over. */
async function runTerminal(terminal: Terminal, { socket, signal, typed, onDeleted }: TerminalSession): Promise<string> {
  const close = (): void => {
    terminal.close();
  };
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  const stopWatching = onDeleted(close);
  typed.listen((message) => {
    handleMessage(terminal, message);
  });
  try {
    const reason = await terminal.ended;
    if (reason !== '') sendOutput(socket, `\r\n${reason}\r\n`);
    return reason;
  } finally {
    stopWatching();
    signal.removeEventListener('abort', close);
  }
}

/** What somebody types before there is a shell is kept for it. */
class TypedInput {
  #kept: string[] = [];
  #listener: ((message: string) => void) | undefined;

  take(message: string): void {
    if (this.#listener !== undefined) this.#listener(message);
    else if (this.#kept.length < MAX_KEPT) this.#kept.push(message);
  }

  listen(listener: (message: string) => void): void {
    for (const message of this.#kept) listener(message);
    this.#kept = [];
    this.#listener = listener;
  }
}

/** Messages. */
const MAX_KEPT = 100;

function sendOutput(socket: MessageSocket, data: string): void {
  if (data !== '') socket.send(JSON.stringify({ operation: 'stdout', data }));
}

/** A client that does not read holds back the program, not our memory. */
function applyBackpressure(socket: MessageSocket, terminal: Terminal | undefined): void {
  if (!socket.isFull || terminal === undefined) return;
  terminal.pause();
  void socket.drained().then(() => {
    terminal.resume();
  });
}

/** What is no message is no input. */
function handleMessage(terminal: Terminal, message: string): void {
  const { operation, data, cols, rows } = objectIn(message);
  if (operation === 'stdin' && typeof data === 'string') terminal.write(data);
  else if (operation === 'resize' && isSize(cols) && isSize(rows)) terminal.resize(cols, rows);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 10_000;
}
