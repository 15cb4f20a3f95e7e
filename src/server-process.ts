import type { ServerOptions } from './cli/index.js';
import { contain } from './contain.js';
import { startEmbeddedServer } from './embedded-server.js';
import { Fault, type FaultCode } from './model/faults/index.js';
import { createLogger } from './model/logging/index.js';

Reflect.deleteProperty(Object.prototype, '__proto__');

/** What the parent says: the first message starts the server, the second one ends it. */
export type ToServer =
  | { readonly start: Omit<ServerOptions, 'log'>; readonly version: string; readonly isAfterCrash: boolean }
  | { readonly stop: true };

/** What the server says to its parent. */
export type FromServer =
  | { readonly is: 'up'; readonly url: string; readonly kubeconfig: string }
  | { readonly is: 'failed'; readonly message: string; readonly code?: FaultCode; readonly where?: string }
  | { readonly is: 'asked to stop' };

/**
 * The embedded cluster as a process of its own, so that delivery has a processor for itself. It lives as long as its
 * parent.
 */
function serve(): void {
  let stop: () => Promise<void> = () => Promise.resolve();
  // The parent is gone, however it went. What is stored is whole at every moment, so nothing is left to do.
  process.on('disconnect', () => process.exit(1));
  // A terminal tells both processes, and the parent must stop delivery first.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => {
    sendToParent({ is: 'asked to stop' });
  });
  process.on('message', (message: ToServer) => {
    if ('stop' in message) {
      void stop().then(() => process.exit(0));
      return;
    }
    const log = createLogger({
      ...message.start.logSettings,
      now: Date.now,
      write: (line) => void process.stderr.write(line),
    });
    const contained = contain(message.start.data, 'server', log.child({ room: 'apiserver' }), message.isAfterCrash);
    startEmbeddedServer({ ...message.start, log }, message.version).then(
      (server) => {
        stop = async () => {
          await server.close();
          contained.close();
        };
        sendToParent({ is: 'up', url: server.url, kubeconfig: server.kubeconfig });
      },
      (error: unknown) => {
        sendToParent({
          is: 'failed',
          message: error instanceof Error ? error.message : String(error),
          ...(error instanceof Fault ? { code: error.code, where: error.where } : {}),
        });
      },
    );
  });
}

function sendToParent(message: FromServer): void {
  // A parent that is gone hears nothing, and that it is gone is told in its own way.
  process.send?.(message, undefined, undefined, () => undefined);
}

serve();
