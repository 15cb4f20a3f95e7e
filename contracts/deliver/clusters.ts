import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '../apiserver/connection.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { startChild } from '../real/child.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';
import { builtTool } from '../real/tools.js';
import { Api } from './api.js';
import type { ClusterName } from './case.js';
import type { Rewrite } from '../harness/git-repository.js';
import { simulateCommands } from './simulate.js';

/** A cluster that cases are delivered to. */
export interface DeliverCluster {
  readonly name: ClusterName;
  readonly kubeconfigPath: string;
  readonly api: Api;
  /** Prepares files for the way this cluster plays pods. */
  readonly rewrite: Rewrite;
  stop(): Promise<void>;
}

interface Kind {
  readonly name: ClusterName;
  readonly missing: () => Promise<string | undefined>;
  readonly open: () => Promise<DeliverCluster>;
}

const KINDS: readonly Kind[] = [
  { name: 'embedded', missing: () => Promise.resolve(embeddedMissing()), open: openEmbedded },
  { name: 'real', missing: realMissing, open: openReal },
];

/** The clusters that ARGOSY_CONTRACT asks for: real, embedded or both; `fallback` where it asks for none. */
export function chosenClusters(fallback: string): readonly Kind[] {
  const wish = process.env['ARGOSY_CONTRACT'] ?? fallback;
  return KINDS.filter(({ name }) => wish === 'both' || wish === name);
}

async function openEmbedded(): Promise<DeliverCluster> {
  const server = await startEmbeddedServer('all');
  const connection = new Connection(server.kubeconfigPath);
  return {
    name: 'embedded',
    kubeconfigPath: server.kubeconfigPath,
    api: new Api(connection),
    rewrite: simulateCommands,
    stop: async () => {
      await connection.close();
      await server.stop();
    },
  };
}

async function realMissing(): Promise<string | undefined> {
  const parts = await realParts();
  if (parts.kind === 'missing') return `skipped: kube-apiserver (${parts.reason})`;
  const kwok = await builtTool('kwok');
  return kwok.kind === 'missing' ? `skipped: kwok (${kwok.reason})` : undefined;
}

const STAGES = join(import.meta.dirname, 'kwok/stages.yaml');

async function openReal(): Promise<DeliverCluster> {
  const kwok = await builtTool('kwok');
  if (kwok.kind === 'missing') throw new Error(kwok.reason);
  const plane = await startRealControlPlane({ etcdFsync: false, controllerManager: true, scheduler: true });
  const dir = mkdtempSync(join(tmpdir(), 'argosy-kwok-'));
  const nodes = startChild(
    kwok.path,
    ['--kubeconfig', plane.kubeconfigPath, '--config', STAGES, '--manage-all-nodes=true'],
    join(dir, 'kwok.log'),
  );
  const connection = new Connection(plane.kubeconfigPath);
  const api = new Api(connection);
  for (const name of ['node-1', 'node-2']) {
    await api.create(
      { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/hostname': name } } },
      '',
    );
  }
  return {
    name: 'real',
    kubeconfigPath: plane.kubeconfigPath,
    api,
    rewrite: (text) => text,
    stop: async () => {
      await connection.close();
      await nodes.stop();
      rmSync(dir, { recursive: true, force: true });
      await plane.stop();
    },
  };
}
