import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { readOneYaml } from '../../model/yaml/index.js';
import type { Tree, TreeNode } from '../../model/formats/index.js';
import type { RenderRequest } from '../../render/index.js';
import { endingOf, realAfter } from '../testing/hostile-environment.js';
import { RenderPool, type RenderPoolOptions } from '../manifests/render-pool.js';

interface Hostile {
  readonly name: string;
  readonly fault: string;
  readonly files: Readonly<Record<string, string>>;
  readonly isChart?: boolean;
}

const TABLE = 'hostile-applications.yaml';
const hostile = readOneYaml(readFileSync(join(import.meta.dirname, TABLE), 'utf8'), {
  dialect: 'kubernetes',
  file: TABLE,
}) as unknown as readonly Hostile[];

const LIMIT = 60_000;
/** Milliseconds after which a render yields the processor. */
const SLOW = 1000;

let pool: RenderPool | undefined;
afterEach(() => pool?.close());

/** The times are those at which a test gives up, far above what anything here takes. */
function open(options: Partial<RenderPoolOptions> = {}): RenderPool {
  pool = new RenderPool({
    worker: new URL('../../../dist/render-worker.js', import.meta.url),
    workers: 2,
    milliseconds: LIMIT,
    megabytes: 128,
    after: realAfter,
    ...options,
  });
  return pool;
}

/** Timers that end when the test says so; `timer` is the first that is wanted. */
function capture(isWanted: (milliseconds: number) => boolean): {
  readonly after: RenderPoolOptions['after'];
  readonly timer: Promise<() => void>;
  count(): number;
} {
  let count = 0;
  let after: RenderPoolOptions['after'] = () => () => undefined;
  const timer = new Promise<() => void>((resolve) => {
    after = (milliseconds, act) => {
      if (isWanted(milliseconds)) {
        count++;
        resolve(act);
      }
      return () => undefined;
    };
  });
  return { after, timer, count: () => count };
}

function treeOf(name: string, files: Readonly<Record<string, string>>): Tree {
  const root = new Map<string, TreeNode>();
  for (const [path, text] of Object.entries(files)) {
    const names = path.split('/');
    let entries = root;
    for (const folder of names.slice(0, -1)) {
      const inner =
        (entries.get(folder) as { entries: Map<string, TreeNode> } | undefined)?.entries ?? new Map<string, TreeNode>();
      entries.set(folder, { kind: 'folder', id: `${name}/${folder}`, entries: inner });
      entries = inner;
    }
    entries.set(names.at(-1) ?? '', { kind: 'file', id: text, executable: false, bytes: Buffer.from(text) });
  }
  return { repository: 'https://git.example/shop', commit: name, root: { kind: 'folder', id: name, entries: root } };
}

function request(name: string, files: Readonly<Record<string, string>>, project = 'default'): RenderRequest {
  return {
    tree: treeOf(name, files),
    source: { repoURL: 'https://git.example/shop' },
    refs: new Map(),
    fetched: new Map(),
    application: { name, namespace: 'argocd', project },
    destinationNamespace: 'prod',
    kubeVersion: '1.34.4',
    apiVersions: [],
    host: { now: () => 0n, random: (count) => new Uint8Array(count), zone: 'UTC' },
  };
}

