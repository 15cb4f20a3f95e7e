import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readPlace } from '../../src/apiserver/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { NAMESPACES } from '../../src/model/resources/index.js';
import { demoImages, openOutside } from '../../world/demo/index.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { clearFolder, scratchFolder, startChild, type Child } from '../real/child.js';
import { startRealControlPlane, type ControlPlane } from '../real/control-plane.js';
import { accountKeys, startPlayedWorld } from '../real/played/played-world.js';
import { CONTROL_NAMESPACE, type DocumentsCluster, type DocumentsPlace } from './documents-place.js';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const WORLD = resolve(import.meta.dirname, '../../world');
/** The API server would speak SPDY to the nodes. */
const WEB_SOCKETS_AS_THEY_ARE = ['--feature-gates=TranslateStreamCloseWebsocketRequests=false'];
const READY_WITHIN = 120_000;

/**
 * A real API server with its controller manager and scheduler, the nodes and third-party controllers of the world
 * played beside it, and `argosy controller` and `argosy serve` as somebody starts them for it.
 */
export async function openReal(place: DocumentsPlace): Promise<DocumentsCluster> {
  const folder = scratchFolder('argosy-documents-real-');
  const ends: (() => Promise<void>)[] = [() => Promise.resolve(clearFolder(folder))];
  const end = async (): Promise<void> => {
    for (const each of ends.reverse()) await each();
  };
  try {
    const keys = accountKeys();
    const publicKey = join(folder, 'accounts.pub');
    writeFileSync(publicKey, keys.publicKey);
    const plane = await startRealControlPlane({
      etcdFsync: false,
      controllerManager: true,
      scheduler: true,
      apiserverArgs: [`--service-account-key-file=${publicKey}`, ...WEB_SOCKETS_AS_THEY_ARE],
    });
    ends.push(() => plane.stop());
    ends.push(await playWorld(plane, folder, place, keys.privateKey));
    return { ...(await startArgosy(plane, folder, place, ends)), close: end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** What is outside of the cluster and what is in it beside Kubernetes; gives its end. */
async function playWorld(
  plane: ControlPlane,
  folder: string,
  { gitUrl }: DocumentsPlace,
  accountKey: string,
): Promise<() => Promise<void>> {
  const outside = await openOutside({ folder: join(folder, 'demo'), report: () => undefined });
  const world = await startPlayedWorld({
    kubeconfigPath: plane.kubeconfigPath,
    url: plane.url,
    data: join(folder, 'nodes'),
    world: WORLD,
    accountKey,
    probes: outside.probes,
    processes: { images: demoImages(WORLD), reachable: [readPlace(new URL(gitUrl).host), ...outside.places] },
    log: NO_LOG,
  });
  const cluster = await connectCluster(plane.kubeconfigPath);
  await cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROL_NAMESPACE } });
  await outside.publishAddresses(cluster);
  await cluster.close();
  return async () => {
    await world.close();
    await outside.close();
  };
}

async function startArgosy(
  plane: ControlPlane,
  folder: string,
  { root }: DocumentsPlace,
  ends: (() => Promise<void>)[],
): Promise<Omit<DocumentsCluster, 'close'>> {
  const data = join(folder, 'data');
  mkdirSync(data);
  const start = (command: string, ...more: readonly string[]): Child => {
    const child = startChild(
      process.execPath,
      [
        ...['--disable-proto=delete', MAIN, command, '--kubeconfig', plane.kubeconfigPath, '--data', data],
        ...['--namespace', CONTROL_NAMESPACE, '--profile', 'openshift', '--allow-file-repos', root, ...more],
      ],
      join(folder, `${command}.log`),
    );
    ends.push(() => child.stop());
    return child;
  };
  await said(start('controller', '--metrics-port', '0'), /controller is running/);
  const [, url = ''] = await said(start('serve', '--port', '0'), /API on (\S+) for /);
  return {
    kubeconfig: plane.kubeconfigPath,
    data,
    url,
    environment: { ARGOSY_NAMESPACE: CONTROL_NAMESPACE, ARGOSY_PROFILE: 'openshift' },
  };
}

async function said(child: Child, words: RegExp): Promise<RegExpExecArray> {
  for (const end = performance.now() + READY_WITHIN; ; await pause(50)) {
    child.assertAlive();
    const log = readFileSync(child.logPath, 'utf8');
    const found = words.exec(log);
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`${String(words)} was never said: ${log}`);
  }
}
