import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFlags } from '../contracts/harness/read-flags.js';
import { webClient } from '../contracts/harness/rpc-client.js';
import { signIn } from '../contracts/harness/send-request.js';
import { APPLICATIONS } from '../src/model/resources/index.js';
import type { CallersResult, CallersTask } from './grpc/callers.js';
import { serveFleet, type ServedFleet } from './api/served-fleet.js';

/**
 * Measures gRPC-Web on `argosy serve` with a generated fleet: the CPU of the server for one application over gRPC-Web
 * and over REST, in turns; then many clients that watch and ask for a while, with the delay of the server's thread.
 * An application changes 20 times a second meanwhile. `--quick` is a smoke run; its bars are not judged.
 */
const HELP = 'usage: npm run bench:grpc [-- --quick] [--apps 1000] [--resources 20] [--clients 200] [--seconds 60]\n';
const BARS = { delay: 0.1, ratio: 1.5 };
const text = { type: 'string' } as const;
const { values: flags } = readFlags({
  options: {
    quick: { type: 'boolean', default: false },
    apps: { ...text, default: '1000' },
    resources: { ...text, default: '20' },
    clients: { ...text, default: '200' },
    seconds: { ...text, default: '60' },
    help: { type: 'boolean', default: false },
  },
});
/** Linux counts in hundredths of a second. */
const TICK = 10;
const AT_ONCE = 4;

/** Milliseconds of all threads of a process. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

type Ask = () => Promise<void>;

/** CPU of the server for one of each, in blocks that take turns, so that what else goes on meets both. */
async function compare(pid: number, one: Ask, other: Ask, rounds: number, block: number): Promise<[number, number]> {
  const used: [number, number] = [0, 0];
  for (let round = -1; round < rounds; round++)
    for (const [index, ask] of [one, other].entries()) {
      const before = cpuOf(pid);
      for (let at = 0; at < block; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, ask));
      // The first round warms up.
      if (round >= 0) used[index as 0 | 1] += cpuOf(pid) - before;
    }
  return [used[0] / (rounds * block), used[1] / (rounds * block)];
}

async function callers(task: CallersTask): Promise<CallersResult> {
  const child = fork(join(import.meta.dirname, 'grpc/callers.ts'), { execArgv: ['--import', 'tsx'] });
  child.send(task);
  const [result] = (await once(child, 'message')) as [CallersResult];
  return result;
}

async function measureGet({ url, serverPid }: ServedFleet, token: string): Promise<number> {
  const client = webClient(url);
  const name = 'app-0007';
  const rest = async (): Promise<void> => {
    const answer = await fetch(`${url}/api/v1/applications/${name}`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`REST answers ${answer.status}`);
  };
  const web = async (): Promise<void> => {
    const { code, message } = await client.call('application.ApplicationService/Get', { name }, { token });
    if (code !== 0) throw new Error(`gRPC-Web answers ${code} ${message}`);
  };
  const [ofRest, ofWeb] = await compare(serverPid, rest, web, flags.quick ? 4 : 20, flags.quick ? 100 : 400);
  const ratio = ofWeb / ofRest;
  process.stdout.write(
    `one application: ${ofRest.toFixed(2)} ms CPU over REST, ${ofWeb.toFixed(2)} ms over gRPC-Web: ` +
      `${ratio.toFixed(2)} times (bar ${BARS.ratio})\n`,
  );
  return ratio;
}

async function measureCrowd(
  { url, cluster }: ServedFleet,
  token: string,
  { clients, seconds, apps }: { readonly clients: number; readonly seconds: number; readonly apps: number },
): Promise<{ readonly delay: number; readonly failures: number }> {
  const metrics = async (): Promise<string> =>
    (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  await metrics();
  let isOver = false;
  const changes = (async () => {
    for (let round = 0; !isOver; round++) {
      const name = `app-${String((round * 7) % apps).padStart(4, '0')}`;
      const body = { metadata: { labels: { round: String(round) } } };
      await cluster.patch(APPLICATIONS, { namespace: 'argocd', name }, { type: 'merge', body });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const groups = Math.max(1, Math.ceil(clients / 100));
  const results = await Promise.all(
    Array.from({ length: groups }, () => callers({ url, token, clients: Math.ceil(clients / groups), seconds })),
  );
  isOver = true;
  await changes;
  const delay = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await metrics())?.[1] ?? 0);
  const sorted = results.flatMap(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  const failures = results.flatMap((result) => Object.entries(result.failures));
  process.stdout.write(
    `${clients} clients for ${seconds} s: ${results.reduce((sum, { calls }) => sum + calls, 0)} answers ` +
      `(p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), ${results.reduce((sum, { events }) => sum + events, 0)} messages of ` +
      `streams, ${failures.length} sorts of failures; delay of the thread p99 ${(delay * 1000).toFixed(0)} ms ` +
      `(bar ${BARS.delay * 1000})\n`,
  );
  for (const [name, count] of failures) process.stdout.write(`  ${count} x ${name}\n`);
  return { delay, failures: failures.length };
}

async function main(): Promise<number> {
  const [apps, resources, clients, seconds] = flags.quick
    ? [100, 5, 20, 5]
    : [Number(flags.apps), Number(flags.resources), Number(flags.clients), Number(flags.seconds)];
  const fleet = await serveFleet(apps, resources);
  try {
    const token = await signIn(fleet.url, 'admin', fleet.password);
    process.stdout.write(`${apps} applications, ${apps * resources} resources\n`);
    const ratio = await measureGet(fleet, token);
    const { delay, failures } = await measureCrowd(fleet, token, { clients, seconds, apps });
    return failures === 0 && (flags.quick || (delay < BARS.delay && ratio <= BARS.ratio)) ? 0 : 1;
  } finally {
    await fleet.close();
  }
}

if (flags.help) process.stdout.write(HELP);
else process.exitCode = await main();
