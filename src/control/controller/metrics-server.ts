import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '../../model/faults/index.js';
import type { ApplicationController } from './application-controller.js';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `/metrics`, `/healthz` and `/readyz` of a controller. */
export function startMetricsServer(
  {
    metricsPort: port,
    metricsHost: host = '127.0.0.1',
  }: { readonly metricsPort: number; readonly metricsHost?: string },
  controller: ApplicationController,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?[^]*$/, '');
    if (path === '/metrics')
      response.setHeader('content-type', 'text/plain; version=0.0.4').end(controller.metrics.text());
    else if (path === '/healthz') response.end('ok');
    else if (path === '/readyz') void answerReady(response, controller);
    else {
      response.statusCode = 404;
      response.end('not found');
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(listenFault(error, host, port));
    });
    server.listen(port, host, () => {
      server.unref();
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
        close: () =>
          new Promise((done) => {
            server.close(() => {
              done();
            });
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** Who waits for another leader is ready; who cannot reach the API server, or write to it, is not. */
async function answerReady(response: ServerResponse, { services, state }: ApplicationController): Promise<void> {
  const problem = await services.readiness.problem();
  if (problem === '') response.end(state.isDelivering ? 'ok' : `ok, not delivering: ${state.reason}`);
  else {
    response.statusCode = 503;
    response.end(`not ready: ${problem}\n`);
  }
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Fault('PORT_BUSY', `port ${port} is already in use`, { where: '--metrics-port' });
  return ['EADDRNOTAVAIL', 'ENOTFOUND', 'EACCES'].includes(error.code ?? '')
    ? new Fault('VALUE_INVALID', `cannot listen on ${host}:${port}: ${error.message}`, { where: '--metrics-address' })
    : error;
}
