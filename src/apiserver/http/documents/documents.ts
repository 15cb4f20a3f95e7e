import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../model/json/index.js';
import { resourceNotFound } from '../../errors/index.js';
import type { TypeCatalog } from '../../resources/index.js';
import { Discovery } from './discovery.js';
import { sendHealth } from '../health.js';
import { ROUTES, checkRoute, negotiate, plainOnly, type Format } from '../negotiate.js';
import { OPENAPI_V2_PROTOBUF, OpenApiV2 } from './openapi-v2.js';
import { OpenApiV3 } from './openapi-v3.js';
import { sendObject } from '../respond.js';
import type { Store } from '../../store/index.js';

type DocumentHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Everything that is served and is no resource: discovery, OpenAPI, version and health. */
export class Documents {
  readonly #discovery: Discovery;
  readonly #v2: OpenApiV2;
  readonly #v3: OpenApiV3;

  readonly #store: Pick<Store, 'failure' | 'checkWritable'>;

  constructor(types: TypeCatalog, store: Pick<Store, 'failure' | 'checkWritable'>) {
    this.#store = store;
    this.#discovery = new Discovery(types);
    this.#v2 = new OpenApiV2(types);
    this.#v3 = new OpenApiV3(types);
  }

  /** Answers a request, or returns false where there is no such document. */
  answer(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): boolean {
    if (path === '/version' || path === '/version/') checkRoute(request.headers.accept, ROUTES.version);
    if (sendHealth(response, path, query, this.#store)) return true;
    const parts = path.split('/').filter((part) => part !== '');
    const [root = '', second = '', third = '', ...rest] = parts;
    if (rest.length > 0 && root !== 'openapi') return false;
    const found = this.#routes(root, second, third, path)(request, response);
    const known = root === 'api' || (root === 'apis' && third !== '' && this.#discovery.group(second) !== undefined);
    if (!found && known) throw resourceNotFound();
    return found;
  }

  #routes(root: string, second: string, third: string, path: string): DocumentHandler {
    if (root === 'openapi' && second === 'v2') return this.#openApiV2;
    if (root === 'openapi') return second === 'v3' ? this.#openApiV3(path) : nothing;
    if (root === 'api' && third === '')
      return second === '' ? this.#root('api') : this.#plain(() => this.#discovery.resourceList('', second));
    if (root !== 'apis') return root === '' ? this.#plain(() => this.#paths()) : nothing;
    if (second === '') return this.#root('apis');
    return this.#plain(() =>
      third === '' ? this.#discovery.group(second) : this.#discovery.resourceList(second, third),
    );
  }

  /** `/api` and `/apis`, aggregated where the client can read that. */
  #root(root: 'api' | 'apis'): DocumentHandler {
    return (request, response) => {
      checkRoute(request.headers.accept, ROUTES.object);
      const format = negotiate(request.headers.accept, discoveryForms);
      if (format.as === '') {
        const address = request.headers.host ?? '';
        return send(
          response,
          format,
          root === 'api' ? this.#discovery.apiVersions(address) : this.#discovery.groupList(),
        );
      }
      const { body, etag, contentType } = this.#discovery.aggregated(root, format.version === 'v2' ? 'v2' : 'v2beta1');
      if (unchanged(request, response, etag)) return true;
      response.setHeader('vary', 'Accept');
      return sendBytes(response, contentType, JSON.stringify(body));
    };
  }

  #plain(find: () => JsonObject | undefined): DocumentHandler {
    return (request, response) => {
      const document = find();
      if (document === undefined) return false;
      checkRoute(request.headers.accept, ROUTES.object);
      return send(response, negotiate(request.headers.accept, plainOnly), document);
    };
  }

  #openApiV3(path: string): DocumentHandler {
    return (request, response) => {
      const below = path.replace(/^\/openapi\/v3\/?/, '');
      if (below === '') return sendBytes(response, 'text/plain; charset=utf-8', JSON.stringify(this.#v3.index()));
      const document = this.#v3.document(below);
      if (document === undefined) return false;
      return unchanged(request, response, document.etag) || sendBytes(response, 'application/json', document.text);
    };
  }

  readonly #openApiV2: DocumentHandler = (request, response) => {
    if ((request.headers.accept ?? '').includes(OPENAPI_V2_PROTOBUF.asked)) {
      const { bytes, etag } = this.#v2.protobuf();
      return unchanged(request, response, etag) || sendBytes(response, OPENAPI_V2_PROTOBUF.given, bytes);
    }
    const { text, etag } = this.#v2.document();
    return unchanged(request, response, etag) || sendBytes(response, 'application/json', text);
  };

  #paths(): JsonObject {
    const groups = this.#discovery.groupList()['groups'];
    const below = Array.isArray(groups) ? groups.flatMap((group) => groupPaths(group as GroupRow)) : [];
    return {
      paths: [
        '/.well-known/openid-configuration',
        '/api',
        '/api/v1',
        '/apis',
        ...below,
        '/healthz',
        '/livez',
        '/openapi/v2',
        '/openapi/v3',
        '/openapi/v3/',
        '/readyz',
        '/version',
      ],
    };
  }
}

type GroupRow = { name: string; versions: { groupVersion: string }[] };

function groupPaths({ name, versions }: GroupRow): string[] {
  return [`/apis/${name}`, ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`)];
}

function discoveryForms(format: Format): boolean {
  if (format.as === '') return true;
  return (
    format.as === 'APIGroupDiscoveryList' &&
    format.group === 'apidiscovery.k8s.io' &&
    ['v2', 'v2beta1'].includes(format.version)
  );
}

function nothing(): boolean {
  return false;
}

function unchanged(request: IncomingMessage, response: ServerResponse, etag: string): boolean {
  response.setHeader('etag', etag);
  response.setHeader('cache-control', 'public');
  if (request.headers['if-none-match'] !== etag) return false;
  response.statusCode = 304;
  response.end();
  return true;
}

function sendBytes(response: ServerResponse, contentType: string, body: string | Uint8Array): true {
  response.setHeader('content-type', contentType);
  response.end(body);
  return true;
}

function send(response: ServerResponse, format: Format, document: JsonObject): true {
  sendObject({ response, format, pretty: false, warnings: [] }, 200, document);
  return true;
}
