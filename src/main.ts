#!/usr/bin/env -S node --disable-proto=delete
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCli, type CliTools, type RunningServer, type ServerOptions } from './cli/index.js';

// Keys such as __proto__ are ordinary here. The flag in the first line says the same for `argosy`; this line says it
// for `node dist/main.js`.
Reflect.deleteProperty(Object.prototype, '__proto__');

const VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
const WORLD = fileURLToPath(new URL('../world', import.meta.url));

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  version: VERSION,
  catalogue: fileURLToPath(new URL('../catalogue', import.meta.url)),
  now: Date.now,
  world: WORLD,
  startApiServer,
  openTools,
  openStories: async () => (await import('../world/demo/index.js')).openStories(join(WORLD, 'stories')),
  untilStopped,
});

/** A world has an outside too: a git server, and functions that its controllers may ask. */
async function startApiServer(options: ServerOptions): Promise<RunningServer> {
  const apiserver = await import('./apiserver/index.js');
  if (options.world === undefined) return apiserver.startApiServer(options);
  const [{ openOutside }, { connect, loadKubeconfig, systemClock }] = await Promise.all([import('../world/demo/index.js'), import('./cluster/index.js')]);
  const outside = await openOutside({ folder: join(options.data, 'demo'), report: options.log });
  try {
    const server = await apiserver.startApiServer({ ...options, probes: outside.probes });
    const config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig });
    const cluster = connect(config, { clock: systemClock, random: Math.random, report: options.log }, { version: VERSION, environment: {} });
    await outside.tell(cluster);
    await cluster.close();
    return { ...server, close: () => server.close().finally(() => outside.close()) };
  } catch (error) {
    await outside.close();
    throw error;
  }
}

/** Private folders are made where temporary files are: a command has no data directory of its own. */
async function openTools(named: readonly string[]): Promise<CliTools> {
  const { evaluateJsonnet, runPlugin, Tools } = await import('./tools/index.js');
  const directory = join(tmpdir(), `argosy-tools-${process.getuid?.() ?? 0}`);
  const after = (milliseconds: number, act: () => void): (() => void) => {
    const timer = setTimeout(act, milliseconds);
    return () => { clearTimeout(timer); };
  };
  const tools = await Tools.open({ named, directory, after });
  return {
    jsonnet: (tree, path, settings) => evaluateJsonnet(tools, tree, path, settings),
    plugin: (name, request) => runPlugin(tools, { ...request, name, plugin: {} }),
  };
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}
