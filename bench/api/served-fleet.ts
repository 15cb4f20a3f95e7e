import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectCluster } from '../../contracts/harness/in-process-controller.js';
import type { Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { APPLICATIONS, APP_PROJECTS, NAMESPACES } from '../../src/model/resources/index.js';

const ROOT = resolve(import.meta.dirname, '../..');

function application(index: number, resources: number): KubeObject {
  const name = `app-${String(index).padStart(4, '0')}`;
  const isBad = index % 7 === 0;
  const listed = Array.from(
    { length: resources },
    (_, at): JsonObject => ({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      namespace: name,
      name: `part-${at}`,
      status: isBad ? 'OutOfSync' : 'Synced',
      health: { status: isBad && at === 0 ? 'Degraded' : 'Healthy' },
    }),
  );
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', labels: { team: `team-${index % 20}` } },
    spec: {
      project: 'default',
      source: {
        repoURL: `https://git.example.com/fleet-${index % 30}.git`,
        path: `apps/${name}`,
        targetRevision: 'main',
      },
      destination: { server: 'https://kubernetes.default.svc', namespace: name },
    },
    status: {
      sync: {
        status: isBad ? 'OutOfSync' : 'Synced',
        revision: 'a'.repeat(40),
        comparedTo: { source: { repoURL: 'https://git.example.com/x.git' }, destination: {} },
      },
      health: { status: isBad ? 'Degraded' : 'Healthy' },
      resources: listed,
    },
  };
}

/** Starts a part of Argosy; resolves with what it said when it said that it is there. */
async function start(
  args: readonly string[],
  isReady: RegExp,
): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn(process.execPath, ['--disable-proto=delete', join(ROOT, 'dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  await new Promise<void>((done, fail) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (isReady.test(said)) done();
      });
    child.once('exit', () => {
      fail(new Error(`${args[0] ?? ''} ended: ${said}`));
    });
  });
  return { child, said };
}

/** `argosy serve` with generated applications that nobody delivers. */
export interface ServedFleet {
  readonly url: string;
  readonly password: string;
  readonly cluster: Cluster;
  readonly serverPid: number;
  close(): Promise<void>;
}

export async function serveFleet(apps: number, resources: number): Promise<ServedFleet> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-bench-api-'));
  const parts: ChildProcess[] = [];
  const close = (): void => {
    for (const part of parts) part.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  };
  try {
    parts.push(
      (await start(['apiserver', '--data', data, '--api-port', '0', '--controllers', 'none'], /Kubernetes API on/))
        .child,
    );
    const cluster = await connectCluster(join(data, 'kubeconfig'));
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    await installCrds(cluster, await readCrds(join(ROOT, 'crds')));
    await cluster.create(APP_PROJECTS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { name: 'default', namespace: 'argocd' },
      spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] },
    });
    for (let at = 0; at < apps; at += 20)
      await Promise.all(
        Array.from({ length: Math.min(20, apps - at) }, (_, index) =>
          cluster.create(APPLICATIONS, application(at + index, resources)),
        ),
      );
    const { child, said } = await start(
      ['serve', '--kubeconfig', join(data, 'kubeconfig'), '--data', data, '--port', '0'],
      /password/,
    );
    parts.push(child);
    return {
      url: /http:\/\/localhost:\d+/.exec(said)?.[0] ?? '',
      password: /password\s+(\S+)/.exec(said)?.[1] ?? '',
      cluster,
      serverPid: child.pid ?? 0,
      close: () => cluster.close().finally(close),
    };
  } catch (error) {
    close();
    throw error;
  }
}
