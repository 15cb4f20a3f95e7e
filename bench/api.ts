import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { clusterOf } from '../contracts/deliver/in-process.js';
import { installCrds, readCrds } from '../src/control/index.js';
import type { JsonObject, KubeObject } from '../src/model/index.js';
import { readFlags } from '../scripts/read-flags.js';
import type { ClientsResult, ClientsTask } from './api/clients.js';

/**
 * Measures `argosy serve` with a generated fleet: the first page, a filter, one application; then many clients at once (pages, filters, streams, logins, syncs)
 * for a while, with the delay of the server's thread. Every tenth application changes all the time meanwhile. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:api [-- --quick] [--apps 5000] [--resources 20] [--clients 1000] [--seconds 60]\n';
const ROOT = resolve(import.meta.dirname, '..');
const BARS = { page: 1000, filter: 200, delay: 0.1 };
const text = { type: 'string' } as const;
const { values: flags } = readFlags({ options: { quick: { type: 'boolean', default: false }, apps: { ...text, default: '5000' }, resources: { ...text, default: '20' }, clients: { ...text, default: '1000' }, seconds: { ...text, default: '60' }, help: { type: 'boolean', default: false } } });
const APPLICATIONS = { group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', plural: 'applications', namespaced: true };
const PROJECTS = { group: 'argoproj.io', version: 'v1alpha1', kind: 'AppProject', plural: 'appprojects', namespaced: true };
const NAMESPACES = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

function application(index: number, resources: number): KubeObject {
  const name = `app-${String(index).padStart(4, '0')}`;
  const isBad = index % 7 === 0;
  const listed = Array.from({ length: resources }, (_, at): JsonObject => ({ group: 'apps', version: 'v1', kind: 'Deployment', namespace: name, name: `part-${at}`, status: isBad ? 'OutOfSync' : 'Synced', health: { status: isBad && at === 0 ? 'Degraded' : 'Healthy' } }));
  return {
    apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata: { name, namespace: 'argocd', labels: { team: `team-${index % 20}` } },
    spec: { project: 'default', source: { repoURL: `https://git.example.com/fleet-${index % 30}.git`, path: `apps/${name}`, targetRevision: 'main' }, destination: { server: 'https://kubernetes.default.svc', namespace: name } },
    status: { sync: { status: isBad ? 'OutOfSync' : 'Synced', revision: 'a'.repeat(40), comparedTo: { source: { repoURL: 'https://git.example.com/x.git' }, destination: {} } }, health: { status: isBad ? 'Degraded' : 'Healthy' }, resources: listed },
  };
}

/** Starts a part of Argosy; resolves with what it said when it said that it is there. */
async function start(args: readonly string[], isReady: RegExp): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const child = spawn(process.execPath, ['--disable-proto=delete', join(ROOT, 'dist/main.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  await new Promise<void>((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => { said += chunk.toString(); if (isReady.test(said)) done(); });
    child.once('exit', () => { fail(new Error(`${args[0] ?? ''} ended: ${said}`)); });
  });
  return { child, said };
}

async function timed(url: string, token: string): Promise<number> {
  const begun = performance.now();
  await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).arrayBuffer();
  return performance.now() - begun;
}

async function crowd(task: ClientsTask): Promise<ClientsResult> {
  const child = fork(join(import.meta.dirname, 'api/clients.ts'), { execArgv: ['--import', 'tsx'] });
  child.send(task);
  const [result] = await once(child, 'message') as [ClientsResult];
  return result;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

async function main(): Promise<number> {
  const [apps, resources, clients, seconds] = flags.quick ? [200, 5, 40, 5] : [Number(flags.apps), Number(flags.resources), Number(flags.clients), Number(flags.seconds)];
  const data = mkdtempSync(join(tmpdir(), 'argosy-bench-api-'));
  const parts: ChildProcess[] = [];
  try {
    parts.push((await start(['apiserver', '--data', data, '--api-port', '0', '--controllers', 'none'], /Kubernetes API on/)).child);
    const cluster = await clusterOf(join(data, 'kubeconfig'));
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
    await installCrds(cluster, await readCrds(join(ROOT, 'crds')));
    await cluster.create(PROJECTS, { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'default', namespace: 'argocd' }, spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] } });
    for (let at = 0; at < apps; at += 20) await Promise.all(Array.from({ length: Math.min(20, apps - at) }, (_, index) => cluster.create(APPLICATIONS, application(at + index, resources))));
    const serve = await start(['serve', '--kubeconfig', join(data, 'kubeconfig'), '--data', data, '--port', '0'], /password/);
    parts.push(serve.child);
    const url = /http:\/\/localhost:\d+/.exec(serve.said)?.[0] ?? '';
    const password = /password\s+(\S+)/.exec(serve.said)?.[1] ?? '';
    const token = ((await (await fetch(`${url}/api/v1/session`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'admin', password }) })).json()) as { token: string }).token;
    const [page, filter, all] = [await timed(`${url}/api/v1/applications?limit=100`, token), await timed(`${url}/api/v1/applications?limit=100&search=app-1&health=Degraded`, token), await timed(`${url}/api/v1/applications`, token)];
    process.stdout.write(`${apps} applications, ${apps * resources} resources\nfirst page of 100: ${page.toFixed(0)} ms (bar ${BARS.page}); filter: ${filter.toFixed(0)} ms (bar ${BARS.filter}); all: ${all.toFixed(0)} ms; server ${memoryOf(serve.child.pid ?? 0).toFixed(0)} MB\n`);
    const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    await metrics();
    let isOver = false;
    const changes = (async () => { for (let round = 0; !isOver; round++) { await cluster.patch(APPLICATIONS, { namespace: 'argocd', name: `app-${String((round * 10) % apps).padStart(4, '0')}` }, { type: 'merge', body: { metadata: { labels: { round: String(round) } } } }); await new Promise((resolve) => setTimeout(resolve, 50)); } })();
    const groups = Math.max(1, Math.ceil(clients / 250));
    const results = await Promise.all(Array.from({ length: groups }, () => crowd({ url, token, password, clients: Math.ceil(clients / groups), seconds })));
    isOver = true;
    await changes;
    const delay = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await metrics())?.[1] ?? 0);
    const sorted = results.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
    const failures = results.flatMap((result) => Object.entries(result.failures));
    process.stdout.write(`${clients} clients for ${seconds} s: ${results.reduce((sum, { requests }) => sum + requests, 0)} answers (p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), ${results.reduce((sum, { events }) => sum + events, 0)} pieces of streams, ${failures.length} sorts of failures; delay of the thread p99 ${(delay * 1000).toFixed(0)} ms (bar ${BARS.delay * 1000}); server ${memoryOf(serve.child.pid ?? 0).toFixed(0)} MB\n`);
    for (const [name, count] of failures) process.stdout.write(`  ${count} x ${name}\n`);
    await cluster.close();
    return failures.length === 0 && (flags.quick || (page < BARS.page && filter < BARS.filter && delay < BARS.delay)) ? 0 : 1;
  } finally {
    for (const part of parts) part.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
