import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A program that takes messages, as a chat or a pager does. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** How it answers from now on. */
  answer: (message: ReceivedRequest) => { readonly status: number; readonly body?: string };
  /** Told of each message before it is answered. */
  onMessage: (message: ReceivedRequest) => void;
  /** Waits for so many messages. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

const WITHIN = 30_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const message = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      const { status, body: text = '' } = receiver.answer(message);
      if (status < 300) received.push(message);
      receiver.onMessage(message);
      response.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({ status: 200, body: '{"ok":true}' }),
    onMessage: () => undefined,
    until: async (count) => {
      for (const end = Date.now() + WITHIN; received.length < count; await delay(10)) {
        if (Date.now() > end)
          throw new Error(
            `${received.length} messages of ${count} came: ${received.map(({ body }) => body).join(' | ')}`,
          );
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return receiver;
}
