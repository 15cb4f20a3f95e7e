import type { ApiServer, ApiServerOptions } from './server.js';

/**
 * Starts the server on loopback; resolves when it answers requests. The server is loaded only now: not everybody who
 * comes by the door starts one.
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const server = await import('./server.js');
  return server.startApiServer(options);
}
