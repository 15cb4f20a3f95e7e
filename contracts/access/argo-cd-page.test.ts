import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArgoCdPage } from '../../src/api/http/argo-cd-page.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const PAGE =
  '<html><head><base href="/"><title>Argo CD</title></head><script defer src="extensions.js"></script></html>';

describe.skipIf(missing !== undefined)(`Argo CD's page at /ui/${missing === undefined ? '' : ` (${missing})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'argosy-ui-'));
  let lab: AccessLab;
  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${lab.url}${path}`, { redirect: 'manual', ...init });

  beforeAll(async () => {
    mkdirSync(join(folder, 'page/assets'), { recursive: true });
    mkdirSync(join(folder, 'extensions/resources'), { recursive: true });
    writeFileSync(join(folder, 'page/index.html'), PAGE);
    writeFileSync(join(folder, 'page/main.1.js'), 'main()');
    writeFileSync(join(folder, 'page/assets/argo.svg'), '<svg/>');
    writeFileSync(join(folder, 'extensions/extension-a.js'), 'a()');
    writeFileSync(join(folder, 'extensions/resources/extension-b.js'), 'b(');
    writeFileSync(join(folder, 'extensions/other.js'), 'canary-other()');
    lab = await AccessLab.open({
      controllers: 'none',
      webFolder: join(import.meta.dirname, '../../dist/web'),
      argoCdPage: { folder: join(folder, 'page'), extensions: join(folder, 'extensions') },
    });
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is served for every path of its own, with its base there', async () => {
    expect((await get('/ui')).headers.get('location')).toBe('/ui/');
    for (const path of ['/ui/', '/ui/applications', '/ui/applications/argocd/web.example', '/ui/settings/repos']) {
      const answer = await get(path);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, PAGE.replace('"/"', '"/ui/"')]);
    }
    expect(await (await get('/ui/main.1.js')).text()).toBe('main()');
    const picture = await get('/ui/assets/argo.svg');
    expect([picture.status, picture.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    expect((await get('/ui/none.js')).status).toBe(404);
    expect((await get('/ui/%2e%2e/%2e%2e/etc/passwd')).status).not.toBe(500);
  });

  it('has its extensions in one script, and a policy of its own', async () => {
    const extensions = await get('/ui/extensions.js');
    const script = await extensions.text();
    expect([extensions.headers.get('content-type'), script.includes('a()'), script.includes('canary')]).toEqual([
      'text/javascript; charset=utf-8',
      true,
      false,
    ]);
    expect(script.match(/try \{/g)).toHaveLength(2);
    const policy = (await get('/ui/')).headers.get('content-security-policy') ?? '';
    expect([policy.includes("script-src 'self'"), policy.includes("style-src 'self' 'unsafe-inline'")]).toEqual([
      true,
      true,
    ]);
    const ours = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(ours).not.toContain('unsafe-inline');
  });

  it('finds the API below its own address, with the same access', async () => {
    expect((await get('/ui/api/version')).status).toBe(200);
    expect((await get('/ui/api/v1/applications')).status).toBe(401);
    const token = await lab.token();
    const answer = await get('/ui/api/v1/applications?name=none', { headers: { authorization: `Bearer ${token}` } });
    expect([answer.status, await answer.json()]).toMatchObject([200, { metadata: {} }]);
    expect((await get('/ui/api/v1/nothing')).status).toBe(404);
  });

  it('is refused at the start where there is no build', () => {
    expect(() => new ArgoCdPage({ folder: join(folder, 'extensions') })).toThrow('no index.html');
    expect(() => new ArgoCdPage({ folder: join(folder, 'page'), extensions: join(folder, 'x') })).toThrow(
      'is not a folder',
    );
  });
});
