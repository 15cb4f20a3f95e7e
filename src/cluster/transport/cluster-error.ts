import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type Json, type JsonObject } from '../../model/json/index.js';

/** One reason among several, as the API server lists them for a refused object. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** An error response of the API server: its Status, parsed. */
export class ClusterError extends Fault {
  /** HTTP status. */
  readonly status: number;
  /** Machine-readable word such as NotFound, Conflict, Invalid; empty where the server gave none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** How long the server asks to wait, where it does. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    answer: {
      status: number;
      reason: string;
      message: string;
      causes: readonly StatusCause[];
      retryAfterSeconds: number | undefined;
    },
    where: string,
  ) {
    super('CLUSTER_REFUSED', answer.message, { where });
    this.name = 'ClusterError';
    this.status = answer.status;
    this.reason = answer.reason;
    this.causes = answer.causes;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }

  override get retry(): boolean {
    return this.status === 429 || (this.status >= 500 && !this.isSchemaMismatch);
  }

  /** The object does not fit its schema. The server says so with 500, but asking again gives the same answer. */
  get isSchemaMismatch(): boolean {
    return [
      'failed to create typed patch object',
      'field not declared in schema',
      'unable to convert unstructured object',
    ].some((words) => this.message.includes(words));
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** Somebody else wrote meanwhile: read again, decide again. */
  get isConflict(): boolean {
    return this.status === 409 && this.reason !== 'AlreadyExists';
  }

  get isAlreadyExists(): boolean {
    return this.status === 409 && this.reason === 'AlreadyExists';
  }

  /** A resourceVersion or continue token that the server no longer has. */
  get isExpired(): boolean {
    return this.status === 410 || this.reason === 'Expired' || this.reason === 'Gone';
  }

  /** A resourceVersion that the server has not reached: its storage went back in time. */
  get isVersionTooLarge(): boolean {
    return (
      this.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge') ||
      this.message.includes('Too large resource version')
    );
  }
}

/** A Status object as an error; `status` is the HTTP status, used where the body has no code of its own. */
export function errorOfStatus(
  body: JsonObject,
  status: number,
  where: string,
  retryAfterSeconds?: number,
): ClusterError {
  const details = isObject(body.details) ? body.details : {};
  const asked =
    typeof details.retryAfterSeconds === 'number' && details.retryAfterSeconds > 0
      ? details.retryAfterSeconds
      : undefined;
  return new ClusterError(
    {
      status: typeof body.code === 'number' && body.code >= 400 ? body.code : status,
      reason: textOf(body.reason),
      message: textOf(body.message) || `the server answered ${status}`,
      causes: isArray(details.causes) ? details.causes.filter(isObject).map(causeOf) : [],
      retryAfterSeconds: retryAfterSeconds ?? asked,
    },
    where,
  );
}

function causeOf(cause: JsonObject): StatusCause {
  return { reason: textOf(cause.reason), message: textOf(cause.message), field: textOf(cause.field) };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A connection that could not be made, was cut, timed out, or gave something that is no Kubernetes answer. */
export function unreachable(host: string, what: string, cause?: unknown): Fault {
  return new Fault('CLUSTER_UNREACHABLE', what, { where: host, cause });
}
