import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiLab } from '../../contracts/api/api-lab.js';
import { openHangingCluster, type HangingCluster } from '../../contracts/harness/hanging-cluster.js';
import { GitRepository } from '../../contracts/harness/git-repository.js';
import { connectCluster } from '../../contracts/harness/in-process-controller.js';
import type { Cluster } from '../../src/cluster/index.js';
import { objectAt, textAt } from '../../src/model/json/index.js';
import { APPLICATIONS, APP_PROJECTS, CONFIG_MAPS, NAMESPACES, SECRETS } from '../../src/model/resources/index.js';
import { runTrials, type Proof } from './trials/proof.js';

const ARGOCD = 'argocd';
const HERE = 'https://kubernetes.default.svc';
const VICTIM = 'shop';
const HOSTILE = 'hostile';
/** Another one: what its own renders and servers hold up is its own affair. */
const STALLING = 'stalling';
/** Of each kind; more than work has places. */
const HOSTILE_APPLICATIONS = 30;
const QUIET_COMMITS = 15;
const MAX_DELAY = 2000;
/** A commit that is late is tried again: other programs run on this machine, too. All attempts count in the figures. */
const ATTEMPTS = 3;
const WITHIN = 120_000;
/** How often it is looked whether a commit has arrived. */
const LOOK = 20;
/** Of the clock that counts processor time. */
const TICKS = 100;

/** Each step takes long, so a render ends by its time, not by the number of its steps. */
const ENDLESS = '{{ range until 10000 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}';
const TEMPLATE = [
  'apiVersion: v1',
  'kind: ConfigMap',
  'metadata: { name: {{ .Release.Name }} }',
  'data: { turn: {{ .Values.turn | quote }} }',
  '',
].join('\n');

/** Accepts every connection and never answers. */
async function openHangingServer(): Promise<{ readonly url: string; count(): number; close(): void }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count++;
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function openChart(template: string): Promise<GitRepository> {
  const repository = await GitRepository.open(tmpdir(), [], (text) => text);
  await repository.write('chart/Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 1.0.0\n');
  await repository.write('chart/templates/all.tpl.yaml', template);
  await repository.commit();
  await repository.serve();
  return repository;
}

async function createProject(cluster: Cluster, name: string): Promise<void> {
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await cluster.create(APP_PROJECTS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: ARGOCD },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: name }] },
  });
}

async function createApplication(
  cluster: Cluster,
  project: string,
  name: string,
  repoURL: string,
  server = HERE,
): Promise<void> {
  await cluster.create(APPLICATIONS, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: ARGOCD },
    spec: {
      project,
      source: { repoURL, path: 'chart', targetRevision: 'HEAD' },
      destination: { server, namespace: project },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  });
}

/** A running `argosy up` with its tenants: one commits, and the others do harm once they are told to. */
class Tenants {
  #turn = 0;

  private constructor(
    private readonly lab: ApiLab,
    private readonly cluster: Cluster,
    private readonly shop: GitRepository,
    private readonly endless: GitRepository,
    private readonly sound: GitRepository,
    private readonly hanging: Awaited<ReturnType<typeof openHangingServer>>,
    private readonly writes: HangingCluster,
  ) {}

  static async open(): Promise<Tenants> {
    const lab = await ApiLab.open();
    const cluster = await connectCluster(lab.kubeconfig);
    for (const project of [VICTIM, HOSTILE, STALLING]) await createProject(cluster, project);
    const [shop, endless, sound] = [await openChart(TEMPLATE), await openChart(ENDLESS), await openChart(TEMPLATE)];
    await createApplication(cluster, VICTIM, VICTIM, shop.url);
    const writes = await openHangingCluster(lab.kubeconfig);
    return new Tenants(lab, cluster, shop, endless, sound, await openHangingServer(), writes);
  }

