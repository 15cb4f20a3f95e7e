import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import type { Cluster } from '../../src/cluster/index.js';
import { objectsAt } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { PODS, SECRETS } from '../../src/model/resources/index.js';
import { connectCluster } from '../harness/in-process-controller.js';

const data = mkdtempSync(join(tmpdir(), 'argosy-vault-'));
const POD = { namespace: 'default', name: 'vault-0' };
let server: ApiServer;
let cluster: Cluster;

beforeAll(async () => {
  const directory = join(import.meta.dirname, '../../world');
  server = await startApiServer({
    data,
    port: 0,
    controllers: true,
    log: NO_LOG,
    world: { directory, only: ['vault'] },
  });
  cluster = await connectCluster(server.kubeconfig);
  await cluster.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'vault-auto-credentials', namespace: 'default' },
    stringData: { 'unseal-key': 'the-key' },
  });
  await cluster.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...POD,
      labels: { 'app.kubernetes.io/name': 'vault' },
      annotations: { 'world.argosy.dev/vault': 'sealed', 'argosy.dev/simulate': '{"vault": {"ready": false}}' },
    },
    spec: {
      containers: [
        { name: 'vault', image: 'hashicorp/vault:1.20.4', readinessProbe: { exec: { command: ['vault'] } } },
      ],
    },
  });
}, 120_000);
afterAll(async () => {
  await cluster.close();
  await server.close();
  rmSync(data, { recursive: true, force: true });
});

interface Answer {
  readonly text: string;
  readonly exitCode: number | undefined;
}

async function vault(...words: string[]): Promise<Answer> {
  return ask(['vault', ...words]);
}

async function ask(command: readonly string[], input?: string): Promise<Answer> {
  let text = '';
  try {
    const session = await cluster.exec(
      { namespace: 'default', pod: 'vault-0', container: 'vault', command },
      (bytes) => {
        text += bytes.toString('utf8');
      },
    );
    if (input !== undefined) session.write(input);
    const { exitCode } = await session.ended;
    return { text, exitCode };
  } catch {
    // The container does not run yet.
    return { text, exitCode: undefined };
  }
}

const isReady = async (): Promise<boolean> =>
  objectsAt(await cluster.get(PODS, POD), 'status', 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

it('a played Vault is unsealed by its key, and by nothing else', async () => {
  await expect.poll(async () => (await vault('status')).exitCode, { timeout: 60_000 }).toBe(2);
  expect((await vault('status')).text).toMatch(/^Sealed +true$/m);
  expect(await vault('operator', 'unseal', 'another')).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('Unseal failed, invalid key') as string,
  });
  expect(await isReady()).toBe(false);
  const unsealed = await ask(['vault', 'operator', 'unseal', '-'], 'the-key\n');
  expect([unsealed.exitCode, unsealed.text]).toEqual([0, expect.stringMatching(/^Sealed +false$/m)]);
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  expect(await vault('status')).toMatchObject({ exitCode: 0 });
  expect(await vault('kv', 'list')).toMatchObject({
    exitCode: 127,
    text: expect.stringContaining('not among the commands that are played') as string,
  });
}, 120_000);
