import type { Answer } from '../http/answer.js';
import type { Access, Subject } from './access.js';

/** Milliseconds after which a stream ends at the latest when its listener may no longer listen. */
const LOOK_EVERY = 2000;

/**
 * What an answer owes to who gets it: a stream ends when the session does, or the right to it; a session that ends soon is replaced by a new
 * one while it is used.
 */
export function guarded(answer: Answer, subject: Subject, access: Access, isStillAllowed: () => boolean): Answer {
  if (answer.kind === 'stream') return { ...answer, feed: (outlet) => watched(outlet.signal, async () => isStillAllowed() && await access.isStillValid(subject), (signal) => answer.feed({ ...outlet, signal })) };
  if (subject.renewed === undefined || answer.kind === 'raw' || answer.headers?.['set-cookie'] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'set-cookie': subject.renewed } };
}

async function watched(client: AbortSignal, mayGoOn: () => Promise<boolean>, feed: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const over = new AbortController();
  const end = (): void => { over.abort(); };
  client.addEventListener('abort', end);
  if (client.aborted) end();
  // Who cannot be asked about is not served on.
  const timer = setInterval(() => { void mayGoOn().catch(() => false).then((may) => { if (!may) end(); }); }, LOOK_EVERY);
  timer.unref();
  try {
    await feed(over.signal);
  } finally {
    clearInterval(timer);
    client.removeEventListener('abort', end);
  }
}