  /** Milliseconds from a commit, told by a webhook, until the cluster has it. */
  async commit(): Promise<number> {
    const turn = String(++this.#turn);
    await this.shop.write('chart/values.yaml', `turn: "${turn}"\n`);
    await this.shop.commit();
    const begun = performance.now();
    await this.#push(this.shop.url);
    for (;;) {
      const live = await this.cluster.get(CONFIG_MAPS, { namespace: VICTIM, name: 'shop' });
      const milliseconds = performance.now() - begun;
      if (live !== undefined && textAt(objectAt(live, 'data'), 'turn') === turn) return milliseconds;
      if (milliseconds > WITHIN) throw new Error(`commit ${turn} never arrived: ${this.lab.output.slice(-2000)}`);
      await delay(LOOK);
    }
  }

  /**
   * From now on, until the end: applications on a git server that hangs, applications whose renders never end, and
   * applications in a cluster that answers reads and no write.
   */
  async doHarm(): Promise<void> {
    await this.cluster.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'cluster-stalling',
        namespace: ARGOCD,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      stringData: { name: STALLING, server: this.writes.url, project: STALLING, config: '{}' },
    });
    for (let index = 0; index < HOSTILE_APPLICATIONS; index++) {
      await createApplication(this.cluster, HOSTILE, `hanging-${index}`, `${this.hanging.url}/app-${index}.git`);
      await createApplication(this.cluster, HOSTILE, `endless-${index}`, this.endless.url);
      await createApplication(this.cluster, STALLING, `unwritten-${index}`, this.sound.url, this.writes.url);
    }
    const end = performance.now() + WITHIN;
    for (;;) {
      const { connections, renderSeconds, writes } = this.harm;
      if (connections >= 8 && renderSeconds >= 2 && writes > 0) return;
      if (performance.now() > end)
        throw new Error(`the hostile applications never began: ${JSON.stringify(this.harm)}`);
      await delay(LOOK);
    }
  }

  /** What the others did so far. */
  get harm(): { readonly connections: number; readonly renderSeconds: number; readonly writes: number } {
    return { connections: this.hanging.count(), renderSeconds: this.#renderSeconds(), writes: this.writes.held };
  }

  async close(): Promise<void> {
    this.hanging.close();
    await this.cluster.close();
    await this.lab.close();
    this.writes.close();
    for (const repository of [this.shop, this.endless, this.sound]) await repository.close();
  }

  async #push(url: string): Promise<void> {
    const { status, text } = await this.lab.request('/api/webhook', {
      method: 'POST',
      token: '',
      headers: { 'x-github-event': 'push' },
      body: { ref: 'refs/heads/master', repository: { html_url: url, default_branch: 'master' }, commits: [] },
    });
    if (status !== 202) throw new Error(`the webhook was answered with ${status}: ${text}`);
  }

  /** Processor time of the processes that render now. */
  #renderSeconds(): number {
    const { pid } = this.lab;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + secondsOf(child), 0);
  }
}

/** Of a render process; 0 for any other, and for one that has ended. */
function secondsOf(pid: string): number {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('render-worker')) return 0;
    // Behind the name, which may have blanks: user and system time are the 12th and 13th field.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return 0;
  }
}

/**
 * Three tenants of one `argosy up`. One has 30 applications on a git server that accepts connections and never answers,
 * and 30 whose renders never end; one has 30 in a cluster that never answers a write; the third commits. Each commit
 * reaches the cluster at most 2 s later than commits do, by their median, before the others begin.
 */
export const proof: Proof = {
  name: 'fair-shares',
  sizes: { smoke: 3, full: 40 },
  async run(context) {
    const tenants = await Tenants.open();
    try {
      await tenants.commit();
      const quiet: number[] = [];
      for (let index = 0; index < QUIET_COMMITS; index++) quiet.push(await tenants.commit());
      const [median, slowest] = [medianOf(quiet), Math.max(...quiet)];
      context.log(`without the others: median ${Math.round(median)} ms, slowest ${Math.round(slowest)} ms`);
      await tenants.doHarm();
      const delays: number[] = [];
      const result = await runTrials(context, async () => {
        const late: number[] = [];
        let milliseconds = 0;
        for (let attempt = 0; attempt < ATTEMPTS && late.length === attempt; attempt++) {
          milliseconds = await tenants.commit();
          delays.push(milliseconds - median);
          if (milliseconds - median > MAX_DELAY) late.push(milliseconds - median);
        }
        const wrong = late.length === ATTEMPTS ? [`delayed by ${late.map(Math.round).join(', ')} ms`] : [];
        return { wrong, counts: { 'above 2 s': late.length }, samples: { 'commit ms': milliseconds } };
      });
      const { connections, renderSeconds, writes } = tenants.harm;
      const figures = {
        'without, p50 ms': median,
        'without, max ms': slowest,
        'longest delay ms': Math.max(...delays),
        'connections that hang': connections,
        'writes that hang': writes,
        'processor seconds of renders that run': renderSeconds,
      };
      for (const [name, value] of Object.entries(figures)) result.figures[name] = Math.round(value);
      return result;
    } finally {
      await tenants.close();
    }
  },
};

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
