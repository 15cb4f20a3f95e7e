import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RunningServer, ServerOptions, ServerProcess } from './cli/index.js';
import { Fault } from './model/faults/index.js';
import type { FromServer, ToServer } from './server-process.js';

const PROGRAM = new URL('./server-process.js', import.meta.url);

/** Starts the embedded cluster as a child process; resolves when it answers requests. Its log goes where ours goes. */
export async function spawnServer({ log: _, ...start }: ServerOptions, version: string): Promise<ServerProcess> {
  const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const tell = (message: ToServer): void => {
    if (child.connected) child.send(message);
  };
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const stop = async (): Promise<void> => {
    tell({ stop: true });
    await exit;
  };
  const ended = new Promise<void>((resolve, reject) => {
    child.on('message', (message: FromServer) => {
      if (message.is === 'asked to stop') resolve();
    });
    void exit.then(([code, signal]) => {
      reject(new Fault('SERVER_ENDED', `the embedded cluster exited unexpectedly (${signal ?? `exit code ${code}`})`));
    });
  });
  // Whoever waits for it hears it; after an ordinary stop nobody does.
  ended.catch(() => undefined);
  const isUp = new Promise<Pick<RunningServer, 'url' | 'kubeconfig'>>((resolve, reject) => {
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
  tell({ start, version });
  try {
    const { url, kubeconfig } = await Promise.race([
      isUp,
      ended.then(() => {
        throw new Fault('SERVER_ENDED', 'the embedded cluster was asked to stop before it was up');
      }),
    ]);
    return { url, kubeconfig, untilEnded: () => ended, close: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
