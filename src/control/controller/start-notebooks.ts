import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster, ClientDependencies } from '../../cluster/index.js';
import type { ApplicationController } from './application-controller.js';
import { NotebookOperator, readNotebookSettings } from '../notebook/index.js';
import type { Logger } from '../../model/logging/index.js';

interface OperatorHost {
  readonly cluster: Cluster;
  readonly world: ClientDependencies;
  readonly namespace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly runner: string;
}

/** The notebook operator of a controller: same cluster, leadership and metrics. */
export async function startNotebooks(
  { cluster, world, namespace, environment, log, runner }: OperatorHost,
  controller: ApplicationController,
): Promise<NotebookOperator | undefined> {
  const files = await readRunner(runner);
  if (!files.has('run.py')) {
    log.warn(`notebooks are not run: the runner is missing in ${runner}`);
    return undefined;
  }
  return NotebookOperator.start({
    cluster,
    world,
    namespace,
    log,
    metrics: controller.metrics,
    runner: files,
    mayWrite: () => controller.isLeader,
    nonce: () => randomBytes(16).toString('hex'),
    settings: readNotebookSettings(environment),
    resolve: (url, ref, access) => controller.services.notebooks.resolve(url, ref, access),
    pollInterval: () => controller.settings.reconciliation.period || Infinity,
    image: () => controller.settings.notebookImage,
    passesSimulated: () => controller.settings.simulatedNotebooks === 'pass',
  });
}

async function readRunner(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.py')).sort() : [];
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)),
  );
}
