import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { RunningServer, ServerOptions, ServerProcess } from './cli/index.js';
import { Fault } from './model/faults/index.js';
import type { FromServer, ToServer } from './server-process.js';

const PROGRAM = new URL('./server-process.js', import.meta.url);
/** How often a server that died of itself is started again. */
const MAX_RESTARTS = 3;
const WINDOW = 10 * 60_000;
/** Somebody, or the system, ended it: what it worked on has not killed it. */
const ENDED_FROM_OUTSIDE = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGTERM', 'SIGINT']);

type Start = Omit<ServerOptions, 'log'>;
type Exit = readonly [code: number | null, signal: NodeJS.Signals | null];

/**
 * Starts the embedded cluster as a child process; resolves when it answers requests. Its log goes where ours goes. One
 * that dies of itself is started again on the same port, within a budget.
 */
export async function spawnServer({ log, ...start }: ServerOptions, version: string): Promise<ServerProcess> {
  const restarts: number[] = [];
  const state = { isStopping: false };
  const isStopping = (): boolean => state.isStopping;
  const listeners: (() => void)[] = [];
  let port = start.port;
  const startAgain = async ([code, signal]: Exit): Promise<StartedServer> => {
    const how = signal ?? `exit code ${code}`;
    const fault = new Fault('SERVER_ENDED', `the embedded cluster exited unexpectedly (${how})`);
    while ((restarts[0] ?? Infinity) < Date.now() - WINDOW) restarts.shift();
    if (restarts.length >= MAX_RESTARTS) throw fault;
    restarts.push(Date.now());
    log.error(`it is started again, ${restarts.length} of ${MAX_RESTARTS} times in ten minutes`, { error: fault });
    const next = await startOne({ ...start, port }, version, !ENDED_FROM_OUTSIDE.has(signal));
    return 'died' in next ? await startAgain(next.died) : next;
  };
  const first = await startOne(start, version, false);
  let server = 'died' in first ? await startAgain(first.died) : first;
  const { url, kubeconfig } = server;
  port = Number(new URL(url).port);
  const ended = new Promise<void>((resolve, reject) => {
    const follow = (current: StartedServer): void => {
      void current.askedToStop.then(resolve);
      current.exit
        .then(async (exit) => {
          if (isStopping()) return;
          server = await startAgain(exit);
          if (isStopping()) await server.stop();
          else {
            follow(server);
            for (const listener of listeners) listener();
          }
        })
        .catch(reject);
    };
    follow(server);
  });
  // Whoever waits for it hears it; after an ordinary stop nobody does.
  ended.catch(() => undefined);
  return {
    url,
    kubeconfig,
    untilEnded: () => ended,
    onRestart: (listener) => void listeners.push(listener),
    close: async () => {
      state.isStopping = true;
      await server.stop();
    },
  };
}

interface StartedServer extends Pick<RunningServer, 'url' | 'kubeconfig'> {
  readonly exit: Promise<Exit>;
  readonly askedToStop: Promise<void>;
  stop(): Promise<void>;
}

/** Fails where the server says why it cannot start; one that dies instead may be tried again. */
async function startOne(
  start: Start,
  version: string,
  isAfterCrash: boolean,
): Promise<StartedServer | { readonly died: Exit }> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const stop = async (): Promise<void> => {
    send(child, { stop: true });
    await exit;
  };
  const askedToStop = new Promise<void>((resolve) => {
    child.on('message', (message: FromServer) => {
      if (message.is === 'asked to stop') resolve();
    });
  });
  const isUp = untilUp(child);
  send(child, { start, version, isAfterCrash });
  try {
    const up = await Promise.race([
      isUp,
      exit.then((died) => ({ died })),
      askedToStop.then(() => {
        throw new Fault('SERVER_ENDED', 'the embedded cluster was asked to stop before it was up');
      }),
    ]);
    return 'died' in up ? up : { ...up, exit, askedToStop, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function send(child: ChildProcess, message: ToServer): void {
  if (child.connected) child.send(message);
}

function untilUp(child: ChildProcess): Promise<Pick<RunningServer, 'url' | 'kubeconfig'>> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: FromServer) => {
      if (message.is === 'up') resolve(message);
      if (message.is === 'failed')
        reject(
          message.code === undefined
            ? new Error(message.message)
            : new Fault(message.code, message.message, { where: message.where ?? '' }),
        );
    });
  });
}