const CHART = { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n' };
const normal = (name: string, project?: string): RenderRequest =>
  request(
    name,
    {
      ...CHART,
      'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n',
    },
    project,
  );

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function renderedName(rendering: Promise<unknown>): Promise<unknown> {
  return ((await rendering) as { outcome: { manifests: { object: { metadata: { name: string } } }[] } }).outcome
    .manifests[0]?.object.metadata.name;
}

describe('a hostile repository costs at most its own application', () => {
  it(`${hostile.length} hostile applications in one pool, each beside a normal one`, async () => {
    const all = open();
    const work = hostile.map(
      ({ files, isChart = true }, index) =>
        [
          endingOf(() => all.render(request(`hostile-${index}`, isChart ? { ...CHART, ...files } : files))),
          renderedName(all.render(normal(`normal-${index}`))),
        ] as const,
    );
    const ended = await Promise.all(work.map(([bad]) => bad));
    expect(ended.map(({ code }, index) => `${hostile[index]?.name ?? ''}: ${code}`)).toEqual(
      hostile.map(({ name, fault }) => `${name}: ${fault}`),
    );
    expect(await Promise.all(work.map(([, good]) => good))).toEqual(hostile.map((_, index) => `normal-${index}`));
  });

  it('one that ends the process that renders it', async () => {
    const worker = new URL('killed-worker.mjs', import.meta.url);
    const all = open({ worker });
    const work = Array.from(
      { length: 6 },
      (_, index) =>
        [
          endingOf(() => all.render(request('killer', CHART))),
          renderedName(all.render(normal(`normal-${index}`))),
        ] as const,
    );
    for (const [index, [bad, good]] of work.entries()) {
      expect(await bad).toMatchObject({
        code: 'RENDER_LIMIT',
        output: expect.stringContaining('rendering crashed its process') as string,
      });
      expect(await good).toBe(`normal-${index}`);
    }
  });

  it('one that is stopped because its time is over, and those that wait for its place', async () => {
    const { after, timer } = capture((milliseconds) => milliseconds === LIMIT);
    const all = open({ workers: 1, after });
    const slow = endingOf(() =>
      all.render(
        request('slow', {
          ...CHART,
          'templates/a.yaml': '{{ range until 10000 }}{{ range until 10000 }}x{{ end }}{{ end }}',
        }),
      ),
    );
    const waiting = [renderedName(all.render(normal('first'))), renderedName(all.render(normal('second')))];
    (await timer)();
    expect(await slow).toMatchObject({
      code: 'RENDER_LIMIT',
      output: expect.stringContaining('took longer') as string,
    });
    expect(await Promise.all(waiting)).toEqual(['first', 'second']);
  });

  it('one that takes long, and everything else on the machine', async () => {
    const { after, timer } = capture((milliseconds) => milliseconds === SLOW);
    const all = open({ worker: new URL('hanging-worker.mjs', import.meta.url), workers: 1, after });
    const slow = endingOf(() => all.render(request('endless', CHART)));
    (await timer)();
    const workers = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
      .split(' ')
      .filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('hanging-worker'));
    expect(workers.map((pid) => getPriority(Number(pid)))).toEqual([constants.priority.PRIORITY_BELOW_NORMAL]);
    await all.close();
    await slow;
  });

  it('24 of one project that never end, and the applications of others', async () => {
    const { after, timer, count } = capture((milliseconds) => milliseconds < SLOW);
    const all = open({ worker: new URL('hanging-worker.mjs', import.meta.url), workers: 1, after });
    const stuck = Array.from({ length: 24 }, () => endingOf(() => all.render(request('endless', CHART, 'hostile'))));
    const others = ['shop', 'bank', 'shop'].map((project, index) =>
      renderedName(all.render(normal(`app-${index}`, project))),
    );
    const takesLong = await timer;
    // No further process while the one that renders may still be short.
    expect(count()).toBe(1);
    takesLong();
    expect(await Promise.all(others)).toEqual(['app-0', 'app-1', 'app-2']);
    await all.close();
    // Not a fault of theirs: nothing of it may get into a status.
    for (const ending of stuck) expect((await ending).output).toContain('the process is stopping');
  });

  it('one that never ends, and the process that asked for it is killed', async () => {
    const parent = fork(fileURLToPath(new URL('abandoning-parent.mjs', import.meta.url)), [], {
      serialization: 'advanced',
      execArgv: [],
    });
    const endless = { 'templates/a.yaml': '{{ range until 10000 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}' };
    const tasks = [normal('first'), request('endless', { ...CHART, ...endless })];
    parent.send(tasks.map(({ host: _, ...rest }, id) => ({ id, request: rest })));
    const [worker] = (await once(parent, 'message')) as [number];
    try {
      parent.kill('SIGKILL');
      await expect.poll(() => isThere(worker), { timeout: LIMIT }).toBe(false);
    } finally {
      if (isThere(worker)) process.kill(worker, 'SIGKILL');
    }
  });

  it('H12: keys of the prototype are ordinary keys in the process that renders', async () => {
    const { outcome } = await open().render(
      request('proto', {
        ...CHART,
        'values.yaml': '__proto__: { polluted: yes }\n',
        'templates/a.yaml':
          'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: {{ toYaml .Values | nindent 2 }}\n',
      }),
    );
    expect(JSON.stringify(outcome)).toContain('"__proto__":{"polluted":true}');
  });
});
