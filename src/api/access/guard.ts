import type { Answer, MessageSocket } from '../http/index.js';
import type { Access, Subject } from './access.js';

/** Milliseconds after which a stream ends at the latest when its client may no longer get it. */
const RECHECK_INTERVAL = 2000;

export interface Guard {
  readonly subject: Subject;
  readonly access: Access;
  /** Whether the policies still allow it. */
  isAllowed(): boolean;
  after(milliseconds: number, act: () => void): () => void;
}

/**
 * Ends a stream with the session or with the right to it: at the next message, and at the latest after
 * RECHECK_INTERVAL. Renews a session that ends soon while it is used.
 */
export function guardAnswer(answer: Answer, guard: Guard): Answer {
  const { renewed } = guard.subject;
  if (answer.kind === 'stream') {
    return {
      ...answer,
      ...(renewed === undefined ? {} : { headers: { ...answer.headers, 'set-cookie': renewed } }),
      feed: (outlet) =>
        runWhileAllowed(outlet.signal, guard, (signal, isOver) =>
          answer.feed({ ...outlet, signal, send: (text) => (signal.aborted || isOver() ? true : outlet.send(text)) }),
        ),
    };
  }
  if (answer.kind === 'socket') {
    return {
      ...answer,
      hold: (socket, client) =>
        runWhileAllowed(client, guard, async (signal, isOver) => {
          const mayGoOn = (): boolean => !signal.aborted && !isOver();
          const watchedSocket: MessageSocket = {
            ...socket,
            get isFull() {
              return socket.isFull;
            },
            send: (text) => {
              if (mayGoOn()) socket.send(text);
            },
            onMessage: (take) => {
              socket.onMessage((text) => {
                if (mayGoOn()) take(text);
              });
            },
          };
          await answer.hold(watchedSocket, signal);
          if (!client.aborted && signal.aborted) socket.close('the session has ended, or access was revoked');
        }),
    };
  }
  if (answer.kind === 'raw')
    return {
      ...answer,
      write: (response, signal) => {
        if (renewed !== undefined) response.setHeader('set-cookie', renewed);
        return runWhileAllowed(signal, guard, (over) => Promise.resolve(answer.write(response, over)));
      },
    };
  return renewed === undefined || answer.headers?.['set-cookie'] !== undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'set-cookie': renewed } };
}

async function runWhileAllowed(
  client: AbortSignal,
  guard: Guard,
  act: (signal: AbortSignal, isOver: () => boolean) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const stop = (): void => {
    over.abort();
  };
  const isOver = (): boolean => {
    if (guard.isAllowed() && !guard.access.isKnownExpired(guard.subject)) return false;
    stop();
    return true;
  };
  client.addEventListener('abort', stop);
  if (client.aborted) stop();
  let cancel: () => void = () => undefined;
  const scheduleCheck = (): void => {
    cancel = guard.after(RECHECK_INTERVAL, () => {
      // If validity cannot be checked, end the stream.
      const isValid = isOver() ? Promise.resolve(false) : guard.access.isStillValid(guard.subject).catch(() => false);
      void isValid.then((may) => {
        if (may) scheduleCheck();
        else stop();
      });
    });
  };
  scheduleCheck();
  over.signal.addEventListener(
    'abort',
    () => {
      cancel();
    },
    { once: true },
  );
  try {
    await act(over.signal, isOver);
  } finally {
    stop();
    client.removeEventListener('abort', stop);
  }
}
