import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer, type ApiServer } from '../../src/apiserver/index.js';
import { connect, loadKubeconfig, systemClock, type Cluster, type ExecSession } from '../../src/cluster/index.js';
import { type JsonObject, textAt } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { connectCluster } from '../harness/in-process-controller.js';
import { findSandbox } from '../../src/apiserver/runtime/process/sandbox.js';
import { builtPart, realParts } from '../real/parts.js';
import { PODS } from '../../src/model/resources/index.js';

const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? `skipped: ${sandbox.why.replaceAll(/[()]/g, '')}` : undefined;
const kubectl = await realParts(['kubectl']);
const run = promisify(execFile);
const WITHIN = { timeout: 20_000, interval: 20 };

/** A program that somebody started, and what it wrote. */
class Screen {
  text = '';
  session: ExecSession | undefined;

  static async open(cluster: Cluster, pod: string, command: readonly string[]): Promise<Screen> {
    const screen = new Screen();
    screen.session = await cluster.exec({ namespace: 'default', pod, container: 'main', command }, (bytes) => {
      screen.text += bytes.toString('utf8');
    });
    return screen;
  }

  async type(text: string, shows: RegExp): Promise<void> {
    this.session?.write(text);
    await expect.poll(() => this.text, WITHIN).toMatch(shows);
  }
}

