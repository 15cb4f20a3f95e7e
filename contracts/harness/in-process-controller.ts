import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Audit } from '../../src/audit/index.js';
import { pollDelays } from './poll-delays.js';
import { loadCatalogue, startController, type Shard } from '../../src/control/index.js';
import { connect, loadKubeconfig, systemClock, type Clock, type Cluster } from '../../src/cluster/index.js';
import { plainLogger, reportTo } from '../../src/model/logging/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
export const CRDS = join(ROOT, 'crds');

/** Our controller in this process, for suites that move its clock or read what it says. */
export interface InProcessController {
  /** Everything that it logged. */
  readonly log: readonly string[];
  /** Waits for the end of so many looks at applications. */
  waitForReconciles(times: number): Promise<void>;
  /** Everything that it publishes. */
  /** Status and text of its /readyz. */
  ready(): Promise<string>;
  metrics(): Promise<string>;
  /** A number that it publishes, 0 where it has not counted anything yet. */
  metric(name: string): Promise<number>;
  /** Waits until such a number has grown. */
  waitForMetric(name: string, least: number): Promise<void>;
  /** Waits for a line with these words. */
  waitForLogLine(words: string): Promise<string>;
  stop(): Promise<void>;
}

export interface InProcessControllerOptions {
  readonly kubeconfigPath: string;
  readonly namespace: string;
  readonly clock?: Clock;
  readonly takesOver?: boolean;
  readonly isReadOnly?: boolean;
  readonly shard?: Shard;
  /** Kept after the end, for another life in it. */
  readonly data?: string;
  readonly audit?: Audit;
}

const WAIT_LIMIT = 20_000;

export async function connectCluster(
  kubeconfigPath: string,
  log: (line: string) => void = () => undefined,
): Promise<Cluster> {
  const config = await loadKubeconfig({ path: kubeconfigPath, environment: {}, defaultPath: kubeconfigPath });
  return connect(
    config,
    { clock: systemClock, random: Math.random, report: log },
    { version: '0.0.0', environment: {} },
  );
}

export async function startInProcessController({
  kubeconfigPath,
  namespace,
  clock = systemClock,
  takesOver = false,
  isReadOnly = false,
  shard,
  data: kept,
  audit,
}: InProcessControllerOptions): Promise<InProcessController> {
  const lines: string[] = [];
  const log = plainLogger((line) => {
    lines.push(line);
  });
  const cluster = await connectCluster(kubeconfigPath, reportTo(log));
  const data = kept ?? mkdtempSync(join(tmpdir(), 'argosy-in-process-'));
  const controller = await startController({
    cluster,
    namespace,
    takesOver,
    log,
    data,
    world: { clock, random: Math.random, report: reportTo(log) },
    profile: 'kubernetes',
    environment: { PATH: process.env['PATH'] },
    version: '0.0.0',
    catalogue: loadCatalogue(join(ROOT, 'catalogue')),
    crds: CRDS,
    runner: join(ROOT, 'runner'),
    renderWorker: pathToFileURL(join(ROOT, 'dist/render-worker.js')),
    remoteHosts: [],
    fileRepositories: [tmpdir()],
    isReadOnly,
    identity: data,
    metricsPort: 0,
    ...(shard === undefined ? {} : { shard }),
    ...(audit === undefined ? {} : { audit }),
  });
  const metrics = async (): Promise<string> => (await fetch(`${controller.metricsUrl}/metrics`)).text();
  const metric = async (name: string): Promise<number> => {
    const text = await metrics();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1) ?? 0,
    );
  };
  const counted = async (name: string, least: number): Promise<void> => {
    for (const end = Date.now() + WAIT_LIMIT, next = pollDelays(); (await metric(name)) < least; await next()) {
      if (Date.now() > end)
        throw new Error(`${name} is ${await metric(name)}, not ${least}; it said:\n${lines.slice(-20).join('\n')}`);
    }
  };
  return {
    log: lines,
    ready: async () => {
      const answer = await fetch(`${controller.metricsUrl}/readyz`);
      return `${answer.status} ${await answer.text()}`;
    },
    metrics,
    metric,
    waitForMetric: counted,
    waitForReconciles: (times) => counted('argosy_passes_total', times),
    waitForLogLine: async (words) => {
      for (const end = Date.now() + WAIT_LIMIT, next = pollDelays(); ; await next()) {
        const line = lines.find((each) => each.includes(words));
        if (line !== undefined) return line;
        if (Date.now() > end) throw new Error(`it never said "${words}"; it said:\n${lines.slice(-20).join('\n')}`);
      }
    },
    stop: async () => {
      await controller.close();
      await cluster.close();
      if (kept === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}
