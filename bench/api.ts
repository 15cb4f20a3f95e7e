import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import type { ClientsResult, ClientsTask } from './api/clients.js';
import { serveFleet } from './api/served-fleet.js';
import { APPLICATIONS } from '../src/model/resources/index.js';

/**
 * Measures `argosy serve` with a generated fleet: the first page, a filter, one application; then many clients at once
 * (pages, filters, streams, logins, syncs) for a while, with the delay of the server's thread. Every tenth application
 * changes all the time meanwhile. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:api [-- --quick] [--apps 5000] [--resources 20] [--clients 1000] [--seconds 60]\n';
const BARS = { page: 1000, filter: 200, delay: 0.1 };
const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    apps: { ...text, default: '5000' },
    resources: { ...text, default: '20' },
    clients: { ...text, default: '1000' },
    seconds: { ...text, default: '60' },
    help: { type: 'boolean', default: false },
  },
});
async function timed(url: string, token: string): Promise<number> {
  const begun = performance.now();
  await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).arrayBuffer();
  return performance.now() - begun;
}

async function crowd(task: ClientsTask): Promise<ClientsResult> {
  const child = fork(join(import.meta.dirname, 'api/clients.ts'), { execArgv: ['--import', 'tsx'] });
  child.send(task);
  const [result] = (await once(child, 'message')) as [ClientsResult];
  return result;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

async function main(): Promise<number> {
  const [apps, resources, clients, seconds] = flags.quick
    ? [200, 5, 40, 5]
    : [Number(flags.apps), Number(flags.resources), Number(flags.clients), Number(flags.seconds)];
  const { url, password, cluster, serverPid, close } = await serveFleet(apps, resources);
  try {
    const token = (
      (await (
        await fetch(`${url}/api/v1/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: 'admin', password }),
        })
      ).json()) as { token: string }
    ).token;
    const [page, filter, all] = [
      await timed(`${url}/api/v1/applications?limit=100`, token),
      await timed(`${url}/api/v1/applications?limit=100&search=app-1&health=Degraded`, token),
      await timed(`${url}/api/v1/applications`, token),
    ];
    process.stdout.write(
      `${apps} applications, ${apps * resources} resources\nfirst page of 100: ${page.toFixed(0)} ms (bar ` +
        `${BARS.page}); filter: ${filter.toFixed(0)} ms (bar ${BARS.filter}); all: ${all.toFixed(0)} ms; ` +
        `server ${memoryOf(serverPid).toFixed(0)} MB\n`,
    );
    const metrics = async (): Promise<string> =>
      (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    await metrics();
    let isOver = false;
    const changes = (async () => {
      for (let round = 0; !isOver; round++) {
        await cluster.patch(
          APPLICATIONS,
          { namespace: 'argocd', name: `app-${String((round * 10) % apps).padStart(4, '0')}` },
          { type: 'merge', body: { metadata: { labels: { round: String(round) } } } },
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const groups = Math.max(1, Math.ceil(clients / 250));
    const results = await Promise.all(
      Array.from({ length: groups }, () =>
        crowd({ url, token, password, clients: Math.ceil(clients / groups), seconds }),
      ),
    );
    isOver = true;
    await changes;
    const delay = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await metrics())?.[1] ?? 0);
    const sorted = results.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
    const failures = results.flatMap((result) => Object.entries(result.failures));
    process.stdout.write(
      `${clients} clients for ${seconds} s: ${results.reduce((sum, { requests }) => sum + requests, 0)} ` +
        `answers (p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), ` +
        `${results.reduce((sum, { events }) => sum + events, 0)} pieces of streams, ${failures.length} sorts ` +
        `of failures; delay of the thread p99 ${(delay * 1000).toFixed(0)} ms (bar ${BARS.delay * 1000}); ` +
        `server ${memoryOf(serverPid).toFixed(0)} MB\n`,
    );
    for (const [name, count] of failures) process.stdout.write(`  ${count} x ${name}\n`);
    return failures.length === 0 && (flags.quick || (page < BARS.page && filter < BARS.filter && delay < BARS.delay))
      ? 0
      : 1;
  } finally {
    await close();
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
