import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesWith } from '../../../../contracts/real/processes-with.js';
import { isObject, type JsonObject } from '../../../model/json/index.js';
import { NO_LOG, plainLogger } from '../../../model/logging/index.js';
import { startApiServer, type ApiServer } from '../../server.js';
import { allowedImage, readAllowedImage } from './allowed-image.js';
import { expand } from './container-environment.js';
import { findSandbox } from './sandbox.js';
import { ProcessLab, stateOf } from '../../testing/process-lab.js';

const scratch = mkdtempSync(join(tmpdir(), 'argosy-processes-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const sandbox = findSandbox();
const missing = sandbox.kind === 'none' ? ` (skipped: ${sandbox.why.replaceAll(/[()]/g, '')})` : '';
const sh = (script: string, ...more: string[]): JsonObject => ({ command: ['sh', '-c', script, ...more] });

async function untilGone(word: string): Promise<void> {
  for (let turn = 0; turn < 200 && processesWith(word).length > 0; turn++)
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  expect(processesWith(word)).toEqual([]);
}

describe(`images that run here${missing}`, { skip: missing !== '' }, () => {
  let server: ApiServer;
  let lab: ProcessLab;
  const data = join(scratch, 'data');
  const start = async (): Promise<void> => {
    server = await startApiServer({
      data,
      port: 0,
      controllers: true,
      log: NO_LOG,
      processes: { images: [{ image: 'here:*' }] },
    });
    lab = new ProcessLab(server.kubeconfig);
  };
  beforeAll(start);
  afterAll(() => server.close());

  it('have their variables, arguments and working directory', async () => {
    await lab.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { COLOUR: 'blue' },
      binaryData: { BYTES: 'Ynl0ZXM=' },
    });
    await lab.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'login' },
      stringData: { password: 'p ä$$"\n!', LD_LIBRARY_PATH: '/nowhere' },
    });
    await lab.pod('variables', {
      ...sh(
        'printf "%s|" "$COLOUR" "$PASSWORD" "$SUM" "$POD" "$ADDRESS" "$1" "$PWD" "$WROTE" "$HOME" "$LATE" ' +
          '"$BYTES"; env | grep -c ARGOSY_ADDRESS=127; echo $LD_LIBRARY_PATH',
        'sh',
      ),
      args: ['$(COLOUR)-$$(x)-$(none)-$(HOME)-$(SUM)'],
      workingDir: '/work/here',
      envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'login' } }],
      env: [
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } },
        { name: 'SUM', value: '$(COLOUR)+$(POD)' },
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
        { name: 'WROTE', value: '{"path":"$$(COLOUR)/$$$$(x)","port":"$(KUBERNETES_SERVICE_PORT)"}' },
        { name: 'LATE', value: '$(POD)' },
      ],
    });
    const status = await lab.ended('variables');
    const lines = await lab.log('variables');
    expect(lines).toContain(
      `blue|p ä$$"\n!|blue+$(POD)|variables|${String(status['podIP'])}|blue-$(x)-$(none)-$(HOME)-blue+$(POD)|` +
        `/work/here|{"path":"$(COLOUR)/$$(x)","port":"${new URL(server.url).port}"}|/root|variables||1`,
    );
    expect(lines).toContain('\n/nowhere\n');
    expect(status['phase']).toBe('Succeeded');
  });

  it('share volumes, see settings and secrets, and keep what they write to a claim', async () => {
    await lab.create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'models' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const volumes: JsonObject[] = [
      { name: 'work', emptyDir: {} },
      { name: 'settings', configMap: { name: 'settings', items: [{ key: 'COLOUR', path: 'deep/colour' }] } },
      { name: 'login', secret: { secretName: 'login', defaultMode: 256 } },
      { name: 'models', persistentVolumeClaim: { claimName: 'models' } },
    ];
    await lab.pod(
      'trains',
      {
        ...sh(
          'cat /work/seed /etc/settings/deep/colour; cat /login/password; echo v1 > /mnt/models/model; ' +
            'touch /etc/settings/x || echo refused; touch /usr/x || echo refused; ls /mnt/models',
        ),
        volumeMounts: [
          { name: 'work', mountPath: '/work' },
          { name: 'settings', mountPath: '/etc/settings' },
          { name: 'login', mountPath: '/login' },
          { name: 'models', mountPath: '/mnt/models', subPath: 'fraud' },
        ],
      },
      {
        volumes,
        initContainers: [
          {
            name: 'fetch',
            image: 'here:v1',
            command: ['sh', '-c', 'echo seed > /work/seed'],
            volumeMounts: [{ name: 'work', mountPath: '/work' }],
          },
        ],
      },
    );
    expect((await lab.ended('trains'))['phase']).toBe('Succeeded');
    expect((await lab.log('trains')).split('\n').filter((line) => !line.startsWith('touch:'))).toEqual([
      'seed',
      'bluep ä$$"',
      '!refused',
      'refused',
      'model',
      '',
    ]);
    await lab.pod(
      'serves',
      {
        ...sh('cat /mnt/models/fraud/model; echo v2 > /mnt/models/fraud/model'),
        volumeMounts: [{ name: 'models', mountPath: '/mnt/models', readOnly: true }],
      },
      { volumes },
    );
    const status = await lab.ended('serves');
    expect(await lab.log('serves')).toMatch(/^v1\n.*Read-only file system/);
    expect(status['phase']).toBe('Failed');
    expect(readdirSync(join(data, 'volumes'))).toHaveLength(1);
  });

  it('are known to the API as the account of their pod', async () => {
    const program =
      'import json, os, ssl, urllib.request\nf = "/var/run/secrets/kubernetes.io/serviceaccount/"\nr = ' +
      'urllib.request.Request("https://%s:%s/apis/authentication.k8s.io/v1/selfsubjectreviews" % ' +
      '(os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]), ' +
      'json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}).encode(), ' +
      '{"Authorization": "Bearer " + open(f + "token").read(), "Content-Type": "application/json"})\n' +
      'print(json.load(urllib.request.urlopen(r, context=ssl.create_default_context(cafile=f + ' +
      '"ca.crt")))["status"]["userInfo"]["username"], open(f + "namespace").read(), "tokenFile" in ' +
      'open(os.environ["KUBECONFIG"]).read())';
    await lab.pod('account', { command: ['python3', '-c', program] });
    await lab.ended('account');
    expect(await lab.log('account')).toBe('system:serviceaccount:default:default default True\n');
  });

  it('end with their exit code and termination message', async () => {
    await lab.pod('words', {
      ...sh('echo one; echo the reason >&2; exit 7'),
      terminationMessagePolicy: 'FallbackToLogsOnError',
    });
    expect(stateOf(await lab.ended('words'))['terminated']).toMatchObject({
      exitCode: 7,
      reason: 'Error',
      message: expect.stringContaining('the reason') as string,
    });
    await lab.pod('written', sh('printf done > /dev/termination-log; exit 1'));
    expect(stateOf(await lab.ended('written'))['terminated']).toMatchObject({
      exitCode: 1,
      reason: 'Error',
      message: 'done',
    });
  });

  it('are read while they write', async () => {
    await lab.pod('talks', sh('echo first; read line < /go/on; echo $line'), {
      volumes: [{ name: 'go', emptyDir: {} }],
      containers: [
        {
          name: 'app',
          image: 'here:v1',
          ...sh('echo first; until [ -e /go/on ]; do sleep 0.1; done; echo last'),
          volumeMounts: [{ name: 'go', mountPath: '/go' }],
        },
      ],
    });
    await lab.until('talks', (status) => stateOf(status)['running'] !== undefined);
    const { body } = await lab.ask('GET', '/api/v1/namespaces/default/pods/talks');
    const uid = isObject(body) && isObject(body['metadata']) ? String(body['metadata']['uid']) : '';
    const { text } = await lab.ask(
      'GET',
      '/api/v1/namespaces/default/pods/talks/log?follow=true',
      undefined,
      (piece) => {
        if (piece.includes('first')) writeFileSync(join(data, 'pods', uid, 'volumes', 'go', 'on'), '');
      },
    );
    expect(text).toBe('first\nlast\n');
  });

  it('get SIGTERM, then SIGKILL, together with their children', async () => {
    const mark = `argosy-mark-${process.pid}`;
    await lab.pod(
      'polite',
      sh(
        `trap 'echo bye; exit 3' TERM; (setsid sh -c 'sleep 300; true ${mark}-1' &); echo up; while true; ` +
          'do sleep 0.1; done',
      ),
    );
    await lab.until('polite', (status) => stateOf(status)['running'] !== undefined);
    while (!(await lab.log('polite')).includes('up'))
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    expect(processesWith(`${mark}-1`).length).toBeGreaterThan(0);
    await lab.ask('DELETE', '/api/v1/namespaces/default/pods/polite');
    await untilGone(`${mark}-1`);
    await lab.pod('late', sh(`sleep 300; true ${mark}-2`), {
      activeDeadlineSeconds: 1,
      terminationGracePeriodSeconds: 1,
    });
    expect(await lab.ended('late')).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    await untilGone(`${mark}-2`);
  });

  it('report why they cannot be created', async () => {
    const rejection = async (name: string, container: JsonObject, spec: JsonObject = {}): Promise<unknown> => {
      await lab.pod(name, container, spec);
      const waiting = stateOf(
        await lab.until(
          name,
          (status) =>
            isObject(stateOf(status)['waiting']) &&
            stateOf(status)['waiting'] !== undefined &&
            (stateOf(status)['waiting'] as JsonObject)['reason'] === 'CreateContainerError',
        ),
      )['waiting'];
      return isObject(waiting) ? waiting['message'] : undefined;
    };
    expect(await rejection('silent', {})).toBe(
      'image here:v1 has no program of its own here: the container must name a command',
    );
    expect(await rejection('absent', { command: ['no-such-program'] })).toBe(
      'exec: "no-such-program": executable file not found on this machine',
    );
    expect(
      await rejection(
        'host',
        { ...sh('true'), volumeMounts: [{ name: 'h', mountPath: '/h' }] },
        { volumes: [{ name: 'h', hostPath: { path: '/etc' } }] },
      ),
    ).toMatch(/^volume "h" is a hostPath, and processes have only emptyDir/);
    expect(
      await rejection(
        'hole',
        {
          ...sh('true'),
          env: [{ name: 'PART', value: 'x' }],
          volumeMounts: [{ name: 'h', mountPath: '/h', subPathExpr: '$(PART)/$(NOTHING)' }],
        },
        { volumes: [{ name: 'h', emptyDir: {} }] },
      ),
    ).toBe('missing value for NOTHING');
    expect(
      await rejection(
        'above',
        { ...sh('true'), volumeMounts: [{ name: 'h', mountPath: '/usr/no-such-place' }] },
        { volumes: [{ name: 'h', emptyDir: {} }] },
      ),
    ).toBe("nothing can be mounted at /usr/no-such-place: /usr is this machine's own");
  });

  it('cannot escape a volume through a symlink', async () => {
    await lab.pod(
      'links',
      {
        ...sh('ln -s /root /mnt/models/out; ln -s / /mnt/models/top'),
        volumeMounts: [{ name: 'models', mountPath: '/mnt/models' }],
      },
      { volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' } }] },
    );
    await lab.ended('links');
    await lab.pod(
      'leaves',
      { ...sh('ls -la /mnt/models'), volumeMounts: [{ name: 'models', mountPath: '/mnt/models', subPath: 'out' }] },
      { volumes: [{ name: 'models', persistentVolumeClaim: { claimName: 'models' } }] },
    );
    const status = await lab.until(
      'leaves',
      (each) =>
        isObject(stateOf(each)['waiting']) &&
        (stateOf(each)['waiting'] as JsonObject)['reason'] === 'CreateContainerError',
    );
    expect(stateOf(status)['waiting']).toMatchObject({ message: 'subPath "out" leads out of its volume' });
  });

  it('are the only ones: others are simulated and run nothing', async () => {
    const file = join(scratch, 'ran');
    await lab.pod('other', { image: 'elsewhere:v1', ...sh(`touch ${file}`) });
    await lab.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'told', annotations: { 'argosy.dev/simulate': '{"app": {"exitCode": 0}}' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'here:v1', ...sh(`touch ${file}`) }] },
    });
    expect((await lab.ended('other'))['phase']).toBe('Succeeded');
    await lab.ended('told');
    expect(await lab.log('other')).toContain('simulated: nothing is executed');
    expect(existsSync(file)).toBe(false);
  });

  it('end with the server; after the next start their status says so and their logs are kept', async () => {
    const mark = `argosy-mark-${process.pid}-3`;
    await lab.pod('runs', sh(`echo before; sleep 300; true ${mark}`));
    await lab.until('runs', (status) => stateOf(status)['running'] !== undefined);
    while (!(await lab.log('runs')).includes('before'))
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    await server.close();
    await untilGone(mark);
    await start();
    expect(stateOf(await lab.ended('runs'))['terminated']).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
      message: 'the process ended with the server that ran it',
    });
    expect(await lab.log('runs')).toBe('before\n');
    expect(await lab.log('words')).toBe('one\nthe reason\n');
  });
});

