import type { IncomingHttpHeaders } from 'node:http';
import type { ControlServices, TriageService } from '../../control/index.js';
import type { AuditEntry } from '../../audit/index.js';
import type { RbacResource } from '../../model/rbac/index.js';
import type { JsonObject } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Access, Authoriser, ObjectKind, Subject } from '../access/index.js';
import type { ApplicationSetCache, ApplicationTexts } from '../applications/index.js';
import type { LoopDelay } from '../../net/loop-delay/index.js';
import type { Answer } from '../http/index.js';
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

/** The control plane as handlers see it: what writes is the authoriser's. */
export interface ReadServices
  extends Pick<
    ControlServices,
    | 'namespace'
    | 'clock'
    | 'projects'
    | 'repositories'
    | 'clusters'
    | 'settings'
    | 'pods'
    | 'notebooks'
    | 'inspections'
    | 'metricsText'
    | 'report'
    | 'audit'
    | 'readiness'
  > {
  readonly cluster: Pick<ControlServices['cluster'], 'get' | 'list'>;
  readonly applications: Omit<ControlServices['applications'], 'change' | 'recordWrite'>;
  readonly resources: Omit<ControlServices['resources'], 'destination'>;
}

type Action = string | ((input: Input) => string);

/**
 * What a request ends on, and what must be allowed there. A route without it does not compile.
 * - `anonymous`, `signed-in`: nothing but the caller's own session, or what everybody may know.
 * - `application`: an Application; the handler gets it as `application`.
 * - `each`: the objects of a kind for which it is allowed, one by one.
 * - `find`: one that exists; the handler gets it as `object`.
 * - `describe`: one that the request describes, such as a new one; the handler gets it as `object`.
 */
export type RouteAccess<T = unknown> =
  | 'anonymous'
  | 'signed-in'
  | {
      readonly resource: 'applications';
      readonly action: Action;
      readonly object: 'application';
      /** The query parameter with the namespace of the application; `appNamespace` by default. */
      readonly namespaceIn?: 'namespace';
      /** Where the application is named; in the path by default, or in the first message of a stream. */
      readonly named?: 'in-query' | 'in-stream';
      /** What else must be allowed on it. */
      readonly also?: { readonly resource: RbacResource; readonly action: string };
    }
  | { readonly each: ObjectKind<never>; readonly action: string }
  | {
      readonly kind: ObjectKind<NoInfer<T>>;
      readonly action: Action;
      /** Undefined where there is none. */
      readonly find: (input: Input, services: ReadServices) => T | undefined | Promise<T | undefined>;
      /** What the request names: who may there learns that it is absent. Without it nobody does. */
      readonly named?: (input: Input) => T;
      /**
       * The same where the request does not say what it would be: who may one of these learns that it is absent, and
       * the same of one that is there but not for them.
       */
      readonly couldBe?: (input: Input, services: ReadServices) => readonly T[];
      /** What they are told. */
      readonly absent?: (input: Input) => string;
    }
  | {
      readonly kind: ObjectKind<NoInfer<T>>;
      readonly action: Action;
      readonly describe: (input: Input, subject: Subject) => T;
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

/** What a handler adds to the audit record of its request. */
export type AuditNote = Partial<
  Pick<AuditEntry, 'user' | 'verb' | 'resource' | 'object' | 'decision' | 'result' | 'revision' | 'message'>
>;

/** A request on its way through a handler. */
export interface Context<P extends string = string, Q extends Fields = Fields, B = unknown, T = unknown> {
  readonly path: Readonly<Record<P, string>>;
  readonly query: Values<Q>;
  readonly body: B;
  readonly subject: Subject;
  readonly services: ReadServices;
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
  /** Of routes that `find` or `describe` one. */
  readonly object: T;
  /** Decides on further objects, and writes. */
  readonly authoriser: Authoriser;
  readonly audit: {
    /** For the record of this request. */
    note(note: AuditNote): void;
    /** A record of its own, for what happens after the answer. */
    later(verb: string, message: string): void;
  };
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
  /** The body is one JSON value after another; `body` reads them as a list. */
  readonly takesStream: boolean;
  /** The body is not JSON: the handler gets it as it came. */
  readonly takesRawBody: boolean;
  /** Answers with a stream of objects. */
  readonly streams: boolean;
  /** A request is recorded whether or not it was refused; all but GET unless the route says otherwise. */
  readonly changes: boolean;
  handle(context: Context): Promise<Answer> | Answer;
}

interface RouteOptions<P extends string, Q extends Fields, B, T> {
  readonly summary: string;
  readonly tag: string;
  readonly access: RouteAccess<T>;
  readonly query?: Q;
  readonly body?: Shape<B>;
  readonly bodyLimit?: number;
  readonly takesStream?: boolean;
  readonly takesRawBody?: boolean;
  readonly streams?: boolean;
  readonly changes?: boolean;
  handle(context: Context<P, Q, B, T>): Promise<Answer> | Answer;
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Plain}=**` ? Plain : Name) | Names<Rest>
  : never;

const BODY_LIMIT = 4 * 1024 * 1024;

export function route<Path extends string, Q extends Fields = Fields, B = JsonObject, T = unknown>(
  method: Method,
  path: Path,
  options: RouteOptions<Names<Path>, Q, B, T>,
): Route {
  const {
    summary,
    tag,
    access,
    query = {},
    body,
    bodyLimit = BODY_LIMIT,
    takesStream = false,
    takesRawBody = false,
    streams = false,
    changes = method !== 'GET',
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
    takesStream,
    takesRawBody,
    streams,
    changes,
    handle: (context) => handle(context as unknown as Context<Names<Path>, Q, B, T>),
  };
}
