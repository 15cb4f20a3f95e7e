import { afterEach, describe, expect, it } from 'vitest';
import { startRegistry, type Registry, type RegistryOptions } from './registry.js';

let registry: Registry;
afterEach(() => registry.close());

const OPTIONS: RegistryOptions = {
  images: ['ameideio/transformation:dev', 'library/nginx:1.27', 'library/nginx:1.28'],
  private: ['ameideio/transformation'],
  users: [{ name: 'robot', password: 'ghp_1' }],
};

/** As a container runtime does it: ask, follow the challenge, ask again. */
async function pull(
  image: string,
  options: { readonly user?: string; readonly method?: string } = {},
): Promise<Response> {
  const [repository = '', tag = ''] = image.split(/[:@](?=[^/]*$)/);
  const address =
    `${registry.url}/v2/${repository}/manifests/` + (image.includes('@') ? image.slice(image.indexOf('@') + 1) : tag);
  const first = await fetch(address, { method: options.method ?? 'GET' });
  const challenge = first.headers.get('www-authenticate') ?? '';
  const part = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? '';
  const token = await fetch(
    `${part('realm')}?service=${part('service')}&scope=${encodeURIComponent(part('scope'))}`,
    options.user === undefined
      ? {}
      : { headers: { authorization: `Basic ${Buffer.from(options.user).toString('base64')}` } },
  );
  if (!token.ok) return token;
  const { token: bearer } = (await token.json()) as { token: string };
  return fetch(address, { method: options.method ?? 'GET', headers: { authorization: `Bearer ${bearer}` } });
}

describe('image registry', () => {
  it('gives manifests by tag and by digest, and their blobs', async () => {
    registry = await startRegistry(OPTIONS);
    const byTag = await pull('library/nginx:1.27');
    const digest = byTag.headers.get('docker-content-digest') ?? '';
    expect([byTag.status, byTag.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.docker.distribution.manifest.v2+json',
    ]);
    expect(await byTag.json()).toMatchObject({ schemaVersion: 2, layers: [{ size: expect.any(Number) as number }] });
    const head = await pull(`library/nginx@${digest}`, { method: 'HEAD' });
    expect([head.status, head.headers.get('docker-content-digest'), await head.text()]).toEqual([200, digest, '']);
  });

  it('knows no tag that nobody pushed, until somebody does', async () => {
    registry = await startRegistry(OPTIONS);
    const missing = await pull('library/nginx:main');
    expect([missing.status, await missing.json()]).toEqual([
      404,
      { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'manifest unknown', detail: { Tag: 'main' } }] },
    ]);
    registry.push('library/nginx:main');
    expect((await pull('library/nginx:main')).status).toBe(200);
  });

  it('asks strangers at private repositories who they are', async () => {
    registry = await startRegistry(OPTIONS);
    const first = await fetch(`${registry.url}/v2/ameideio/transformation/manifests/dev`);
    expect(first.headers.get('www-authenticate')).toBe(
      `Bearer realm="${registry.url}/token",service="${new URL(registry.url).host}` +
        '",scope="repository:ameideio/transformation:pull"',
    );
    expect((await pull('ameideio/transformation:dev')).status).toBe(401);
    expect((await pull('ameideio/transformation:dev', { user: 'robot:ghp_0' })).status).toBe(401);
    expect((await pull('ameideio/transformation:dev', { user: 'robot:ghp_1' })).status).toBe(200);
  });

  it('refuses at the manifest where it is like Docker Hub', async () => {
    registry = await startRegistry({ ...OPTIONS, style: 'docker' });
    const denied = await pull('ameideio/transformation:dev');
    expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="insufficient_scope"'),
    ]);
    expect(await denied.json()).toMatchObject({
      errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }],
    });
  });

  it('counts pulls, and says so when there are none left', async () => {
    registry = await startRegistry(OPTIONS);
    registry.limitPulls(1);
    const good = await pull('library/nginx:1.27');
    expect([good.status, good.headers.get('ratelimit-limit'), good.headers.get('ratelimit-remaining')]).toEqual([
      200,
      '100;w=21600',
      '0;w=21600',
    ]);
    const refused = await pull('library/nginx:1.27');
    expect([refused.status, refused.headers.get('docker-ratelimit-source')]).toEqual([429, '127.0.0.1']);
    expect(await refused.json()).toEqual({
      errors: [
        {
          code: 'TOOMANYREQUESTS',
          message: 'You have reached your unauthenticated pull rate limit. https://www.docker.com/increase-rate-limit',
        },
      ],
    });
    expect((await pull('library/nginx:1.27', { method: 'HEAD' })).status).toBe(200);
    expect((await pull('library/nginx:1.27', { user: 'robot:ghp_1' })).status).toBe(200);
    registry.limitPulls(undefined);
    expect((await pull('library/nginx:1.27')).status).toBe(200);
  });

  it('lists tags page by page', async () => {
    registry = await startRegistry(OPTIONS);
    const { token } = (await (await fetch(`${registry.url}/token?scope=repository:library/nginx:pull`)).json()) as {
      token: string;
    };
    const list = (query: string): Promise<Response> =>
      fetch(`${registry.url}/v2/library/nginx/tags/list${query}`, { headers: { authorization: `Bearer ${token}` } });
    const page = await list('?n=1');
    expect([await page.json(), page.headers.get('link')]).toEqual([
      { name: 'library/nginx', tags: ['1.27'] },
      '</v2/library/nginx/tags/list?last=1.27&n=1>; rel="next"',
    ]);
    expect(await (await list('?n=1&last=1.27')).json()).toEqual({ name: 'library/nginx', tags: ['1.28'] });
  });
});
