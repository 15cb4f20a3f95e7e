import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what Linux gives to outgoing connections: there, one may take the port before the program that it was meant
 * for.
 */
const MIN_PORT = 10_000;
const MAX_PORT = 32_000;
const TRIES = 100;
const given = new Set<number>();

/** Ports of 127.0.0.1 that nobody listens on, each given once by this process. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > count * TRIES) throw new Error(`no free port of 127.0.0.1 between ${MIN_PORT} and ${MAX_PORT}`);
    const port = randomInt(MIN_PORT, MAX_PORT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () =>
      server.close(() => {
        resolve(true);
      }),
    );
  });
}
