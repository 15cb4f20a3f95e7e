import { STATUS_CODES } from 'node:http';
import { Fault, faultText, FAULTS } from '../../model/faults/index.js';
import { ClusterError } from '../../control/index.js';

/** Words of gRPC, as Argo CD's gateway gives them: the number in the body, and the HTTP status. */
const CODES = {
  Canceled: [1, 408],
  Unknown: [2, 500],
  InvalidArgument: [3, 400],
  DeadlineExceeded: [4, 504],
  NotFound: [5, 404],
  AlreadyExists: [6, 409],
  PermissionDenied: [7, 403],
  ResourceExhausted: [8, 429],
  FailedPrecondition: [9, 400],
  Aborted: [10, 409],
  OutOfRange: [11, 400],
  Unimplemented: [12, 501],
  Internal: [13, 500],
  Unavailable: [14, 503],
  Unauthenticated: [16, 401],
} as const satisfies Record<string, readonly [number, number]>;

/** Not signed in, not allowed, by an unknown host name, too often. */
const REFUSALS: readonly number[] = [401, 403, 421, 429];

export type GrpcCode = keyof typeof CODES;

/** An error response. The message says what happened and what to do. */
export class ApiError extends Error {
  /** Of the answer. */
  readonly status: number;

  constructor(
    readonly code: GrpcCode,
    message: string,
    options: {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
      /** A refusal that looks like something else to whoever may not know what is there. */
      readonly isRefusal?: boolean;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.status = options.status ?? CODES[code][1];
    this.headers = options.headers ?? {};
    this.isRefusal = options.isRefusal ?? REFUSALS.includes(this.status);
  }

  /** The sender may not, rather than cannot. */
  readonly isRefusal: boolean;

  readonly headers: Readonly<Record<string, string>>;

  /** As Argo CD's gateway writes it. */
  get body(): { readonly error: string; readonly code: number; readonly message: string } {
    return { error: this.message, code: CODES[this.code][0], message: this.message };
  }

  /** The same in the middle of a stream. */
  get streamed(): {
    readonly grpc_code: number;
    readonly http_code: number;
    readonly message: string;
    readonly http_status: string;
  } {
    return {
      grpc_code: CODES[this.code][0],
      http_code: this.status,
      message: this.message,
      http_status: STATUS_CODES[this.status] ?? '',
    };
  }
}

/** How any other failure is reported to a client. Undefined: a defect, whose details stay in the log. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof ClusterError) return new ApiError(codeOfStatus(error), error.message, { cause: error });
  if (!(error instanceof Fault)) return undefined;
  return new ApiError(codeOfFault(error), faultText(error), { cause: error });
}

function codeOfStatus(error: ClusterError): GrpcCode {
  if (error.isAlreadyExists) return 'AlreadyExists';
  switch (error.status) {
    case 400:
    case 405:
    case 413:
    case 415:
    case 422:
      return 'InvalidArgument';
    case 401:
    case 403:
      return 'PermissionDenied';
    case 404:
      return 'NotFound';
    case 409:
      return 'Aborted';
    case 410:
      return 'OutOfRange';
    case 429:
      return 'ResourceExhausted';
    default:
      return 'Unavailable';
  }
}

const BY_FAULT: Partial<Record<keyof typeof FAULTS, GrpcCode>> = {
  APPLICATION_UNKNOWN: 'NotFound',
  NOTEBOOK_UNKNOWN: 'NotFound',
  KIND_UNKNOWN: 'NotFound',
  REVISION_UNKNOWN: 'NotFound',
  CHART_UNKNOWN: 'NotFound',
  PATH_MISSING: 'NotFound',
  ACTION_UNKNOWN: 'NotFound',
  OPERATION_REFUSED: 'FailedPrecondition',
  COMPARISON_FAILED: 'FailedPrecondition',
  WAIT_TIMED_OUT: 'DeadlineExceeded',
  STORE_WRITE: 'Unavailable',
  SERVER_ENDED: 'Unavailable',
  CLUSTER_UNREACHABLE: 'Unavailable',
  SOURCE_UNREACHABLE: 'FailedPrecondition',
  TOOL_MISSING: 'FailedPrecondition',
  GPG_MISSING: 'FailedPrecondition',
};

function codeOfFault({ code }: Fault): GrpcCode {
  return BY_FAULT[code] ?? 'InvalidArgument';
}
