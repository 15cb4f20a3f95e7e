import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMessage } from '../../src/api/rpc/write-message.js';
import { ARGO_CD_VERSION } from '../../src/model/argo/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { frameOf, nativeClient, webClient, type RpcClient } from '../harness/rpc-client.js';
import { ApiLab } from './api-lab.js';
import { Chance } from './chance.js';
import { sendCalls } from './grpc-mutations.js';

/** `npm run prove -- grpc-mutations` sends more. */
const CALLS_AT_RANDOM = 400;
const missing = embeddedMissing();
const [LIST, GET] = ['application.ApplicationService/List', 'application.ApplicationService/Get'];

describe.skipIf(missing !== undefined)(`gRPC${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: ApiLab;
  const clients = new Map<string, RpcClient>();

  beforeAll(async () => {
    lab = await ApiLab.open();
    clients.set('gRPC-Web', webClient(lab.url)).set('gRPC', nativeClient(lab.url));
    lab.commit({ 'web/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { a: b }\n' });
  });
  afterAll(async () => {
    for (const client of clients.values()) client.close();
    await lab.close();
  });

  describe.each(['gRPC-Web', 'gRPC'])('over %s', (kind) => {
    const call: RpcClient['call'] = (method, message, options = {}) => {
      const client = clients.get(kind);
      if (client === undefined) throw new Error(`there is no client for ${kind}`);
      return client.call(method, message, { token: lab.token, ...options });
    };

    it('says its version to anybody, and everything else to who signed in', async () => {
      const version = await call('version.VersionService/Version', {}, { token: '' });
      expect(version).toMatchObject({ code: 0, messages: [{ Version: `${ARGO_CD_VERSION}+argosy` }] });
      expect(await call(LIST, {}, { token: '' })).toEqual({
        code: 16,
        message: 'no session information',
        messages: [],
      });
      const wrong = await call('session.SessionService/Create', { username: 'admin', password: 'x' }, { token: '' });
      expect(wrong).toMatchObject({ code: 16, message: 'Invalid username or password' });
      const session = await call(
        'session.SessionService/Create',
        { username: 'admin', password: lab.password },
        { token: '' },
      );
      expect(session.messages[0]?.token).toMatch(/^eyJ/);
      expect(await call(LIST)).toMatchObject({ code: 0, messages: [{ metadata: {} }] });
      const bearer = { authorization: `Bearer ${lab.token}` };
      expect(await call(LIST, {}, { token: '', headers: bearer })).toMatchObject({ code: 0 });
      // Its package is not that of its folder.
      const settings = await call('cluster.SettingsService/Get', {}, { token: '' });
      expect(settings).toMatchObject({ code: 0, messages: [{ appLabelKey: 'app.kubernetes.io/instance' }] });
    });

    it('creates, watches and deletes an application', async () => {
      const name = `web-${kind.toLowerCase()}`;
      const application = {
        metadata: { name },
        spec: {
          project: 'default',
          source: { repoURL: `file://${lab.repository}`, path: 'web' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        },
      };
      const created = await call('application.ApplicationService/Create', { application });
      expect(created).toMatchObject({ code: 0, messages: [{ metadata: { name } }] });
      const seen = await call('application.ApplicationService/Watch', { name }, { take: 1 });
      expect(seen).toMatchObject({ code: 0 });
      expect(seen.messages[0]).toMatchObject({ type: 'ADDED', application: { metadata: { name } } });
      expect(await call(GET, { name, refresh: 'normal' })).toMatchObject({
        messages: [{ spec: { project: 'default' } }],
      });
      const manifests = await call('application.ApplicationService/GetManifests', { name });
      expect(manifests).toMatchObject({
        code: 0,
        messages: [{ manifests: [expect.stringContaining('ConfigMap') as string] }],
      });
      expect(await call('application.ApplicationService/Delete', { name, cascade: false })).toMatchObject({ code: 0 });
    });

    it('gives errors with the codes and texts of REST', async () => {
      expect(await call(GET, { name: 'none' })).toEqual({ code: 7, message: 'permission denied', messages: [] });
      expect(await call(GET, { name: 'none', project: ['default'] })).toEqual({
        code: 5,
        message: 'applications.argoproj.io "none" not found',
        messages: [],
      });
      expect(await call('project.ProjectService/Get', { name: '%ü' })).toMatchObject({
        code: 5,
        message: expect.stringContaining('%ü') as string,
      });
    });

    it.each([
      ['half a frame', Buffer.from([0, 0, 0]), {}, 13, /unexpected EOF/],
      ['less than it says', Buffer.from([0, 0, 0, 0, 9, 1]), {}, 13, /unexpected EOF/],
      ['no message', Buffer.alloc(0), {}, 13, /no message/],
      ['two messages', Buffer.concat([frameOf(Buffer.alloc(0)), frameOf(Buffer.alloc(0))]), {}, 13, /more than one/],
      ['a flag nobody knows', frameOf(Buffer.alloc(0), 7), {}, 13, /payload format/],
      ['no protobuf', frameOf(Buffer.from([0xff, 0xff])), {}, 13, /error unmarshalling request/],
      ['compressed, without saying how', frameOf(gzipSync('x'), 1), {}, 13, /compressed flag set/],
      ['another compression', frameOf(Buffer.alloc(1), 1), { 'grpc-encoding': 'snappy' }, 12, /Decompressor/],
      ['broken compression', frameOf(Buffer.alloc(9), 1), { 'grpc-encoding': 'gzip' }, 13, /failed to decompress/],
      ['a bomb', frameOf(gzipSync(Buffer.alloc(9_000_000)), 1), { 'grpc-encoding': 'gzip' }, 8, /larger than max/],
    ])('refuses %s', async (_, frames, headers, code, message) => {
      expect(await call(GET, {}, { frames, headers })).toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
      expect(lab.isRunning).toBe(true);
    });

    it('reads what is compressed, and keeps the time that a client gives it', async () => {
      const frames = frameOf(gzipSync(writeMessage({ name: 'none' }, 'application.ApplicationQuery')), 1);
      expect(await call(GET, {}, { frames, headers: { 'grpc-encoding': 'gzip' } })).toMatchObject({ code: 7 });
      const late = await call('application.ApplicationService/Watch', {}, { headers: { 'grpc-timeout': '50m' } });
      expect(late).toMatchObject({ code: 4, message: 'context deadline exceeded' });
    });
  });

  it('refuses what is too much', async () => {
    const frames = frameOf(Buffer.alloc(5_000_000));
    const refused = await clients.get('gRPC')?.call(GET, {}, { frames, token: lab.token });
    expect(refused).toMatchObject({ code: 8, message: expect.stringMatching(/larger than/) as string });
  });

  it('answers malformed calls with a code, and the process keeps running', async () => {
    const { wrong, counts } = await sendCalls(lab, new Chance(28), CALLS_AT_RANDOM);
    expect(wrong).toEqual([]);
    expect(Object.keys(counts).length).toBeGreaterThan(4);
    expect(lab.isRunning).toBe(true);
  });

  it('names what it does not know', async () => {
    const send = (path: string): Promise<Response> =>
      fetch(`${lab.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/grpc-web+proto' },
        body: new Uint8Array(frameOf(Buffer.alloc(0))),
      });
    const unknown = await send('/version.VersionService/Nothing');
    expect([unknown.status, unknown.headers.get('grpc-status'), unknown.headers.get('grpc-message')]).toEqual([
      200,
      '12',
      'unknown method Nothing for service version.VersionService',
    ]);
    expect((await send('/version.OtherService/Version')).headers.get('grpc-message')).toBe(
      'unknown service version.OtherService',
    );
  });
});
