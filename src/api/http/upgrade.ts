import type { Upgrade, WebSocket } from '../../net/web-socket/index.js';
import type { Answer, MessageSocket } from './answer.js';
import { ApiError } from './api-error.js';

/** How much a client may leave unread, in bytes. */
const MAX_UNREAD_BYTES = 1 << 20;
/** Milliseconds between two questions whether a client is still there. */
const HEARTBEAT = 15_000;

export async function answerUpgrade(
  answer: Extract<Answer, { kind: 'socket' }>,
  upgrade: Upgrade,
  gone: AbortController,
): Promise<void> {
  if (upgrade.handshakeError !== undefined) throw new ApiError('InvalidArgument', upgrade.handshakeError);
  const opened = await upgrade.accept();
  // Until somebody listens.
  opened.pause();
  opened.on('error', () => {
    opened.terminate();
  });
  opened.once('close', () => {
    gone.abort();
  });
  const stopHeart = keepAlive(opened);
  try {
    await answer.hold(messageSocket(opened), gone.signal);
    opened.close(1000);
  } catch (error) {
    opened.close(1011, 'internal error: see the server log');
    throw error;
  } finally {
    stopHeart();
    // One that does not say goodbye is not waited for.
    setTimeout(() => {
      opened.terminate();
    }, 1000).unref();
  }
}

function keepAlive(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) socket.terminate();
    isAlive = false;
    socket.ping();
  }, HEARTBEAT);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

function messageSocket(socket: WebSocket): MessageSocket {
  const waiting = new Set<() => void>();
  const release = (): void => {
    if (socket.bufferedAmount > MAX_UNREAD_BYTES && socket.readyState === socket.OPEN) return;
    for (const each of waiting) each();
    waiting.clear();
  };
  socket.once('close', release);
  return {
    send: (text) => {
      if (socket.readyState === socket.OPEN) socket.send(text, release);
    },
    get isFull() {
      return socket.bufferedAmount > MAX_UNREAD_BYTES;
    },
    drained: () =>
      socket.bufferedAmount > MAX_UNREAD_BYTES && socket.readyState === socket.OPEN
        ? new Promise((resolve) => {
            waiting.add(resolve);
          })
        : Promise.resolve(),
    onMessage: (take) => {
      socket.on('message', (message: Buffer) => {
        take(message.toString('utf8'));
      });
      socket.resume();
    },
    close: (reason) => {
      socket.close(1008, reason);
    },
  };
}
