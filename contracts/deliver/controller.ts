import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startInProcessController } from '../harness/in-process-controller.js';
import { startChild } from '../real/child.js';
import type { Api } from './api.js';
import { toolPath } from './case.js';
import type { DeliverCluster } from './clusters.js';

/** Our controller of one control-plane namespace. */
export interface Controller {
  readonly namespace: string;
  /** What it logged so far. */
  log(): string;
  stop(): Promise<void>;
}

/** As a user starts it, in a process of its own. */
export interface ControllerProcess extends Controller {
  readonly logPath: string;
}

const MAIN = process.env['ARGOSY_MAIN'] ?? join(import.meta.dirname, '../../dist/main.js');
const READY_WITHIN = 60_000;

type Settings = Readonly<Record<string, Record<string, string>>>;

/** Health of each resource stands in the status, where cases read it. */
const DEFAULTS: Settings = {
  'argocd-cm': {},
  'argocd-cmd-params-cm': { 'controller.resource.health.persist': 'true' },
};

/**
 * Starts a controller for one control-plane namespace, with its settings in place: in this process, which has loaded
 * the code already, unless it needs programs, or ARGOSY_MAIN names another build.
 */
export async function startController(
  cluster: DeliverCluster,
  namespace: string,
  settings: Settings,
  tools: readonly string[] = [],
): Promise<Controller> {
  if (tools.length > 0 || process.env['ARGOSY_MAIN'] !== undefined)
    return startControllerProcess(cluster, namespace, settings, tools);
  await prepareNamespace(cluster.api, namespace, settings);
  const controller = await startInProcessController({ kubeconfigPath: cluster.kubeconfigPath, namespace });
  await waitForProject(cluster.api, namespace);
  return { namespace, log: () => controller.log.join('\n'), stop: () => controller.stop() };
}

export async function startControllerProcess(
  cluster: DeliverCluster,
  namespace: string,
  settings: Settings,
  tools: readonly string[] = [],
): Promise<ControllerProcess> {
  await prepareNamespace(cluster.api, namespace, settings);
  const dir = mkdtempSync(join(tmpdir(), 'argosy-controller-'));
  const logPath = join(dir, 'controller.log');
  const log = (): string => readFileSync(logPath, 'utf8');
  const args = [
    'controller',
    '--kubeconfig',
    cluster.kubeconfigPath,
    '--data',
    join(dir, 'data'),
    '--namespace',
    namespace,
    '--allow-file-repos',
    tmpdir(),
  ];
  const child = startChild(
    process.execPath,
    [
      '--disable-proto=delete',
      MAIN,
      ...args,
      '--metrics-port',
      '0',
      ...tools.flatMap((name) => ['--tool', `${name}=${toolPath(name) ?? ''}`]),
    ],
    logPath,
  );
  const deadline = Date.now() + READY_WITHIN;
  while (!log().includes('controller is running')) {
    child.assertAlive();
    if (Date.now() > deadline) throw new Error(`the controller is not ready; its log:\n${log().slice(-2_000)}`);
    await delay(20);
  }
  await waitForProject(cluster.api, namespace);
  return {
    namespace,
    logPath,
    log,
    stop: async () => {
      await child.stop();
      if (process.env['ARGOSY_KEEP_LOGS'] === undefined) rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function prepareNamespace(api: Api, namespace: string, settings: Settings): Promise<void> {
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, '');
  for (const name of new Set([...Object.keys(DEFAULTS), ...Object.keys(settings)]))
    await writeSettings(api, namespace, name, { ...DEFAULTS[name], ...settings[name] });
}

/** A controller makes the project `default` where there is none. */
async function waitForProject(api: Api, namespace: string): Promise<void> {
  const id = { kind: 'AppProject', namespace, name: 'default' };
  for (const end = Date.now() + READY_WITHIN; (await api.get(id)) === undefined; await delay(20))
    if (Date.now() > end) throw new Error(`the controller of ${namespace} made no project`);
}

export function project(
  name: string,
  spec: object,
): { apiVersion: string; kind: string; metadata: { name: string }; spec: object } & Record<string, never> {
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name }, spec } as never;
}

/** Settings live in ConfigMaps with the label that Argo CD asks for. */
export async function writeSettings(
  api: Api,
  namespace: string,
  name: string,
  data: Record<string, string>,
): Promise<void> {
  const known = await api.get({ kind: 'ConfigMap', group: '', namespace, name });
  if (known !== undefined) await api.patch({ kind: 'ConfigMap', group: '', namespace, name }, { data });
  else
    await api.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
        data,
      },
      namespace,
    );
}
