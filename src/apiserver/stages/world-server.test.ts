import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPointer, parseJson, parsePointer, type Json } from '../../model/json/index.js';
import { NO_LOG, plainLogger } from '../../model/logging/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import { startApiServer, type ApiServer } from '../server.js';
import { readWorld } from './read-world.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-world-'));
const world = join(scratch, 'world');
const folder = join(world, 'controllers/images');
const CASES = join(import.meta.dirname, 'cases');
const IMAGES = '/apis/image.openshift.io/v1/namespaces/default';

mkdirSync(folder, { recursive: true });
cpSync(join(CASES, 'crds.yaml'), join(folder, 'crds.yaml'));
cpSync(join(CASES, 'a-view-shows-the-status-of-another-kind/views.yaml'), join(folder, 'views.yaml'));
writeFileSync(
  join(folder, 'subresources.yaml'),
  'follows: nothing\nof: {group: image.openshift.io, kind: ImageStream}\nname: secrets\n' +
    'patch: {metadata: {annotations: {asked: "${self.metadata.name}"}}}\n' +
    'answer: {apiVersion: v1, kind: SecretList, metadata: {}, items: []}\n',
);
writeFileSync(
  join(folder, 'objects.yaml'),
  '{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: images}, data: {depth: "1"}}\n' +
    '---\n{apiVersion: image.openshift.io/v1, kind: ImageStream, metadata: {name: app, namespace: default}}\n',
);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the folder of a world', () => {
  it('may be read in part', async () => {
    mkdirSync(join(world, 'controllers/other'));
    expect((await readWorld(world, ['other'])).map(({ name }) => name)).toEqual(['other']);
    expect((await readWorld(world)).map(({ name }) => name)).toEqual(['images', 'other']);
  });

  it('reports what is wrong with it', async () => {
    await expect(readWorld(world, ['git'])).rejects.toThrow('the world has no controller "git"; it has images, other');
    await expect(readWorld(scratch)).rejects.toThrow('a world has a folder "controllers", and this one cannot be read');
    mkdirSync(join(scratch, 'slip/controllers/a'), { recursive: true });
    writeFileSync(join(scratch, 'slip/controllers/a/stage.yaml'), '');
    await expect(readWorld(join(scratch, 'slip'))).rejects.toThrow('"stage.yaml" is none of them');
  });
});

it('a CRD that the server rejects fails the start with a message', async () => {
  const bad = join(scratch, 'bad/controllers/a');
  mkdirSync(bad, { recursive: true });
  writeFileSync(
    join(bad, 'crds.yaml'),
    '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.example.com}, ' +
      'spec: {group: example.com, scope: Namespaced, names: {plural: b, kind: B}, versions: []}}',
  );
  const start = startApiServer({
    data: join(scratch, 'bad-data'),
    port: 0,
    controllers: false,
    log: NO_LOG,
    world: join(scratch, 'bad'),
  });
  await expect(start).rejects.toThrow(
    /^the kind a\.example\.com is refused: CustomResourceDefinition\.\S+ "a\.example\.com" is invalid/,
  );
});

