import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startChild, type Child } from './child.js';
import { freePorts } from './free-port.js';
import type { Place } from './control-plane.js';
import { builtPart } from './parts.js';

interface ManagerOptions {
  /** The server it serves: the real one or ours. */
  readonly kubeconfigPath: string;
  /** Where its log goes. */
  readonly dir: string;
  /** Private key for service account tokens; without it that controller stays off. */
  readonly serviceAccountKey?: string;
  /** Published to every namespace as kube-root-ca.crt. */
  readonly rootCa?: string;
  /** Where it runs; without it, beside the test. */
  readonly place?: Place;
}

const HEALTHY_WITHIN = 30_000;

/**
 * The real kube-controller-manager. Speaks JSON, so that it also runs on a server without protobuf. Its own default of
 * 20 requests a second makes 200 new Deployments wait 40 s for their first status: whoever waits would measure that.
 */
export async function startKubeControllerManager(options: ManagerOptions): Promise<Child> {
  const { serviceAccountKey, rootCa } = options;
  return start('kube-controller-manager', options, [
    '--use-service-account-credentials=false',
    '--controllers=*,-nodeipam,-route,-cloud-node-lifecycle',
    '--kube-api-qps=1000',
    '--kube-api-burst=1000',
    ...(serviceAccountKey === undefined ? [] : [`--service-account-private-key-file=${serviceAccountKey}`]),
    ...(rootCa === undefined ? [] : [`--root-ca-file=${rootCa}`]),
    ...(options.place === undefined ? [] : ['--enable-hostpath-provisioner=true']),
  ]);
}

/** The real kube-scheduler, in JSON as well. */
export async function startKubeScheduler(options: ManagerOptions): Promise<Child> {
  return start('kube-scheduler', options, []);
}

async function start(
  name: 'kube-controller-manager' | 'kube-scheduler',
  options: ManagerOptions,
  more: readonly string[],
): Promise<Child> {
  const program = await builtPart(name);
  const [port = 0] = await freePorts(1);
  const place = options.place ?? { address: '127.0.0.1', start: startChild };
  const child = place.start(
    program,
    [
      `--kubeconfig=${options.kubeconfigPath}`,
      `--authentication-kubeconfig=${options.kubeconfigPath}`,
      `--authorization-kubeconfig=${options.kubeconfigPath}`,
      '--authentication-tolerate-lookup-failure=true',
      '--kube-api-content-type=application/json',
      '--leader-elect=false',
      `--bind-address=${place.address}`,
      `--secure-port=${port}`,
      `--cert-dir=${join(options.dir, `${name}-certs`)}`,
      ...more,
    ],
    join(options.dir, `${name}.log`),
  );
  await healthy(child, `https://${place.address}:${port}/healthz`, name);
  return child;
}

async function healthy(child: Child, url: string, name: string): Promise<void> {
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const deadline = Date.now() + HEALTHY_WITHIN;
  try {
    for (;;) {
      child.assertAlive();
      if (await answers(url, agent)) return;
      if (Date.now() > deadline)
        throw new Error(`${name} is not healthy after ${HEALTHY_WITHIN / 1000} s; see ${child.logPath}`);
      await delay(50);
    }
  } finally {
    await agent.destroy();
  }
}

async function answers(url: string, agent: Agent): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent });
    await body.dump();
    return statusCode === 200;
  } catch {
    // Not listening yet; the caller has the deadline and watches the program.
    return false;
  }
}
