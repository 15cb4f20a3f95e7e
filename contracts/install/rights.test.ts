import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAppLab, type AppLab } from '../cli/app-lab.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { GitRepository } from '../harness/git-repository.js';
import { pollDelays } from '../harness/poll-delays.js';
import { startChild, type Child } from '../real/child.js';
import { objectsAt, textAt, textsAt } from '../../src/model/json/index.js';
import { CONFIG_MAPS, DEPLOYMENTS, SECRETS } from '../../src/model/resources/index.js';
import { startRecordingProxy, type RecordingProxy } from './recording-proxy.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
const missing = embeddedMissing();
const WITHIN = 60_000;

/**
 * What is tried in case it is allowed, and done otherwise where it is not: the own namespace is there, as is whoever
 * else delivers, or the answer lies in the own namespace alone.
 */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  'argosy-controller': [
    'get namespaces',
    'get customresourcedefinitions.apiextensions.k8s.io',
    'list argocds.argoproj.io',
    'list deployments.apps',
    'list statefulsets.apps',
    'list notebookvalidationjobs.mlops.mlops.dev',
    'list notebookvalidationjobs.mlops.mlops.dev in argocd',
  ],
  'argosy-server': [],
};

describe.skipIf(missing !== undefined).each([
  ['narrow', ['--rights', 'narrow', '--deliver-to', 'shop']],
  ['wide', []],
])(missing ?? 'an installation with %s rights', (rights, flags) => {
  let lab: AppLab;
  let folder: string;
  let repository: GitRepository;
  const proxies = new Map<string, RecordingProxy>();
  const children: Child[] = [];

  /** The container of a Deployment as a process of this machine, with the rights of its account alone. */
  async function start(name: string): Promise<void> {
    const deployment = await lab.cluster.get(DEPLOYMENTS, { namespace: 'argocd', name });
    const [container] = objectsAt(deployment, 'spec', 'template', 'spec', 'containers');
    const kubeconfig = join(folder, `${name}.yaml`);
    const proxy = await startRecordingProxy(lab.kubeconfig, `system:serviceaccount:argocd:${name}`, kubeconfig);
    proxies.set(name, proxy);
    const own =
      name === 'argosy-server' ? ['--port=0', '--host=127.0.0.1'] : ['--metrics-port=0', '--metrics-address=127.0.0.1'];
    const args = [...textsAt(container, 'args'), ...own, `--data=${join(folder, name)}`, `--kubeconfig=${kubeconfig}`];
    children.push(startChild(process.execPath, ['--disable-proto=delete', MAIN, ...args], join(folder, `${name}.log`)));
  }

  const refused = (name: string): string[] => [
    ...new Set((proxies.get(name)?.seen ?? []).filter(({ status }) => status === 403).map(({ text }) => text)),
  ];
  const logOf = (name: string): string => readFileSync(join(folder, `${name}.log`), 'utf8');

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + WITHIN, next = pollDelays(); !(await holds()); await next()) {
      for (const child of children) child.assertAlive();
      if (Date.now() > end) throw new Error(`${what} did not come about:\n${logOf('argosy-controller').slice(-3000)}`);
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'argosy-rights-'));
    lab = await openAppLab({ controllers: true });
    const { code, err } = await lab.run(['install', '-o', 'apply', ...flags], { now: Date.now });
    if (code !== 0) throw new Error(err);
    repository = await GitRepository.open(folder, [], (text) => text);
    const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: red}\n';
    await repository.write('web/settings.yaml', map);
    await repository.commit();
    await repository.serve();
    await Promise.all([start('argosy-controller'), start('argosy-server')]);
  });
  afterAll(async () => {
    await Promise.all(children.map((child) => child.stop()));
    await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    await repository.close();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('delivers an application', async () => {
    await lab.create('web', {
      spec: {
        source: { repoURL: repository.url, path: 'web', targetRevision: 'master' },
        syncPolicy: { automated: { prune: true, selfHeal: true } },
      },
    });
    await until('Synced and Healthy', async () => {
      const status = (await lab.get('web'))?.status;
      return textAt(status, 'sync', 'status') === 'Synced' && textAt(status, 'health', 'status') === 'Healthy';
    });
    const settings = await lab.cluster.get(CONFIG_MAPS, { namespace: 'shop', name: 'settings' });
    expect(settings?.data).toEqual({ colour: 'red' });
  });

  it('keeps the first password of admin in a Secret, and no log has it', async () => {
    const read = () => lab.cluster.get(SECRETS, { namespace: 'argocd', name: 'argocd-initial-admin-secret' });
    await until('the server', () => Promise.resolve(logOf('argosy-server').includes('API on ')));
    const secret = await read();
    expect(secret?.metadata.annotations ?? {}).toEqual({});
    const password = Buffer.from(textAt(secret, 'data', 'password'), 'base64').toString();
    expect(password).toMatch(/^[\w-]{20}$/);
    const { out } = await lab.run(['admin', 'initial-password', '-n', 'argocd']);
    expect(out).toContain(password);
    expect(logOf('argosy-server')).not.toContain(password);
    expect(logOf('argosy-server')).toMatch(/API on https:\/\/localhost:\d+ /);
  });

  it('is refused nothing that it cannot do without', () => {
    const known = rights === 'wide' ? {} : TRIED;
    for (const name of proxies.keys())
      expect([name, refused(name).filter((text) => !known[name]?.includes(text))]).toEqual([name, []]);
  });
});
