import { Connection } from '../../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../../embedded/embedded-server.js';
import { startRealControlPlane } from '../../real/control-plane.js';
import { realParts } from '../../real/parts.js';
import { Api } from '../api.js';
import type { DeliverCluster } from '../clusters.js';

interface ServerKind {
  readonly name: DeliverCluster['name'];
  /** Why it cannot be had, as the name of a skip. */
  readonly missing: () => Promise<string | undefined>;
  readonly open: () => Promise<DeliverCluster>;
}

export const SERVERS: readonly ServerKind[] = [
  {
    name: 'embedded',
    missing: async () => embeddedMissing() ?? (await kubectlMissing()),
    open: async () => opened('embedded', await startEmbeddedServer()),
  },
  {
    name: 'real',
    missing: async () => embeddedMissing() ?? (await kubectlMissing()),
    open: async () => opened('real', await startRealControlPlane({ etcdFsync: false })),
  },
];

/**
 * API servers without controllers, for suites that look only at what an object says. ARGOSY_CONTRACT chooses: real,
 * embedded or both.
 */
export function chosenServers(fallback: string): readonly ServerKind[] {
  const wish = process.env['ARGOSY_CONTRACT'] ?? fallback;
  return SERVERS.filter(({ name }) => wish === 'both' || wish === name);
}

async function kubectlMissing(): Promise<string | undefined> {
  const parts = await realParts();
  return parts.kind === 'missing' ? `skipped: kubectl and kube-apiserver (${parts.reason})` : undefined;
}

function opened(
  name: DeliverCluster['name'],
  server: { readonly kubeconfigPath: string; stop(): Promise<void> },
): DeliverCluster {
  const connection = new Connection(server.kubeconfigPath);
  return {
    name,
    kubeconfigPath: server.kubeconfigPath,
    api: new Api(connection),
    rewrite: (text) => text,
    stop: async () => {
      await connection.close();
      await server.stop();
    },
  };
}
