import { join } from 'node:path';
import type { ProcessOptions } from './apiserver/index.js';
import type { RunningServer, ServerOptions } from './cli/index.js';
import { reportTo } from './model/logging/index.js';
import { WORLD } from './package-folders.js';

/**
 * Starts the embedded cluster in this process. A world has an outside too: a git server, and functions that its
 * controllers may ask.
 */
export async function startEmbeddedServer(
  { processes, ...rest }: ServerOptions,
  version: string,
): Promise<RunningServer> {
  const apiserver = await import('./apiserver/index.js');
  if (rest.world === undefined)
    return apiserver.startApiServer({ ...rest, ...(await allowedProcesses(processes, false, [])) });
  const [{ openOutside }, { connect, loadKubeconfig, systemClock }] = await Promise.all([
    import('../world/demo/index.js'),
    import('./cluster/index.js'),
  ]);
  await (await import('./net/private-directory/index.js')).openPrivateDirectory(rest.data);
  const outside = await openOutside({
    folder: join(rest.data, 'demo'),
    report: reportTo(rest.log.child({ room: 'world' })),
  });
  try {
    const server = await apiserver.startApiServer({
      ...rest,
      ...(await allowedProcesses(processes, rest.world === WORLD, outside.places)),
      probes: outside.probes,
    });
    const config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig });
    const cluster = connect(
      config,
      { clock: systemClock, random: Math.random, report: reportTo(rest.log.child({ room: 'cluster' })) },
      { version, environment: {} },
    );
    await outside.publishAddresses(cluster);
    await cluster.close();
    return {
      ...server,
      close: async () => {
        try {
          await server.close();
        } finally {
          await outside.close();
        }
      },
    };
  } catch (error) {
    await outside.close();
    throw error;
  }
}

/** What an administrator lists; in the demo also its own images and git servers. */
async function allowedProcesses(
  processes: ServerOptions['processes'],
  isDemo: boolean,
  places: NonNullable<ProcessOptions['reachable']>,
): Promise<{ readonly processes?: ProcessOptions }> {
  if (processes === undefined) return {};
  const [{ readAllowedImage, readPlace }, { demoImages }] = await Promise.all([
    import('./apiserver/index.js'),
    import('../world/demo/index.js'),
  ]);
  const python = process.env['ARGOSY_PYTHON'];
  return {
    processes: {
      images: [...processes.images.map(readAllowedImage), ...(isDemo ? demoImages(WORLD) : [])],
      reachable: [...processes.reachable.map(readPlace), ...(isDemo ? places : [])],
      ...(python === undefined ? {} : { python }),
    },
  };
}
