import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../../src/apiserver/index.js';
import { systemClock } from '../../../src/cluster/index.js';
import { fastClock } from '../../../world/testing/fast-clock.js';
import { Connection } from '../../apiserver/connection.js';
import { Api } from '../api.js';
import type { DeliverCluster } from '../clusters.js';
import { NO_LOG } from '../../../src/model/logging/index.js';

const WORLD = join(import.meta.dirname, '../../../world');

/**
 * The embedded server with the world's controllers, whose time runs faster: autoscalers and operators then do not keep
 * anyone waiting.
 */
export async function openWorld(): Promise<DeliverCluster> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-seed-001-'));
  const fast = fastClock();
  let isStarted = false;
  // The kinds of the world have a few seconds to be served; a busy machine needs real ones.
  const clock = {
    ...fast,
    after: (milliseconds: number, callback: () => void) =>
      (isStarted ? fast : systemClock).after(milliseconds, callback),
  };
  const server = await startApiServer({ data, port: 0, controllers: true, log: NO_LOG, clock, world: WORLD });
  isStarted = true;
  const connection = new Connection(server.kubeconfig);
  return {
    name: 'embedded',
    kubeconfigPath: server.kubeconfig,
    api: new Api(connection),
    rewrite: (text) => text,
    stop: async () => {
      await connection.close();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
