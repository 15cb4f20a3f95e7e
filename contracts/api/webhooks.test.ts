import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import { AccessLab } from '../access/access-lab.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { ApiLab } from './api-lab.js';
import type { HttpResponse } from '../harness/send-request.js';
import { DELIVERIES, PUSHED, type Delivery } from './deliveries.js';
import { PoisonLab } from './poison.js';
import { sendDeliveries } from './webhook-mutations.js';
import { APPLICATIONS, NOTEBOOK_VALIDATION_JOBS } from '../../src/model/resources/index.js';

const missing = embeddedMissing();
const REFRESH = 'argocd.argoproj.io/refresh';
const MAX_BODY_BYTES = 25 * 1024 * 1024;
/** `npm run prove -- webhook-mutations` sends more, `npm run prove -- poison` writes more objects. */
const DELIVERIES_AT_RANDOM = 250;

describe.skipIf(missing !== undefined)(`untrusted webhooks${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  const deliver = (
    { headers, body }: Delivery,
    more: Readonly<Record<string, string>>,
    bytes = JSON.stringify(body),
  ): Promise<HttpResponse> =>
    lab.request('/api/webhook', { method: 'POST', body: bytes, headers: { ...headers, ...more } });
  const isAsked = async (name = 'web'): Promise<boolean> =>
    Object.hasOwn(
      (await lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name }))?.metadata.annotations ?? {},
      REFRESH,
    );
  const forget = async (): Promise<void> => {
    await lab.cluster.patch(
      APPLICATIONS,
      { namespace: 'argocd', name: 'web' },
      { type: 'merge', body: { metadata: { annotations: { [REFRESH]: null } } } },
    );
  };

  beforeAll(async () => {
    lab = await AccessLab.open({ patience: { headers: 300, request: 600, checkInterval: 50 } });
    for (const [name, repoURL, targetRevision] of [
      ['web', `${PUSHED}.git`, 'main'],
      ['other-repository', `${PUSHED}-too.git`, 'main'],
      ['other-branch', `${PUSHED}.git`, 'release'],
    ] as const)
      await lab.cluster.create(APPLICATIONS, {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Application',
        metadata: { namespace: 'argocd', name },
        spec: {
          project: 'default',
          source: { repoURL, path: 'web', targetRevision },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'web' },
        },
      });
    await lab.until('they are known', async () => {
      const { body } = await lab.request('/api/v1/applications', { token: await lab.token() });
      return (body.items as JsonObject[] | null)?.length === 3;
    });
  });
  afterAll(async () => {
    await lab.close();
  });

  it.each(Object.entries(DELIVERIES))('S32: %s refreshes what comes from there', async (_, delivery) => {
    await forget();
    expect(await deliver(delivery, {})).toMatchObject({ status: 202, body: {} });
    expect([await isAsked(), await isAsked('other-repository'), await isAsked('other-branch')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('asks for the commit of notebooks that commits run again, and of no others', async () => {
    const notebooks = { follows: { 'mlops.dev/rerun-on': 'commit' }, rests: {} };
    for (const [name, annotations] of Object.entries(notebooks))
      await lab.cluster.create(NOTEBOOK_VALIDATION_JOBS, {
        apiVersion: 'mlops.mlops.dev/v1alpha1',
        kind: 'NotebookValidationJob',
        metadata: { namespace: 'default', name, annotations },
        spec: {
          notebook: { git: { url: `${PUSHED}.git`, ref: 'main' }, path: 'train.ipynb' },
          podConfig: { containerImage: 'quay.io/ml/notebook:1' },
        },
      });
    const [[, delivery] = []] = Object.entries(DELIVERIES);
    if (delivery === undefined) throw new Error('there are deliveries');
    expect((await deliver(delivery, {})).status).toBe(202);
    const asked = await Promise.all(
      Object.keys(notebooks).map(async (name) => {
        const job = await lab.cluster.get(NOTEBOOK_VALIDATION_JOBS, { namespace: 'default', name });
        return Object.hasOwn(job?.metadata.annotations ?? {}, 'mlops.dev/refresh');
      }),
    );
    expect(asked).toEqual([true, false]);
  });

  it.each(Object.entries(DELIVERIES))('S32: %s proves itself where a secret is set', async (_, delivery) => {
    const bytes = JSON.stringify(delivery.body);
    const proof = delivery.proof(bytes);
    const [[name, value] = ['', '']] = Object.entries(proof);
    await lab.secret('argocd-secret', delivery.secrets);
    const wrong: Readonly<Record<string, string>>[] = [
      {},
      { [name]: '' },
      { [name]: 'x' },
      { [name]: value.slice(0, -1) },
      { [name]: `${value}x` },
      { [name]: `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}` },
      { [name]: value.toUpperCase() === value ? value.toLowerCase() : value.toUpperCase() },
      { [name]: `sha1=${'0'.repeat(40)}` },
      { [name]: 'sha256=' },
      { 'x-hub-signature': `sha1=${'0'.repeat(40)}` },
      { authorization: 'Basic Og==' },
      { [name]: Buffer.from(value).toString('base64') },
    ];
    await forget();
    for (const headers of wrong) {
      const { status, text } = await deliver(delivery, { ...headers });
      expect([headers, status, text]).toEqual([
        headers,
        400,
        expect.stringContaining('signature is missing or wrong') as string,
      ]);
      expect(text).not.toContain('a-secret-word');
    }
    // Signed, but something else; a token that is no signature says nothing about what it comes with.
    if (/signature/.test(name)) expect((await deliver(delivery, { ...proof }, `${bytes} `)).status).toBe(400);
    expect(await isAsked()).toBe(false);
    expect((await deliver(delivery, { ...proof })).status).toBe(202);
    expect(await isAsked()).toBe(true);
    await lab.secret('argocd-secret', Object.fromEntries(Object.keys(delivery.secrets).map((key) => [key, ''])));
  });

  it.each(Object.entries(DELIVERIES))('%s is refused where only another forge has a secret', async (_, delivery) => {
    const key = Object.keys(delivery.secrets).some((each) => each.includes('gitlab')) ? 'github' : 'gitlab';
    await lab.secret('argocd-secret', { [`webhook.${key}.secret`]: 'another' });
    await forget();
    expect((await deliver(delivery, {})).status).toBe(400);
    expect(await isAsked()).toBe(false);
    await lab.secret('argocd-secret', { [`webhook.${key}.secret`]: '' });
  });

  it('answers alike, whether or not a repository is deployed', async () => {
    const [{ headers, body }] = Object.values(DELIVERIES) as [Delivery];
    const answers = await Promise.all(
      [PUSHED, 'https://git.example.com/nobody/has'].map(async (url) => {
        const bytes = JSON.stringify(body).replaceAll(PUSHED, url);
        const answer = await deliver({ headers, body } as Delivery, {}, bytes);
        return [answer.status, answer.text];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it('refuses more addresses, branches and tags than forges send', async () => {
    const send = (links: number, changes: number): Promise<HttpResponse> =>
      deliver(
        { headers: { 'x-event-key': 'repo:refs_changed' } } as unknown as Delivery,
        {},
        JSON.stringify({
          repository: { links: { clone: Array.from({ length: links }, (_, n) => ({ href: `${PUSHED}${n}` })) } },
          changes: Array.from({ length: changes }, (_, n) => ({ ref: { displayId: `b${n}` } })),
        }),
      );
    expect((await send(3, 500)).status).toBe(202);
    for (const [links, changes] of [
      [3000, 1],
      [3, 1000],
      [3000, 1000],
    ] as const)
      expect(await send(links, changes)).toMatchObject({
        status: 400,
        text: expect.stringContaining('at most 16 addresses and 500 branches') as string,
      });
  });

  /** The answer to a body that comes in pieces, however long it says it is. */
  const sendPieces = (
    pieces: Iterable<Buffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; sent: number }> =>
    new Promise((resolve, reject) => {
      let sent = 0;
      const call = request(
        `${lab.url}/api/webhook`,
        { method: 'POST', headers: { 'x-github-event': 'push', 'content-type': 'application/json', ...headers } },
        (answer) => {
          answer.resume();
          body.destroy();
          resolve({ status: answer.statusCode ?? 0, sent });
        },
      );
      const body = Readable.from(
        (function* count() {
          for (const piece of pieces) {
            sent += piece.length;
            yield piece;
          }
        })(),
      );
      // The server hangs up after its answer, which may be here already or still on its way.
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') reject(error);
      });
      body.on('error', () => undefined);
      body.pipe(call);
    });
  const endless = function* (piece: Buffer, most: number): Generator<Buffer> {
    for (let sent = 0; sent < most; sent += piece.length) yield piece;
  };

  it('S32: the size of a body is measured, whatever its Content-Length', async () => {
    const piece = Buffer.alloc(64 * 1024, 0x20);
    const chunked = await sendPieces(endless(piece, MAX_BODY_BYTES * 8), { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
    expect(chunked.sent).toBeLessThan(MAX_BODY_BYTES * 2);
    expect((await sendPieces([Buffer.from('{}')], { 'content-length': String(MAX_BODY_BYTES + 1) })).status).toBe(413);
    expect(
      (
        await sendPieces([...endless(Buffer.alloc(1024, 0x20), 512 * 1024), Buffer.from('{}')], {
          'transfer-encoding': 'chunked',
        })
      ).status,
    ).toBe(202);
    // What is packed is not unpacked, so it cannot grow.
    const packed = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x20));
    expect(
      (await sendPieces([packed], { 'content-encoding': 'gzip', 'content-length': String(packed.length) })).status,
    ).toBe(400);
    expect((await lab.request('/healthz')).status).toBe(200);
  });

  it('S32: a slow request is cut off and does not delay others', async () => {
    const port = Number(new URL(lab.url).port);
    const starts = [
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\nx-a: ',
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\nx-github-event: push\r\ncontent-length: 100\r\n\r\n{',
      'POST /api/webhook HTTP/1.1\r\nhost: localhost\r\nx-github-event: push\r\ntransfer-encoding: ' +
        'chunked\r\n\r\n5\r\n{',
      'P',
    ];
    const slow = Array.from(
      { length: 200 },
      (_, index): { readonly socket: Socket; readonly closed: Promise<unknown> } => {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined).resume();
        socket.write(starts[index % starts.length] ?? '');
        return { socket, closed: once(socket, 'close') };
      },
    );
    const answers = await Promise.all(Array.from({ length: 50 }, () => lab.request('/api/version')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    // A byte now and then changes nothing: what counts is when it began.
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write('a');
    }, 50);
    await Promise.all(slow.map(({ closed }) => closed));
    clearInterval(drip);
    expect((await lab.request('/healthz')).status).toBe(200);
  });
});

describe.skipIf(missing !== undefined)(`random deliveries${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: ApiLab;
  beforeAll(async () => {
    lab = await ApiLab.open();
  });
  afterAll(async () => {
    await lab.close();
  });

  it('S32: malformed deliveries are answered, and the process keeps running', async () => {
    const { wrong, statuses } = await sendDeliveries(lab, 1, DELIVERIES_AT_RANDOM);
    expect(wrong).toEqual([]);
    expect(Object.keys(statuses).sort()).toEqual(['2xx', '4xx']);
    expect(lab.isRunning).toBe(true);
    expect(({} as JsonObject).polluted).toBeUndefined();
  });

  it('objects with hostile fields of every kind that tenants write end no process', async () => {
    const poison = await PoisonLab.open(lab);
    const { wrong, counts } = await poison.trial({ seed: 1, trial: 0, objects: 100, deliveries: 0 });
    await poison.close();
    expect(wrong).toEqual([]);
    expect(counts.stored).toBeGreaterThan(20);
  });
});
