import type { IncomingHttpHeaders } from 'node:http';
import type { ControlServices, TriageService } from '../../control/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Access, Subject } from '../access/index.js';
import type { ApplicationSetCache, ApplicationTexts } from '../applications/index.js';
import type { Answer, LoopDelay } from '../http/index.js';
import type { Fields, Shape, Values } from './shape.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request, read by the shapes of its route. */
export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Of the control plane: applications there are named without it. */
  readonly controlNamespace: string;
}

/**
 * Who may use a route.
 * - `anonymous`: everyone. `signed-in`: everyone with a session.
 * - `application`: the application is found first and the action must be allowed on it; the handler gets it.
 * - `each`: everyone with a session; the answer holds only objects on which `action` is allowed.
 * - otherwise the RBAC object comes from the request.
 */
export type RouteAccess =
  | 'anonymous'
  | 'signed-in'
  | {
      readonly resource: 'applications';
      readonly action: string | ((input: Input) => string);
      readonly object: 'application';
      /** The query parameter with the namespace of the application; `appNamespace` by default. */
      readonly namespaceIn?: 'namespace';
      /** Where the application is named; in the path by default. */
      readonly named?: 'in-query';
      /** What else must be allowed on it. */
      readonly also?: { readonly resource: RbacResource; readonly action: string };
    }
  | { readonly resource: RbacResource; readonly action: string; readonly object: 'each' }
  | {
      readonly resource: RbacResource;
      readonly action: string | ((input: Input) => string);
      readonly object: (input: Input) => string;
    };

/** What routes share for as long as the server runs. */
export interface ServerState {
  /** Of Argosy, such as 1.2.3. */
  readonly version: string;
  readonly routes: readonly Route[];
  readonly applicationTexts: ApplicationTexts;
  readonly applicationSets: ApplicationSetCache;
  readonly triage: TriageService;
  readonly loopDelay: LoopDelay;
  /** Whether webhooks are refused while no secret is set for them. */
  readonly requiresWebhookSecret: boolean;
}

/** A request on its way through a handler. */
export interface Context<P extends string = string, Q extends Fields = Fields, B = unknown> {
  readonly path: Readonly<Record<P, string>>;
  readonly query: Values<Q>;
  readonly body: B;
  readonly subject: Subject;
  readonly services: ControlServices;
  readonly server: ServerState;
  readonly access: Access;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came, for routes that check signatures. */
  readonly rawBody: Buffer;
  /** Aborted when the client is gone or the server closes. */
  readonly signal: AbortSignal;
  /** The address of the server as the client names it, such as http://localhost:8080. */
  readonly origin: string;
  /** Of the client, by the connection. */
  readonly remoteAddress: string;
  /** Of routes with the access `application`. */
  readonly application: KubeObject;
  /** Whether the subject may; for what only the handler knows. */
  may(resource: RbacResource, action: string, object: string): boolean;
  /** Throws Argo CD's permission error if the subject may not. */
  must(resource: RbacResource, action: string, object: string): void;
}

/** One row of the route table, as tests and the OpenAPI document read it. */
export interface Route {
  readonly method: Method;
  /** With names in braces, such as `/api/v1/applications/{name}`; `{name=**}` takes all that follows. */
  readonly path: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Groups routes in the OpenAPI document. */
  readonly tag: string;
  readonly access: RouteAccess;
  readonly query: Fields;
  readonly body: Shape<unknown> | undefined;
  /** Bytes; 4 MiB by default. */
  readonly bodyLimit: number;
  /** The body is not JSON: the handler gets it as it came. */
  readonly takesRawBody: boolean;
  /** Answers with a stream of objects. */
  readonly streams: boolean;
  handle(context: Context): Promise<Answer> | Answer;
}

interface RouteOptions<P extends string, Q extends Fields, B> {
  readonly summary: string;
  readonly tag: string;
  readonly access: RouteAccess;
  readonly query?: Q;
  readonly body?: Shape<B>;
  readonly bodyLimit?: number;
  readonly takesRawBody?: boolean;
  readonly streams?: boolean;
  handle(context: Context<P, Q, B>): Promise<Answer> | Answer;
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}=**` ? Plain : Name) | Names<Rest>
  : never;

const BODY_LIMIT = 4 * 1024 * 1024;

export function route<Path extends string, Q extends Fields = Fields, B = JsonObject>(
  method: Method,
  path: Path,
  options: RouteOptions<Names<Path>, Q, B>,
): Route {
  const {
    summary,
    tag,
    access,
    query = {},
    body,
    bodyLimit = BODY_LIMIT,
    takesRawBody = false,
    streams = false,
    handle,
  } = options;
  // The shapes decide what a handler is given, so the types agree by construction.
  return {
    method,
    path,
    summary,
    tag,
    access,
    query,
    body,
    bodyLimit,
    takesRawBody,
    streams,
    handle: (context) => handle(context as unknown as Context<Names<Path>, Q, B>),
  };
}
