import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Exchange } from './exchange.js';

/** A small server that stands for one of the outside. */
export interface Double {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Ends it, whoever is still connected. */
  close(): Promise<void>;
}

export interface DoubleOptions {
  /** 0, the default, for any free port. */
  readonly port?: number;
  /**
   * Told of each request in one line: method, path and status. Never of what could hold a secret: query, headers,
   * bodies.
   */
  readonly report?: (line: string) => void;
}

export type Answer = (exchange: Exchange) => void | Promise<void>;

/** Serves on loopback; resolves when it can be asked. An answer that throws is a 500 and a line in the report. */
export async function startDouble(
  answer: Answer,
  { port = 0, report = () => undefined }: DoubleOptions = {},
): Promise<Double> {
  const server = createServer((request, response) => {
    const exchange = new Exchange(request, response);
    response.once('close', () => {
      report(`${exchange.method} ${exchange.path} ${response.statusCode}`);
    });
    Promise.resolve()
      .then(() => answer(exchange))
      .catch((error: unknown) => {
        report(`${exchange.method} ${exchange.path}: ${error instanceof Error ? error.message : String(error)}`);
        if (response.headersSent) response.destroy();
        else exchange.send(500, { error: 'the double failed' });
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: real } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${real}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
