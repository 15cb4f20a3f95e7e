const ATTEMPTS = 3;
/** What a client sees where the server closed the connection before it had this request. */
const CLOSED: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/**
 * Asks again where the connection was closed: a server closes those that were idle for some seconds, and on a busy
 * machine a request may be on its way just then. A server that closes each of them is an error.
 */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS || !isClosed(error)) throw error;
    }
  }
}

function isClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return CLOSED.includes((error as NodeJS.ErrnoException).code) || isClosed(error.cause);
}
