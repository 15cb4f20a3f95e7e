import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { tmpdir } from 'node:os';
import { cachedParts } from '../../real/part-table.js';
import { inLanes } from '../../harness/in-lanes.js';
import { programImage } from '../images.js';
import { COREFILE } from '../dns.js';
import { startRealNode, whyNoNode, type RealNode } from '../real-node.js';
import { openApi, type Api } from './api.js';
import { FAULT_LABEL, readMoment, writeDump } from './dump.js';
import { MOMENTS, namespaceOf, type Change, type FaultObject, type NodeFault } from './fault.js';
import { isNamespaced, pathOf } from './kinds.js';
import { startSickRegistry, type SickRegistry } from './registry.js';
import { APPLICATION_IMAGE, shopObjects, styleOf, webOf } from './shop.js';

const run = promisify(execFile);

/** Why faults cannot happen here, as the name of a skipped suite; undefined where they can. */
export function whyNoLab(): string | undefined {
  const reason = whyNoNode();
  if (reason !== undefined) return reason;
  return cachedParts(['node-application']).missing.length > 0
    ? 'skipped: the real node (not there: node-application; npm run parts)'
    : undefined;
}

/** A real node on which faults happen, many at a time, each in a namespace of its own. */
export interface Lab {
  readonly node: RealNode;
  /** Lets faults happen and records a dump of each at its moments; the answer is where each was written. */
  record(faults: readonly NodeFault[], dir: string): Promise<readonly Recording[]>;
  stop(): Promise<void>;
}

export interface Recording {
  readonly fault: NodeFault;
  /** 0, 1, 2. */
  readonly moment: number;
  /** A folder as `argosy triage -f` reads it. */
  readonly dump: string;
}

export async function openLab(): Promise<Lab> {
  const { paths } = cachedParts(['node-application']);
  const node = await startRealNode({
    images: [programImage(APPLICATION_IMAGE, paths['node-application'])],
    names: (hostAddress) => ({ 'registry.test': hostAddress }),
  });
  try {
    await node.until(
      ['get', 'deploy', '-n', 'kube-system', 'coredns', '-o', 'jsonpath={.status.readyReplicas}'],
      (printed) => printed === '1',
    );
    const registry = await startSickRegistry(node.sandbox.hostAddress);
    allowPlainHttp(node, registry);
    const api = openApi(node.plane);
    return {
      node,
      record: (faults, dir) => new Batch(node, api, registry, faults).record(dir),
      async stop() {
        await api.close();
        await registry.close();
        await node.stop();
      },
    };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

function allowPlainHttp({ containerd }: RealNode, { host }: SickRegistry): void {
  const dir = join(containerd.registries, host);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'hosts.toml'), `server = "http://${host}"\n`);
}

const READY_WITHIN = 300;

class Batch {
  readonly #began: number[] = [];

  constructor(
    readonly node: RealNode,
    readonly api: Api,
    readonly registry: SickRegistry,
    readonly faults: readonly NodeFault[],
  ) {}

