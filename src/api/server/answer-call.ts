import { randomUUID } from 'node:crypto';
import { ApiError, apiErrorOf, type Answer } from '../http/index.js';
import { OK, readCall, sendCall, statusOf, timeoutOf, type RpcCall } from '../rpc/index.js';
import { dispatch } from './dispatch.js';
import { mustBeOurHost, schemeOf, type RoutedOptions } from './options.js';
import { RequestAudit } from './request-audit.js';

const LATE = new ApiError('DeadlineExceeded', 'context deadline exceeded');

/** Answers one call of a service: the route that it is decides and handles, as for REST. */
export async function answerCall(call: RpcCall, options: RoutedOptions, closing: AbortSignal): Promise<void> {
  const id = randomUUID();
  const gone = new AbortController();
  const abort = (): void => {
    gone.abort();
  };
  call.onGone(abort);
  closing.addEventListener('abort', abort, { once: true });
  const deadline = startDeadline(call, gone);
  const headers = withToken(call.headers);
  const { path } = call;
  const audit = new RequestAudit(
    options.services.audit,
    { method: 'POST', headers },
    { id, address: call.remoteAddress },
  );
  try {
    mustBeOurHost(headers.host, options);
    const method = options.methods.find(path);
    audit.matched({ route: method.first.route, path: {} });
    const given: Answer = await dispatch(
      method.first.route,
      {
        method: 'POST',
        path,
        headers,
        signal: gone.signal,
        isUpgrade: false,
        audit,
        remoteAddress: call.remoteAddress,
        origin: `${schemeOf(options)}://${headers.host ?? ''}`,
        read: (share) => readCall(call, method, share),
      },
      options,
    );
    await audit.answered(given);
    if (call.isGone) return;
    await sendCall(given, call, method, gone.signal);
    // A stream that our signal ended has not come to its end.
    if (deadline.isOver()) throw LATE;
    if (closing.aborted) throw new ApiError('Unavailable', 'the server is shutting down');
    call.end(OK);
  } catch (error) {
    await audit.failed(error);
    endWith(error, call, `request ${id} ${path}`, options, deadline.isOver());
  } finally {
    deadline.clear();
    closing.removeEventListener('abort', abort);
  }
}

/** Clients of Argo CD send their token as metadata of that name. */
function withToken(headers: RpcCall['headers']): RpcCall['headers'] {
  const { token } = headers;
  return typeof token === 'string' && token !== '' ? { ...headers, authorization: `Bearer ${token}` } : headers;
}

interface Deadline {
  isOver(): boolean;
  clear(): void;
}

/** The client says how long it waits; then it is told so, as by every gRPC server. */
function startDeadline({ headers }: RpcCall, gone: AbortController): Deadline {
  const timeout = timeoutOf(headers['grpc-timeout']?.toString());
  if (timeout === undefined) return { isOver: () => false, clear: () => undefined };
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    gone.abort();
  }, timeout);
  timer.unref();
  return {
    isOver: () => isOver,
    clear: () => {
      clearTimeout(timer);
    },
  };
}

/** A defect goes to the log with the id of the request; the client gets only the id. */
function endWith(error: unknown, call: RpcCall, what: string, { log }: RoutedOptions, isLate: boolean): void {
  const known = isLate ? LATE : apiErrorOf(error);
  if (known === undefined) log.error(what, { error });
  call.end(statusOf(known ?? new ApiError('Internal', `internal error: see ${what} in the server log`)));
}
