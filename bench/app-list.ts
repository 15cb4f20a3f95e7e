import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startApiServer } from '../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock } from '../src/cluster/index.js';
import { installCrds, readCrds } from '../src/control/index.js';
import { readFlags } from '../contracts/harness/read-flags.js';
import { NO_LOG } from '../src/model/logging/index.js';
import { APPLICATIONS, NAMESPACES } from '../src/model/resources/index.js';

/**
 * Measures `argosy app list` as people run it, process and all, on a fleet of Applications with their resources. The
 * bar is 2 s for 5,000.
 */
const HELP = 'usage: npm run bench:app-list [-- --apps 5000] [--resources 20] [--quick]\n';
const BAR = 2;
const ROUNDS = 5;
const ROOT = resolve(import.meta.dirname, '..');
const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    apps: { ...text, default: '5000' },
    resources: { ...text, default: '20' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function application(index: number, resources: number): object {
  const name = `team-${index % 50}-app-${index}`;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', labels: { team: `team-${index % 50}` } },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/platform.git', path: `apps/${name}`, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: `team-${index % 50}` },
      syncPolicy: { automated: { prune: true } },
    },
    status: {
      sync: {
        status: index % 7 === 0 ? 'OutOfSync' : 'Synced',
        revision: 'a'.repeat(40),
        comparedTo: { source: { repoURL: 'https://git.example.com/platform.git' }, destination: {} },
      },
      health: { status: index % 11 === 0 ? 'Degraded' : 'Healthy' },
      resources: Array.from({ length: resources }, (_, at) => ({
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: `team-${index % 50}`,
        name: `${name}-${at}`,
        status: 'Synced',
        health: { status: 'Healthy' },
      })),
    },
  };
}

async function main(): Promise<number> {
  const [apps, resources] = flags.quick ? [200, 5] : [Number(flags.apps), Number(flags.resources)];
  const data = mkdtempSync(join(tmpdir(), 'argosy-list-'));
  const server = await startApiServer({ data, port: 0, controllers: false, log: NO_LOG });
  const cluster = connect(
    await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig }),
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0.0.0', environment: {} },
  );
  try {
    await installCrds(cluster, await readCrds(join(ROOT, 'crds'), ['application.yaml']));
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    const waiting = Array.from({ length: apps }, (_, index) => index).values();
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        for (const index of waiting)
          await cluster.create(APPLICATIONS, application(index, resources) as Parameters<typeof cluster.create>[1]);
      }),
    );
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--disable-proto=delete', join(ROOT, 'dist/main.js'), 'app', 'list', '--kubeconfig', server.kubeconfig],
        { encoding: 'utf8', maxBuffer: 1 << 28 },
      );
      if (stdout.split('\n').length !== apps + 2)
        throw new Error(`app list printed ${stdout.split('\n').length} lines`);
      seconds.push((performance.now() - begin) / 1000);
    }
    seconds.sort((a, b) => a - b);
    const median = seconds[Math.floor(ROUNDS / 2)] ?? Infinity;
    process.stdout.write(
      `app list, ${apps} applications with ${resources} resources each: ${median.toFixed(2)} s (median of ` +
        `${ROUNDS}, best ${(seconds[0] ?? 0).toFixed(2)} s; bar ${BAR} s for 5000)\n`,
    );
    return flags.quick || median < BAR ? 0 : 1;
  } finally {
    await cluster.close();
    await server.close();
    rmSync(data, { recursive: true, force: true });
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