  async record(dir: string): Promise<readonly Recording[]> {
    try {
      await inLanes(4, [...this.faults.keys()], (index) => this.#prepare(index));
      await inLanes(4, [...this.faults.keys()], (index) => this.#begin(index));
      const recordings: Recording[] = [];
      for (const moment of MOMENTS.keys()) {
        await this.#reach(moment);
        const now = await readMoment(this.api);
        for (const fault of this.faults) {
          const dump = join(dir, `${fault.fault}_${moment}`);
          rmSync(dump, { recursive: true, force: true });
          writeDump(now, namespaceOf(fault), dump);
          recordings.push({ fault, moment, dump });
        }
      }
      return recordings;
    } finally {
      await this.#clear();
    }
  }

  /** What is there before: the shop, healthy. */
  async #prepare(index: number): Promise<void> {
    const fault = this.#fault(index);
    const namespace = namespaceOf(fault);
    await this.api.apply(pathOf('Namespace', namespace, ''), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, ...(fault.labels === undefined ? {} : { labels: fault.labels }) },
    });
    // Pods that come before it are refused, which is a fault of its own.
    await this.#until(async () => (await this.api.text(pathOf('ServiceAccount', 'default', namespace))) !== undefined);
    const shop = fault.shop === undefined ? [] : shopObjects(fault.shop, styleOf(index));
    for (const object of [...(fault.given ?? []), ...(shop as FaultObject[])]) await this.#apply(object, namespace);
    if (fault.shop !== undefined) await this.#until(() => this.#isServing(namespace));
  }

  async #isServing(namespace: string): Promise<boolean> {
    const path = pathOf('Deployment', '', namespace).slice(0, -1);
    const list = (await this.api.get(path)) as { items: { status?: { readyReplicas?: number } }[] };
    return list.items.every(({ status }) => status?.readyReplicas === 1);
  }

  async #begin(index: number): Promise<void> {
    const fault = this.#fault(index);
    const namespace = namespaceOf(fault);
    const web = webOf(fault);
    const objects = [...(fault.objects ?? []), ...(web === undefined ? [] : [web as FaultObject])];
    for (const object of objects) await this.#apply(object, namespace);
    for (const change of fault.change ?? []) await this.#change(change, namespace);
    for (const [program = '', ...args] of fault.inside ?? []) await this.node.sandbox.run(program, args);
    if (fault.stop === 'kubelet') await this.node.kubelet.child.stop('SIGKILL');
    if (fault.stop === 'containerd') await this.node.containerd.child.stop('SIGKILL');
    this.#began[index] = performance.now();
  }

  async #apply(object: FaultObject, namespace: string): Promise<void> {
    const { kind, metadata } = object;
    const own = isNamespaced(kind) ? {} : { labels: { [FAULT_LABEL]: namespace } };
    const filled = this.#filled({ ...object, metadata: { ...own, ...metadata } }, namespace) as FaultObject;
    await this.api.apply(pathOf(kind, filled.metadata.name, namespace), filled);
  }

  /** What is known only now: addresses, names, and what is there without a fault. */
  #filled(object: object, namespace: string): object {
    const values: Readonly<Record<string, string>> = {
      REGISTRY_PORT: this.registry.host.split(':').at(-1) ?? '',
      REGISTRY: this.registry.host,
      NAMESPACE: namespace,
      COREFILE,
    };
    const fill = (text: string): string =>
      text.replaceAll(/REGISTRY_PORT|REGISTRY|NAMESPACE|COREFILE/g, (word) => values[word] ?? word);
    return JSON.parse(JSON.stringify(object), (_, value: unknown) =>
      typeof value === 'string' ? fill(value) : value,
    ) as object;
  }

  async #change(change: Change, namespace: string): Promise<void> {
    if ('make' in change) return this.#apply(change.make, namespace);
    if ('drop' in change) {
      const [kind = '', name = ''] = change.drop.split('/');
      return this.api.remove(pathOf(kind, name, namespace));
    }
    if ('merge' in change) {
      const [kind = '', name = ''] = change.of.split('/');
      return this.api.patch(pathOf(kind, name, change.in ?? namespace), this.#filled(change.merge, namespace));
    }
    const env = Object.entries(change.set).map(([name, value]) =>
      value === null ? { $patch: 'delete', name } : { name, value },
    );
    const containers = [{ name: change.env, env }];
    return this.api.patch(pathOf('Deployment', change.env, namespace), {
      spec: { template: { spec: { containers } } },
    });
  }

  async #reach(moment: number): Promise<void> {
    const until = this.faults.map(
      (fault, index) => (this.#began[index] ?? 0) + 1000 * ((fault.moments ?? MOMENTS)[moment] ?? 0),
    );
    await delay(Math.max(0, Math.max(...until) - performance.now()));
  }

  async #clear(): Promise<void> {
    for (const fault of this.faults) {
      for (const [program = '', ...args] of fault.undo ?? []) await this.node.sandbox.run(program, args);
      for (const change of fault.restore ?? []) await this.#change(change, namespaceOf(fault));
      if (fault.stop === 'containerd') await this.node.containerd.launch();
      if (fault.stop === 'kubelet') this.node.kubelet.start();
      await this.#remove(fault);
    }
    // The next ones shall find the node as these did.
    for (const fault of this.faults) {
      const path = pathOf('Pod', '', namespaceOf(fault)).slice(0, -1);
      await this.#until(async () => ((await this.api.get(path)) as { items: unknown[] }).items.length === 0);
    }
  }

  async #remove(fault: NodeFault): Promise<void> {
    const namespace = namespaceOf(fault);
    const made = [...(fault.objects ?? []), ...(fault.given ?? [])];
    for (const { kind, metadata } of made)
      if (!isNamespaced(kind) && kind !== 'Node')
        await this.api.remove(pathOf(kind, metadata.name.replace('NAMESPACE', namespace), ''));
    await this.api.remove(pathOf('Namespace', namespace, ''));
  }

  #fault(index: number): NodeFault {
    const fault = this.faults[index];
    if (fault === undefined) throw new RangeError(`no fault ${index}`);
    return fault;
  }

  async #until(isDone: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + READY_WITHIN * 1000;
    while (!(await isDone())) {
      if (Date.now() > deadline)
        throw new Error(`${this.faults.map(({ fault }) => fault).join(', ')}: not as they should be in time`);
      await delay(200);
    }
  }
}

/** One file of a folder, in which it is the one folder. */
export async function packDump(dump: string, to: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'argosy-dump-'));
  try {
    await run('tar', ['-C', join(dump, '..'), '-czf', join(work, 'dump.tar.gz'), join(dump).split('/').at(-1) ?? '']);
    await run('mv', [join(work, 'dump.tar.gz'), to]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