describe(`a server in a process of its own${missing}`, { skip: missing !== '' }, () => {
  const serve = (name: string, ...before: string[]): ReturnType<typeof spawn> => {
    mkdirSync(join(scratch, name));
    const words = [
      ...before,
      process.execPath,
      '--import',
      'tsx',
      join(import.meta.dirname, '../../testing/serve.ts'),
      join(scratch, name),
    ];
    return spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const up = (child: ReturnType<typeof spawn>): Promise<void> =>
    new Promise((resolve) => {
      child.stdout?.once('data', () => resolve());
    });

  it('leaves no process behind when it is killed', async () => {
    const mark = `argosy-mark-${process.pid}-4`;
    const child = serve('killed');
    await up(child);
    const lab = new ProcessLab(join(scratch, 'killed', 'kubeconfig'));
    await lab.pod('runs', sh(`(setsid sh -c 'sleep 300; true ${mark}' &); echo up; sleep 300; true ${mark}`));
    await lab.until('runs', (status) => stateOf(status)['running'] !== undefined);
    while (!(await lab.log('runs')).includes('up'))
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    child.kill('SIGKILL');
    await untilGone(mark);
  });

  it('kills processes that an earlier server left behind', async () => {
    const mark = `argosy-mark-${process.pid}-5`;
    const file = join(
      scratch,
      'left',
      'pods',
      '00000000-0000-4000-8000-000000000000',
      'containers',
      'app-0',
      'message',
    );
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    spawn(
      'unshare',
      [
        '--user',
        '--map-root-user',
        '--mount',
        'sh',
        '-c',
        'mount --bind "$1" "$2" && sleep 300; true "$3"',
        'sh',
        file,
        file,
        mark,
      ],
      { detached: true, stdio: 'ignore' },
    ).unref();
    while (!processesWith(mark).some((pid) => readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes('app-0/message')))
      await new Promise((resolve) => {
        setTimeout(resolve, 25);
      });
    const lines: string[] = [];
    const server = await startApiServer({
      data: join(scratch, 'left'),
      port: 0,
      controllers: true,
      log: plainLogger((line) => void lines.push(line)),
      processes: { images: [] },
    });
    await untilGone(mark);
    await server.close();
    expect(lines).toContainEqual(
      expect.stringMatching(/^kubelet: ended \d processes that an earlier server left behind$/),
    );
  });

  it('does not start where pods cannot be confined, and says what is missing', async () => {
    const child = serve(
      'bare',
      'unshare',
      '--user',
      '--map-root-user',
      'sh',
      '-c',
      'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
      'sh',
    );
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).toContain('WALLS_MISSING');
    expect(said).toMatch(
      /this machine cannot confine pods: it lacks .*\(bwrap: .*unshare: .*\); allow user namespaces/,
    );
  });
});

