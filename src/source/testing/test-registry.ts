import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { openServer, type Handler, type TestServer } from './git-server.js';
import type { Cleanup } from './test-sources.js';

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes that stand for a packed chart. */
export function packedChart(name: string, version: string): Buffer {
  return gzipSync(Buffer.from(`${name} ${version}`));
}

export interface RegistryOptions {
  /** Who may read; all where it is left out. */
  readonly user?: { readonly name: string; readonly password: string };
  /** How the registry asks who it is. */
  readonly ask?: 'basic' | 'token';
  readonly tags?: readonly string[];
  /** Sends other bytes than the manifest names. */
  readonly isForged?: boolean;
  /** Blobs come from here. */
  readonly blobOrigin?: string;
}

/** A small OCI registry with one chart, `charts/app`. */
export async function openRegistry(cleanup: Cleanup, options: RegistryOptions = {}): Promise<TestServer> {
  const tags = options.tags ?? ['1.0.0', '1.2.0', '1.3.0-rc.1', '1.1.0_build.1', 'latest'];
  const state: { origin: string } = { origin: '' };
  const isAllowed = (authorization: string | undefined): boolean => {
    if (options.user === undefined) return true;
    return authorization === (options.ask === 'token' ? 'Bearer good-token' : basicOf(options.user));
  };
  const handler: Handler = (request, response) => {
    const url = new URL(request.url ?? '', 'http://registry');
    if (url.pathname === '/token') {
      const isGood =
        request.headers.authorization === (options.user === undefined ? undefined : basicOf(options.user)) &&
        url.searchParams.get('scope') === 'repository:charts/app:pull';
      response.writeHead(isGood ? 200 : 401).end(JSON.stringify({ token: 'good-token' }));
      return;
    }
    if (!isAllowed(request.headers.authorization)) {
      const ask =
        options.ask === 'token'
          ? `Bearer realm="${state.origin}/token",service="test",scope="repository:charts/app:pull"`
          : 'Basic realm="test"';
      response.writeHead(401, { 'www-authenticate': ask }).end();
      return;
    }
    serve(url, tags, options, response);
  };
  const server = await openServer(cleanup, handler);
  state.origin = server.origin;
  return server;
}

function serve(url: URL, tags: readonly string[], options: RegistryOptions, response: Parameters<Handler>[1]): void {
  if (url.pathname === '/v2/charts/app/tags/list') {
    const last = url.searchParams.get('last');
    const start = last === null ? 0 : tags.indexOf(last) + 1;
    const page = tags.slice(start, start + 2);
    if (start + 2 < tags.length)
      response.setHeader('link', `</v2/charts/app/tags/list?last=${page.at(-1) ?? ''}&n=2>; rel="next"`);
    response.end(JSON.stringify({ name: 'charts/app', tags: page }));
    return;
  }
  const [, kind, reference = ''] = /^\/v2\/charts\/app\/(manifests|blobs)\/(.+)$/.exec(url.pathname) ?? [];
  const charts = new Map(tags.map((tag) => [tag, packedChart('app', tag)]));
  const chart = charts.get(reference);
  if (kind === 'manifests' && chart !== undefined) {
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        layers: [
          {
            mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
            digest: `sha256:${hashOf(chart)}`,
            size: chart.length,
          },
        ],
      }),
    );
    response.setHeader('docker-content-digest', `sha256:${hashOf(manifest)}`);
    response.end(manifest);
    return;
  }
  const blob = [...charts.values()].find((bytes) => `sha256:${hashOf(bytes)}` === reference);
  if (kind !== 'blobs' || blob === undefined) response.writeHead(404).end('{}');
  else if (options.blobOrigin !== undefined)
    response.writeHead(307, { location: `${options.blobOrigin}${url.pathname}` }).end();
  else response.end(options.isForged === true ? Buffer.from('forged') : blob);
}

function basicOf({ name, password }: { readonly name: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
