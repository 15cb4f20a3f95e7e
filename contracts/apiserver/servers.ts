import { embeddedMissing, startEmbeddedProcess } from '../embedded/embedded-server.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import type { ServerName } from './case.js';
import { Connection } from './connection.js';

export interface Server {
  readonly connection: Connection;
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

/** How to start a server, or why it cannot be started here. */
interface Implementation {
  readonly name: ServerName;
  readonly missing: () => Promise<string | undefined>;
  readonly open: () => Promise<Server>;
}

const IMPLEMENTATIONS: readonly Implementation[] = [
  {
    name: 'real',
    missing: async () => {
      const parts = await realParts(['etcd', 'kube-apiserver']);
      return parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;
    },
    open: openReal,
  },
  {
    name: 'embedded',
    missing: () => Promise.resolve(embeddedMissing()),
    open: openEmbedded,
  },
];

/** The servers that ARGOSY_CONTRACT asks for: real, embedded, or both. */
export function chosenServers(): readonly Implementation[] {
  const wish = process.env['ARGOSY_CONTRACT'] ?? 'both';
  return IMPLEMENTATIONS.filter(({ name }) => wish === 'both' || wish === name);
}

export async function openReal(): Promise<Server> {
  const plane = await startRealControlPlane({ etcdFsync: false });
  const connection = new Connection(plane.kubeconfigPath);
  return {
    connection,
    kubeconfig: plane.kubeconfigPath,
    stop: async () => {
      await connection.close();
      await plane.stop();
    },
  };
}

async function openEmbedded(): Promise<Server> {
  const server = await startEmbeddedProcess();
  const connection = new Connection(server.kubeconfigPath);
  return {
    connection,
    kubeconfig: server.kubeconfigPath,
    stop: async () => {
      await connection.close();
      await server.stop();
    },
  };
}
