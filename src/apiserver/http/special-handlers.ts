import type { JsonObject } from '../../model/json/index.js';
import type { VerbResult, Call, RestContext } from '../rest/index.js';
import type { Body } from './body.js';
import type { Verb } from './request-info.js';
import type { Upgrade } from '../../net/web-socket/index.js';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request to an endpoint that is not plain storage: a review, a binding, a log. */
export interface SpecialCall {
  readonly context: RestContext;
  readonly call: Call;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of a client that asks for another protocol. */
  readonly upgrade?: Upgrade | undefined;
  body(): Promise<Body | undefined>;
}

/** Its answer: an object to send, a kept object, or nothing because the handler wrote the response itself. */
export type SpecialResponse =
  | { readonly code: number; readonly object: JsonObject }
  | { readonly code: number; readonly answer: VerbResult }
  | { readonly code: number; readonly sent: true };

type SpecialHandler = (call: SpecialCall) => Promise<SpecialResponse>;

/** By `group/plural` or `group/plural/subresource`, then by verb. */
export type SpecialHandlers = ReadonlyMap<string, Partial<Record<Verb, SpecialHandler>>>;