describe('a server with a world', () => {
  let server: ApiServer;
  const logged: string[] = [];
  const start = async (more: { readonly world?: string }): Promise<void> => {
    server = await startApiServer({
      data: join(scratch, 'data'),
      port: 0,
      controllers: false,
      log: plainLogger((line) => void logged.push(line)),
      ...more,
    });
  };
  beforeAll(() => start({ world }));
  afterAll(() => server.close());

  /** What the administrator's kubeconfig lets one do. */
  async function ask(
    method: string,
    path: string,
    body?: Json,
    accept = 'application/json',
  ): Promise<{ code: number; body: Json }> {
    const config = readOneYaml(readFileSync(server.kubeconfig, 'utf8'), { dialect: 'kubernetes', file: 'kubeconfig' });
    const data = (pointer: string): Buffer => Buffer.from(String(getPointer(config, parsePointer(pointer))), 'base64');
    const options = {
      method,
      ca: data('/clusters/0/cluster/certificate-authority-data'),
      cert: data('/users/0/user/client-certificate-data'),
      key: data('/users/0/user/client-key-data'),
      headers: { accept, 'content-type': 'application/merge-patch+json' },
    };
    return new Promise((resolve, reject) => {
      const call = request(`${server.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        // Where nothing is served, the answer is plain text.
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            body: isJson ? parseJson(Buffer.concat(chunks).toString()) : null,
          }),
        );
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  it('has the kinds of its controllers before it serves requests', async () => {
    expect((await ask('GET', '/api/v1/namespaces/images/configmaps/settings')).body).toMatchObject({
      data: { depth: '1' },
    });
    expect((await ask('GET', `${IMAGES}/imagestreams/app`)).code).toBe(200);
  });

  it('answers a POST to a subresource that it plays, and changes the object', async () => {
    const answer = await ask('POST', `${IMAGES}/imagestreams/app/secrets`, {});
    expect([answer.code, answer.body]).toMatchObject([201, { kind: 'SecretList', items: [] }]);
    expect((await ask('GET', `${IMAGES}/imagestreams/app`)).body).toMatchObject({
      metadata: { annotations: { asked: 'app' } },
    });
    expect((await ask('POST', `${IMAGES}/imagestreams/gone/secrets`, {})).code).toBe(404);
    expect((await ask('GET', `${IMAGES}/imagestreams/app/secrets`)).code).toBe(404);
  });

  it('serves a view as rows, and rejects writes', async () => {
    const tags = [
      {
        tag: 'latest',
        items: [{ created: '2020-01-05T09:00:00Z', image: 'sha256:aa', dockerImageReference: 'app@sha256:aa' }],
      },
    ];
    await ask('PATCH', `${IMAGES}/imagestreams/app/status`, { status: { tags } });
    const watched = await ask(
      'GET',
      `${IMAGES}/imagestreamtags?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dapp:latest`,
      undefined,
    );
    expect(watched.body).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'app:latest' } } });
    const table = await ask(
      'GET',
      `${IMAGES}/imagestreamtags`,
      undefined,
      'application/json;as=Table;v=v1;g=meta.k8s.io',
    );
    expect(table.body).toMatchObject({
      rows: [
        { cells: ['app:latest', 'app@sha256:aa', expect.stringMatching(/^\d+ years ago$/) as string, 'sha256:aa'] },
      ],
    });
    const message =
      'imagestreamtags.image.openshift.io shows what ImageStream objects say and cannot be written; change ' +
      'the ImageStream instead';
    expect(await ask('DELETE', `${IMAGES}/imagestreamtags/app:latest`)).toMatchObject({
      code: 405,
      body: { reason: 'MethodNotAllowed', message },
    });
    expect(await ask('POST', `${IMAGES}/imagestreamtags`, {})).toMatchObject({ code: 405, body: { message } });
  });

  it('keeps what users changed over a restart', async () => {
    await ask('PATCH', '/api/v1/namespaces/images/configmaps/settings', { data: { depth: '2' } });
    await server.close();
    await start({ world });
    expect((await ask('GET', '/api/v1/namespaces/images/configmaps/settings')).body).toMatchObject({
      data: { depth: '2' },
    });
    expect((await ask('GET', `${IMAGES}/imagestreamtags/app:latest`)).code).toBe(200);
    expect(logged).toEqual([]);
  });

  it('drops rows of objects that were deleted while the server was down', async () => {
    await server.close();
    await start({});
    expect((await ask('GET', `${IMAGES}/imagestreamtags`)).code).toBe(404);
    expect((await ask('DELETE', `${IMAGES}/imagestreams/app`)).code).toBe(200);
    await server.close();
    writeFileSync(join(folder, 'objects.yaml'), '');
    await start({ world });
    expect((await ask('GET', `${IMAGES}/imagestreamtags`)).body).toMatchObject({ items: [] });
  });
});
