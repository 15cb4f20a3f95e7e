import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const MEGABYTE = 1024 * 1024;

describe.skipIf(missing !== undefined)(
  `people without a session${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let lab: AccessLab;
    const sockets: Socket[] = [];
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(new URL(lab.url).port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    /** Sends that much of a body, and no more. */
    const halfSend = async (bytes: number): Promise<{ readonly answered: Promise<string> }> => {
      const socket = await open();
      let answer = '';
      socket.on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
      });
      const answered = new Promise<string>((resolve) => {
        socket.once('close', () => {
          resolve(answer.split('\r\n')[0] ?? '');
        });
      });
      socket.write(`POST /api/webhook HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${24 * MEGABYTE}\r\n\r\n`);
      await new Promise((resolve) => {
        socket.write(Buffer.alloc(bytes, 0x20), resolve);
      });
      return { answered };
    };
    beforeAll(async () => {
      lab = await AccessLab.open();
    });
    afterAll(async () => {
      for (const socket of sockets) socket.destroy();
      await lab.close();
    });

    it('hold no more than a fixed amount of memory with bodies that they do not finish', async () => {
      const answers: Promise<string>[] = [];
      for (let sent = 0; sent < 20; sent++) answers.push((await halfSend(4 * MEGABYTE)).answered);
      // 32 MiB fit: the first twelve gave way, one after the other.
      await Promise.all(answers.slice(0, 12)).then((lines) => {
        expect([...new Set(lines)]).toEqual(['HTTP/1.1 429 Too Many Requests']);
      });
      const { status } = await lab.request('/api/webhook', {
        method: 'POST',
        body: '{}',
        headers: { 'x-github-event': 'push' },
      });
      expect(status).toBe(202);
    });

    it('send large deliveries only where a secret protects the server', async () => {
      const body = `${' '.repeat(6 * MEGABYTE)}{}`;
      const headers = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'a-word' };
      const { status, text } = await lab.request('/api/webhook', { method: 'POST', body, headers });
      expect([status, text]).toEqual([413, expect.stringContaining('set a webhook secret') as string]);
      await lab.secret('argocd-secret', { 'webhook.gitlab.secret': 'a-word' });
      expect((await lab.request('/api/webhook', { method: 'POST', body, headers })).status).toBe(202);
      await lab.secret('argocd-secret', { 'webhook.gitlab.secret': '' });
    });

    it('are closed, the oldest first, if they open connections without sending a request', async () => {
      const first = await open();
      const closed = once(first, 'close');
      await Promise.all(Array.from({ length: 300 }, open));
      await closed;
      expect((await lab.request('/api/version')).status).toBe(200);
    });

    it('learn from no answer whether a name exists, however many try to log in', async () => {
      const seen = [];
      for (const [name, prefix] of [
        ['admin', 'a'],
        ['nobody', 'b'],
      ] as const) {
        const tries = Array.from({ length: 60 }, () => lab.login(name, 'wrong'));
        const other = await lab.login(`${prefix}-third`, 'wrong');
        // How many wait depends on how fast the machine is; what each is answered must not depend on the name.
        const all = [other, ...(await Promise.all(tries))];
        const answers = new Set(all.map(({ status, text }) => `${status} ${text}`));
        seen.push([...answers].sort());
      }
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[0]?.map((answer) => answer.slice(0, 3))).toEqual(['401', '429']);
    });

    it('learn whether the server can work, and not where its cluster is', async () => {
      const ready = async (): Promise<string> => {
        const { status, text } = await lab.request('/readyz');
        return `${status} ${text}`;
      };
      expect(await ready()).toBe('200 ok');
      await lab.loseCluster();
      await lab.until('it is not ready', async () => (await ready()).startsWith('503'));
      expect(await ready()).toBe('503 not ready: the Kubernetes API server cannot be reached\n');
      expect((await lab.request('/healthz')).status).toBe(200);
    });
  },
);
