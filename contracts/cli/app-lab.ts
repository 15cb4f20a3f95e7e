import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../src/apiserver/index.js';
import { type CliHost, runCli } from '../../src/cli/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster } from '../../src/cluster/index.js';
import { installCrds, readCrds } from '../../src/control/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { APPLICATIONS, NAMESPACES } from '../../src/model/resources/index.js';

const ROOT = join(import.meta.dirname, '../..');

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A cluster with our kinds, a command line that talks to it, and hands that play the controller. */
export interface AppLab {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  run(argv: readonly string[], world?: Partial<CliHost>): Promise<Ran>;
  /** Creates an application `name` with what is given over a plain one. */
  create(
    name: string,
    more?: {
      readonly namespace?: string;
      readonly labels?: Record<string, string>;
      readonly spec?: object;
      readonly status?: object;
      readonly finalizers?: string[];
    },
  ): Promise<KubeObject>;
  get(name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** Writes these members over the application's own; undefined takes one away. */
  write(name: string, members: Readonly<Record<string, unknown>>): Promise<void>;
  /** Does something as soon as the application looks so; resolves when it is done. */
  when(name: string, isSo: (application: KubeObject) => boolean, act: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export const NOW = Date.parse('2026-10-06T12:00:00Z');

export async function openAppLab(options: { readonly controllers?: boolean } = {}): Promise<AppLab> {
  const data = mkdtempSync(join(tmpdir(), 'argosy-app-'));
  const server = await startApiServer({
    data,
    port: 0,
    controllers: options.controllers ?? false,
    log: NO_LOG,
  });
  const config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig });
  const cluster = connect(
    config,
    { clock: systemClock, random: Math.random, report: () => undefined },
    { version: '0.0.0', environment: {} },
  );
  await installCrds(cluster, await readCrds(join(ROOT, 'crds'), ['application.yaml', 'appproject.yaml']));
  for (const name of ['argocd', 'team', 'shop'])
    await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const get = (name: string, namespace = 'argocd'): Promise<KubeObject | undefined> =>
    cluster.get(APPLICATIONS, { namespace, name });
  return {
    cluster,
    kubeconfig: server.kubeconfig,
    get,
    run: (argv, world = {}) => runCommand([...argv, '--kubeconfig', server.kubeconfig], world),
    create: (name, more = {}) => cluster.create(APPLICATIONS, plainApplication(name, more)),
    write: async (name, members) => {
      const found = await get(name);
      if (found === undefined) throw new Error(`no application ${name}`);
      await cluster.update(APPLICATIONS, { ...found, ...members } as KubeObject);
    },
    when: (name, isSo, act) => when(cluster, name, isSo, act),
    close: async () => {
      await cluster.close();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function plainApplication(
  name: string,
  { namespace = 'argocd', labels = {}, spec = {}, status, finalizers = [] }: Parameters<AppLab['create']>[1] & object,
): KubeObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace, labels, finalizers },
    spec: {
      project: 'default',
      source: { repoURL: 'https://git.example.com/shop.git', path: 'web', targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  } as KubeObject;
}

/** A world with nothing in it but what is given. */
export function labWorld(more: Partial<CliHost>): CliHost {
  const no = (what: string) => (): Promise<never> => Promise.reject(new Error(`no ${what} here`));
  return {
    environment: { USER: 'kim', ARGOSY_ALLOW_FILE_REPOS: tmpdir() },
    version: '1.2.3',
    catalogue: join(ROOT, 'catalogue'),
    runner: '',
    crds: join(import.meta.dirname, '../../crds'),
    world: '',
    now: () => NOW,
    stdout: { write: () => undefined },
    stderr: { write: () => undefined },
    startApiServer: no('server'),
    spawnApiServer: no('server'),
    startController: no('controller'),
    openService: no('service'),
    startApi: no('API'),
    openTools: no('tools'),
    openStories: no('stories'),
    startDemo: no('demo'),
    inspect: no('controller'),
    inspectMany: no('controller'),
    renderLocal: no('controller'),
    generate: no('controller'),
    confirm: no('person to ask'),
    untilStopped: () => new Promise(() => undefined),
    ...more,
  };
}

/** One command, with what it printed. */
export async function runCommand(argv: readonly string[], more: Partial<CliHost>): Promise<Ran> {
  const written = { out: '', err: '' };
  const code = await runCli(
    argv,
    labWorld({
      stdout: { write: (text) => (written.out += text) },
      stderr: { write: (text) => (written.err += text) },
      ...more,
    }),
  );
  return { code, ...written };
}

async function when(
  cluster: Cluster,
  name: string,
  isSo: (application: KubeObject) => boolean,
  act: () => Promise<void>,
): Promise<void> {
  const done = new AbortController();
  const { items, resourceVersion } = await cluster.list(APPLICATIONS, {
    namespace: 'argocd',
    fieldSelector: `metadata.name=${name}`,
  });
  if (!items.some(isSo)) {
    await cluster
      .watch(
        APPLICATIONS,
        { namespace: 'argocd', fieldSelector: `metadata.name=${name}`, resourceVersion },
        {
          event: (event) => {
            if (event.type !== 'BOOKMARK' && isSo(event.object)) done.abort();
          },
        },
        done.signal,
      )
      .catch((error: unknown) => {
        if (!done.signal.aborted) throw error;
      });
  }
  await act();
}
