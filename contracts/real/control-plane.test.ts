import { existsSync } from 'node:fs';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { startRealControlPlane, type ControlPlane } from './control-plane.js';
import { realParts } from './parts.js';

const parts = await realParts(['etcd', 'kube-apiserver']);
const absent = parts.kind === 'missing' ? `skipped: kube-apiserver (${parts.reason})` : undefined;

async function call(plane: ControlPlane, method: string, path: string, body?: object): Promise<number> {
  const agent = new Agent({ connect: { ca: plane.caPem } });
  const response = await request(`${plane.url}${path}`, {
    dispatcher: agent,
    method,
    headers: { authorization: `Bearer ${plane.adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.body.dump();
  await agent.destroy();
  return response.statusCode;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process.
    return false;
  }
}

it.skipIf(absent !== undefined)(
  absent ?? 'the real control plane keeps its objects through a restart and leaves nothing behind',
  async () => {
    const plane = await startRealControlPlane({ etcdFsync: false });
    try {
      expect(await call(plane, 'POST', '/api/v1/namespaces', { metadata: { name: 'kept' } })).toBe(201);
      const before = plane.pids;
      await plane.restart();
      expect(plane.pids.etcd).toBe(before.etcd);
      expect(isRunning(before.apiserver)).toBe(false);
      expect(await call(plane, 'GET', '/api/v1/namespaces/kept')).toBe(200);
    } finally {
      await plane.stop();
    }
    expect(isRunning(plane.pids.etcd) || isRunning(plane.pids.apiserver)).toBe(false);
    expect(existsSync(plane.dir)).toBe(false);
  },
);