describe.skipIf(missing !== undefined)(
  `a program in a container${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const data = mkdtempSync(join(tmpdir(), 'argosy-exec-'));
    let server: ApiServer;
    let cluster: Cluster;
    const read = (name: string): Promise<KubeObject | undefined> => cluster.get(PODS, { namespace: 'default', name });
    const pod = async (name: string, container: JsonObject): Promise<void> => {
      await cluster.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', ...container }] },
      });
      await vi.waitFor(async () => {
        expect(textAt((await read(name)) ?? {}, 'status', 'phase')).toBe('Running');
      }, WITHIN);
    };
    beforeAll(async () => {
      server = await startApiServer({
        data,
        port: 0,
        controllers: true,
        log: NO_LOG,
        processes: { images: [{ image: 'here:*' }] },
      });
      cluster = await connectCluster(server.kubeconfig);
      await pod('web', {
        image: 'here:1',
        command: ['sleep', '3600'],
        workingDir: '/place',
        env: [{ name: 'COLOUR', value: "blue $(x) 'q'" }],
      });
      await pod('played', { image: 'busybox' });
    });
    afterAll(async () => {
      await cluster.close();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    });

    it('has a terminal, and is in the container with its variables, its directory and its processes', async () => {
      const screen = await Screen.open(cluster, 'web', ['sh']);
      await screen.type('echo "<$COLOUR> <$PWD> <$TERM>"\n', /<blue \$\(x\) 'q'> <\/place> <xterm>/);
      await screen.type('test -t 0 && echo "is a $((40 + 2))"; cat /proc/1/comm\n', /is a 42\r?\n[^]*(?:sleep|bwrap)/);
      screen.session?.resize(101, 31);
      await screen.type('stty size\n', /31 101/);
      await screen.type('ls .. >/dev/null; touch /usr/canary || echo cannot write\n', /cannot write/);
      await screen.type('exit 7\n', /exit 7/);
      expect(await screen.session?.ended).toMatchObject({
        exitCode: 7,
        message: expect.stringContaining('exit status 7') as string,
      });
    });

    it('hears Ctrl-C', async () => {
      const screen = await Screen.open(cluster, 'web', ['sh']);
      await screen.type('echo "ready $((1 + 1))"\n', /ready 2/);
      await screen.type('echo "begun $((1 + 2))"; sleep 3599\n', /begun 3/);
      await screen.type('\u0003', /\^C/);
      await screen.type('echo "still $((2 + 2))"\n', /still 4/);
      screen.session?.close();
      await screen.session?.ended;
    });

    it('that is not there is told apart from one that fails', async () => {
      const [absent, failing] = [
        await Screen.open(cluster, 'web', ['no-such-shell']),
        await Screen.open(cluster, 'web', ['false']),
      ];
      expect(await absent.session?.ended).toMatchObject({
        exitCode: undefined,
        message: expect.stringContaining('"no-such-shell": executable file not found') as string,
      });
      expect(await failing.session?.ended).toMatchObject({ exitCode: 1 });
      expect(absent.text).toBe('');
    });

    it('that reads nothing is ended, before what it does not read fills the memory', async () => {
      const screen = await Screen.open(cluster, 'web', ['sleep', '3600']);
      const line = `${'x'.repeat(1000)}\n`.repeat(900);
      const flood = setInterval(() => {
        screen.session?.write(line);
      }, 1);
      expect((await screen.session?.ended)?.exitCode).not.toBe(0);
      clearInterval(flood);
    });

    it('ends with its container', async () => {
      await pod('brief', { image: 'here:1', command: ['sleep', '3600'] });
      const screen = await Screen.open(cluster, 'brief', ['sh']);
      await screen.type('echo "here $((1 + 2))"\n', /here 3/);
      await cluster.remove(
        PODS,
        { namespace: 'default', name: 'brief' },
        { uid: (await read('brief'))?.metadata.uid ?? '', gracePeriodSeconds: 0 },
      );
      expect((await screen.session?.ended)?.exitCode).not.toBe(0);
    });

    it.each([
      ['a pod that is not there', { pod: 'nobody' }, 'pods "nobody" not found'],
      ['a container that is not there', { container: 'other' }, 'container other is not valid for pod web'],
      ['a container that is played', { pod: 'played' }, 'is simulated here'],
      ['no command', { command: [] }, 'you must specify a command'],
    ])('is refused for %s', async (_, wrong, words) => {
      await expect(
        cluster.exec(
          { namespace: 'default', pod: 'web', container: 'main', command: ['sh'], ...wrong },
          () => undefined,
        ),
      ).rejects.toThrow(words);
    });

    it('goes through a proxy, and says when there is no way through it', async () => {
      const asked: string[] = [];
      const proxy = createServer().on('connect', ({ url = '', headers }: IncomingMessage, client: Socket) => {
        asked.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
        if (headers['proxy-authorization'] === undefined)
          return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        const [host = '', port = ''] = url.split(':');
        const far = connectTcp(Number(port), host, () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n');
        });
        for (const socket of [far, client])
          socket.on('error', () => {
            socket.destroy();
          });
        far.pipe(client).pipe(far);
      });
      await new Promise<void>((resolve) => {
        proxy.listen(0, '127.0.0.1', () => {
          resolve();
        });
      });
      const { port } = proxy.address() as AddressInfo;
      const config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig });
      const through = (proxyUrl: string): Cluster =>
        connect(
          { ...config, proxyUrl },
          { clock: systemClock, random: Math.random, report: () => undefined },
          { version: '0', environment: {} },
        );
      const screen = await Screen.open(through(`http://me:secret@127.0.0.1:${port}`), 'web', ['sh']);
      await screen.type('echo "here $((4 + 4))"\n', /here 8/);
      screen.session?.close();
      await screen.session?.ended;
      expect(asked).toEqual([`${new URL(server.url).host} Basic ${Buffer.from('me:secret').toString('base64')}`]);
      await expect(Screen.open(through(`http://127.0.0.1:${port}`), 'web', ['sh'])).rejects.toThrow(
        'the proxy answered 407',
      );
      await expect(Screen.open(through('http://127.0.0.1:1'), 'web', ['sh'])).rejects.toThrow(
        'the connection was refused',
      );
      proxy.closeAllConnections();
      proxy.close();
    });

    it('is refused where the connection only reads, and where nobody asks for a WebSocket', async () => {
      const config = await loadKubeconfig({ path: server.kubeconfig, environment: {}, defaultPath: server.kubeconfig });
      const reader = connect(
        config,
        { clock: systemClock, random: Math.random, report: () => undefined },
        { version: '0', environment: {}, readOnly: true },
      );
      await expect(Screen.open(reader, 'web', ['sh'])).rejects.toThrow('this connection is read-only');
      await expect(cluster.text('/api/v1/namespaces/default/pods/web/exec?command=sh')).rejects.toThrow(
        'Upgrade request required',
      );
    });

    it('does not keep the server from stopping', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'argosy-exec-'));
      const own = await startApiServer({
        data: folder,
        port: 0,
        controllers: true,
        log: NO_LOG,
        processes: { images: [{ image: 'here:*' }] },
      });
      const there = await connectCluster(own.kubeconfig);
      await there.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web', namespace: 'default' },
        spec: { containers: [{ name: 'main', image: 'here:1', command: ['sleep', '3600'] }] },
      });
      await expect
        .poll(
          async () => textAt((await there.get(PODS, { namespace: 'default', name: 'web' })) ?? {}, 'status', 'phase'),
          WITHIN,
        )
        .toBe('Running');
      const screen = await Screen.open(there, 'web', ['sh']);
      await screen.type('echo "here $((2 + 3))"\n', /here 5/);
      await own.close();
      expect((await screen.session?.ended)?.exitCode).not.toBe(0);
      await there.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it.skipIf(kubectl.kind === 'missing')(
      `works with kubectl exec${kubectl.kind === 'missing' ? ` (skipped: ${kubectl.reason})` : ''}`,
      async () => {
        const program = await builtPart('kubectl');
        const ask = (...words: string[]) => run(program, ['--kubeconfig', server.kubeconfig, 'exec', 'web', ...words]);
        const { stdout, stderr } = await ask('--', 'sh', '-c', 'echo out; echo err >&2');
        expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
        await expect(ask('--', 'sh', '-c', 'exit 5')).rejects.toMatchObject({ code: 5 });
        const piped = execFile(program, [
          '--kubeconfig',
          server.kubeconfig,
          'exec',
          '-i',
          'web',
          '--',
          'tr',
          'a-z',
          'A-Z',
        ]);
        let shown = '';
        piped.stdout?.on('data', (text: string) => {
          shown += text;
        });
        piped.stdin?.end('to be large\n');
        await new Promise((resolve) => {
          piped.once('close', resolve);
        });
        expect(shown).toBe('TO BE LARGE\n');
      },
    );
  },
);
