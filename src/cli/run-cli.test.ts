import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Fault } from '../model/faults/index.js';
import { runCli } from './run-cli.js';
import type { CliHost, RunningServer, ServerOptions } from './host/cli-host.js';

/** Runs the command with a starter that records what it was asked, or fails. */
async function run(
  argv: readonly string[],
  environment: Record<string, string> = {},
  failure?: Error,
): Promise<{ code: number; out: string; err: string; started: ServerOptions[] }> {
  const written = { out: '', err: '' };
  const started: ServerOptions[] = [];
  const start = (options: ServerOptions): Promise<RunningServer> => {
    started.push(options);
    if (failure) return Promise.reject(failure);
    return Promise.resolve({
      url: 'https://127.0.0.1:1',
      kubeconfig: '/data/kubeconfig',
      close: () => Promise.resolve(),
    });
  };
  const host: CliHost = {
    environment,
    version: '1.2.3',
    catalogue: fileURLToPath(new URL('../../catalogue', import.meta.url)),
    runner: '',
    crds: '',
    world: '',
    now: () => 0,
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    startController: () => Promise.reject(new Error('no controller here')),
    openService: () => Promise.reject(new Error('no service here')),
    startApi: () => Promise.reject(new Error('no API here')),
    startApiServer: start,
    spawnApiServer: async (options) => ({
      ...(await start(options)),
      untilEnded: () => Promise.resolve(),
      onRestart: () => undefined,
    }),
    openTools: () => Promise.reject(new Error('no tools here')),
    openStories: () => Promise.reject(new Error('no stories here')),
    startDemo: () => Promise.reject(new Error('no demo here')),
    inspect: () => Promise.reject(new Error('no controller here')),
    inspectMany: () => Promise.reject(new Error('no controller here')),
    renderLocal: () => Promise.reject(new Error('no controller here')),
    generate: () => Promise.reject(new Error('no controller here')),
    confirm: () => Promise.resolve(true),
    untilStopped: () => Promise.resolve(),
  };
  const code = await runCli(argv, host);
  return { code, ...written, started };
}

it('prints help without a command', async () => {
  const { code, out } = await run([]);
  expect(code).toBe(0);
  expect(out).toContain('Usage: argosy');
});

it('prints the help of a group without a command', async () => {
  for (const group of ['demo', 'health']) {
    const { code, out, err } = await run([group]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`Usage: argosy ${group}`);
  }
  expect(await run(['demo', 'nonsense'])).toMatchObject({
    code: 20,
    err: "argosy: unknown command 'nonsense'. See argosy --help\n",
  });
});

it('prints its version', async () => {
  expect(await run(['--version'])).toMatchObject({ code: 0, out: 'argosy 1.2.3\n' });
});

it('reports an invalid command and exits with 20', async () => {
  expect(await run(['nonsense'])).toMatchObject({
    code: 20,
    err: "argosy: unknown command 'nonsense'. See argosy --help\n",
  });
  expect((await run(['up', '--controllers', 'some'])).err).toContain('Allowed choices are all, none. See');
  expect(await run(['up'], { ARGOSY_API_PORT: 'x' })).toMatchObject({
    code: 20,
    err: 'argosy: "x" is not a port (0 to 65535). See argosy --help\n',
  });
  const { code, err } = await run(['apiserver', '--api-port', '65536']);
  expect(code).toBe(20);
  expect(err).toContain('"65536" is not a port (0 to 65535)');
});

it('flags override the environment, which overrides defaults', async () => {
  const fromDefaults = (await run(['apiserver', '--data', '/d'])).started[0];
  expect(fromDefaults).toMatchObject({ data: '/d', port: 6443, controllers: true });
  const environment = { ARGOSY_DATA: '/e', ARGOSY_API_PORT: '7000' };
  expect((await run(['apiserver'], environment)).started[0]).toMatchObject({ data: '/e', port: 7000 });
  expect(
    (await run(['up', '--no-demo', '--data', '/f', '--api-port', '0', '--controllers', 'none'], environment))
      .started[0],
  ).toMatchObject({ data: '/f', port: 0, controllers: false });
});

it('reports a fault in one sentence with place and hint, never a stack trace', async () => {
  const fault = new Fault('PORT_BUSY', 'port 1 is in use', { where: '127.0.0.1:1' });
  expect(await run(['up'], {}, fault)).toMatchObject({
    code: 20,
    err: 'argosy: port 1 is in use (127.0.0.1:1). Choose another port, or 0 for any free one\n',
  });
  const { err } = await run(['up'], {}, new TypeError('boom'));
  expect(err).toBe('argosy: boom. This is a defect of Argosy; please report it\n');
});
