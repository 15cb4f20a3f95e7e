import { join } from 'node:path';
import type { Cluster } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { ResourceRef } from '../../src/model/resources/index.js';
import { embeddedMissing, startEmbeddedServer } from '../embedded/embedded-server.js';
import { startRealControlPlane } from '../real/control-plane.js';
import { realParts } from '../real/parts.js';

export interface Server {
  readonly kubeconfigPath: string;
  /** Where a server writes one. */
  readonly auditPath?: string;
  stop(): Promise<void>;
}

interface ServerKind {
  readonly missing: string | undefined;
  readonly open: () => Promise<Server>;
}

/** The embedded server and a real one, as rows of `describe.each`; the name says why one is left out. */
export async function bothServers(): Promise<(readonly [name: string, kind: ServerKind])[]> {
  const parts = await realParts(['etcd', 'kube-apiserver']);
  const embedded: ServerKind = { missing: embeddedMissing(), open: () => startEmbeddedServer('none') };
  const real: ServerKind = {
    missing: parts.kind === 'missing' ? `skipped: the real control plane (${parts.reason})` : undefined,
    open: async () => {
      const plane = await startRealControlPlane({ etcdFsync: false, audit: true });
      return {
        kubeconfigPath: plane.kubeconfigPath,
        auditPath: join(plane.dir, 'audit.log'),
        stop: () => plane.stop(),
      };
    },
  };
  const rows: readonly (readonly [string, ServerKind])[] = [
    ['the embedded server', embedded],
    ['a real API server', real],
  ];
  return rows.map(([name, kind]) => [`${name}${kind.missing === undefined ? '' : ` (${kind.missing})`}`, kind]);
}

/** An object with what every object has; without a namespace where that is empty. */
export function createObject(
  cluster: Cluster,
  ref: ResourceRef,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
  content: JsonObject = {},
): Promise<KubeObject> {
  return cluster.create(ref, {
    apiVersion: ref.group === '' ? ref.version : `${ref.group}/${ref.version}`,
    kind: ref.kind,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
    ...content,
  });
}
