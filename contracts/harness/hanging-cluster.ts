import { createServer, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readKubeconfig } from '../apiserver/connection.js';

export interface HangingCluster {
  readonly url: string;
  /** Writes that came so far; none has an answer. */
  readonly held: number;
  close(): void;
}

/** The API server of a kubeconfig as a cluster that answers reads, with the rights of that kubeconfig, and no write. */
export async function openHangingCluster(kubeconfig: string): Promise<HangingCluster> {
  const { url: target, ca, cert, key } = readKubeconfig(kubeconfig);
  const agent = new Agent({
    keepAlive: true,
    ca,
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  let held = 0;
  const server = createServer((asked, answer) => {
    if (asked.method !== 'GET' && asked.method !== 'HEAD') {
      held++;
      return;
    }
    const headers = { ...asked.headers, host: new URL(target).host };
    const passed = request(`${target}${asked.url ?? '/'}`, { method: asked.method, headers, agent }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      answer.flushHeaders();
      found.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    passed.end();
  });
  await listen(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get held() {
      return held;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}