describe('the list of images', () => {
  const allowed = ['quay.io/ml/*', 'kserve/sklearnserver', 'my-model-server', 'here:*'].map((image) =>
    readAllowedImage(image),
  );
  it.each([
    ['quay.io/ml/pandas-notebook:latest', true],
    ['quay.io/mlx/a', false],
    ['kserve/sklearnserver', true],
    ['docker.io/kserve/sklearnserver:latest', true],
    ['kserve/sklearnserver:v2', false],
    ['my-model-server', true],
    ['evil.io/my-model-server', false],
    ['here:v7', true],
    ['Not An Image', false],
  ])('%s: %s', (image, expected) => {
    expect(allowedImage(allowed, image, 'default') !== undefined).toBe(expected);
  });

  it('may name a program', () => {
    expect(readAllowedImage('serve:v1=/opt/bin/serve')).toEqual({
      image: 'serve:v1',
      program: ['/opt/bin/serve'],
      folders: ['/opt/bin'],
    });
    expect(() => readAllowedImage('serve:v1=serve')).toThrow('is not an image, or an image with =/path/of/a/program');
  });
});

describe('variables are filled in as the kubelet does', () => {
  const named = new Map([
    ['A', 'one'],
    ['B', '$(A)'],
    ['A(B', 'odd'],
    ['EMPTY', ''],
  ]);
  it.each([
    ['$(A) $(B)', 'one $(A)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$one'],
    ['$$$$(A)', '$$(A)'],
    ['$(C)', '$(C)'],
    ['$A $', '$A $'],
    ['$(A', '$(A'],
    ['$(A$$', '$(A$'],
    ['$()', '$()'],
    ['$(A(B)', 'odd'],
    ['$($(A))', '$($(A))'],
    ['$(EMPTY)|', '|'],
    ['a)$(A)', 'a)one'],
    ['$', '$'],
    ['$$', '$'],
    ['${A} $(A)$', '${A} one$'],
  ])('%s is %s', (text, expected) => {
    expect(expand(text, named)).toBe(expected);
  });
});
