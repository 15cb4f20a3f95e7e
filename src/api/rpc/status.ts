import type { ApiError } from '../http/index.js';

/** How a call ends; 0 is well. */
export interface RpcStatus {
  readonly code: number;
  readonly message: string;
}

export const OK: RpcStatus = { code: 0, message: '' };
/** Of what is sent. Proxies take headers of 4 KiB, and texts of errors may quote what was sent. */
const MAX_MESSAGE_LENGTH = 3000;

export function statusOf({ body: { code, message } }: ApiError): RpcStatus {
  return { code, message };
}

/** As headers or trailers. Everything but printable ASCII is escaped, as gRPC has it. */
export function trailersOf({ code, message }: RpcStatus): Readonly<Record<string, string>> {
  return {
    'grpc-status': String(code),
    ...(message === '' ? {} : { 'grpc-message': escape(message) }),
  };
}

function escape(message: string): string {
  let out = '';
  for (const character of message) {
    const escaped = PLAIN.test(character) ? character : escapeBytes(character);
    if (out.length + escaped.length > MAX_MESSAGE_LENGTH) break;
    out += escaped;
  }
  // Blanks at the ends of a header are no part of it.
  return out.replace(/^ | $/g, '%20');
}

const PLAIN = /^[ -$&-~]$/;

function escapeBytes(character: string): string {
  let out = '';
  for (const byte of Buffer.from(character)) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return out;
}

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
/** Longer than this a timer cannot wait. */
const MAX_WAIT = 2 ** 31 - 1;

/** Milliseconds that the client gives a call; undefined for as long as it takes. */
export function timeoutOf(header: string | undefined): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(header ?? '') ?? [];
  if (digits === '') return undefined;
  return Math.min(Math.ceil(Number(digits) * (UNITS[unit] ?? 1)), MAX_WAIT);
}
