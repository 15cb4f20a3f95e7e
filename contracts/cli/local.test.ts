import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CliHost } from '../../src/cli/index.js';
import { loadCatalogue, inspect, renderLocal, type Cluster } from '../../src/control/index.js';
import { systemClock } from '../../src/cluster/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import { openAppLab, type AppLab, type Ran } from './app-lab.js';
import { CONFIG_MAPS, SECRETS } from '../../src/model/resources/index.js';

const ROOT = resolve(import.meta.dirname, '../..');
const WORKER = join(ROOT, 'dist/render-worker.js');
const LONG = 120_000;
const PASSWORD = 'correct-horse';

describe.skipIf(!existsSync(WORKER))('files of this machine in place of the repository', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'argosy-local-'));
  const folder = join(scratch, 'clone', 'apps', 'web');
  let lab: AppLab;
  let repository: GitRepository;
  let controller: InProcessController;

  const looking = (cluster: Cluster, namespace: string) => ({
    cluster,
    namespace,
    log: NO_LOG,
    data: join(scratch, 'data'),
    world: { clock: systemClock, random: Math.random, report: () => undefined },
    environment: { PATH: process.env['PATH'] },
    version: '0.0.0',
    profile: 'kubernetes' as const,
    catalogue: loadCatalogue(join(ROOT, 'catalogue')),
    renderWorker: pathToFileURL(WORKER),
    remoteHosts: [],
    fileRepositories: [tmpdir()],
    isReadOnly: true,
  });
  /** A command that looks and renders as the real one does. */
  const run = (words: readonly string[], more: Partial<CliHost> = {}): Promise<Ran> =>
    lab.run(['app', ...words], {
      inspect: (cluster, application, { namespace, ...how }) => inspect(application, looking(cluster, namespace), how),
      renderLocal: (cluster, application, files, { namespace }) =>
        renderLocal(application, files, looking(cluster, namespace)),
      now: Date.now,
      ...more,
    });
  const live = (name: string): Promise<KubeObject | undefined> =>
    lab.cluster.get(CONFIG_MAPS, { namespace: 'shop', name });
  const map = (value: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {value: ${value}}\n`;

  beforeAll(async () => {
    lab = await openAppLab();
    repository = await GitRepository.open('/nonexistent', [], (text) => text);
    await repository.write('web/settings.yaml', map('git'));
    await repository.commit();
    mkdirSync(folder, { recursive: true });
    mkdirSync(join(scratch, 'data'));
    mkdirSync(join(scratch, 'clone', '.git'));
    writeFileSync(join(folder, 'settings.yaml'), map('mine'));
    writeFileSync(
      join(folder, 'extra.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {a: b}\n',
    );
    controller = await startInProcessController({ kubeconfigPath: lab.kubeconfig, namespace: 'argocd' });
    for (const [name, syncPolicy] of [
      ['web', {}],
      ['auto', { automated: {} }],
    ] as const)
      await lab.create(name, {
        spec: { source: { repoURL: repository.url, path: 'web', targetRevision: 'master' }, syncPolicy },
      });
    expect((await run(['sync', 'web', '--timeout', '60'])).code).toBe(0);
  }, LONG);
  afterAll(async () => {
    await controller.stop();
    await repository.close();
    await lab.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it(
    'app diff and app manifests show what the files give',
    async () => {
      expect((await run(['diff', 'web'])).code).toBe(0);
      const { code, out } = await run(['diff', 'web', '--local', folder]);
      expect(code).toBe(1);
      expect(out).toContain('===== /ConfigMap shop/settings ======');
      expect(out).toMatch(/^\/data\/value +mine +git +argosy /m);
      expect(out).toContain('only in the local files: a sync creates it');
      expect((await run(['manifests', 'web', '--local', folder])).out).toContain('value: mine');
      expect((await live('settings'))?.['data']).toEqual({ value: 'git' });
    },
    LONG,
  );

  it(
    'app sync --local delivers them once somebody has seen what changes, and the application is OutOfSync afterwards',
    async () => {
      const no = await run(['sync', 'web', '--local', folder, '--preview-changes'], {
        confirm: () => Promise.resolve(false),
      });
      expect([no.code, no.out]).toEqual([
        0,
        expect.stringMatching(
          /^====== Previewing differences[^]*value: mine[^]*The sync of 'argocd\/web' was cancelled\.\n$/,
        ),
      ]);
      expect((await live('settings'))?.['data']).toEqual({ value: 'git' });
      const yes = await run(['sync', 'web', '--local', folder, '--preview-changes', '--assumeYes', '--timeout', '60']);
      expect([yes.code, yes.err]).toEqual([0, expect.stringMatching(/^context .*\n$/)]);
      expect((await live('settings'))?.['data']).toEqual({ value: 'mine' });
      expect((await live('extra'))?.['data']).toEqual({ a: 'b' });
      expect((await lab.get('web'))?.['status']).toMatchObject({
        sync: { status: 'OutOfSync' },
        operationState: {
          phase: 'Succeeded',
          operation: { sync: { manifests: [expect.stringContaining('"extra"'), expect.stringContaining('"mine"')] } },
        },
      });
      const none = await run(['sync', 'web', '--local', folder, '--preview-changes']);
      expect([none.code, none.out]).toEqual([0, expect.stringContaining('====== No Differences found ======')]);
    },
    LONG,
  );

  it(
    'is refused where it would not stay, and where the files are none',
    async () => {
      const said = async (...words: string[]): Promise<string> =>
        (await run(['sync', ...words])).err.split('\n').at(-2) ?? '';
      expect(await said('auto', '--local', folder)).toContain(
        'Cannot use local sync when Automatic Sync Policy is enabled except with --dry-run',
      );
      expect(await said('web', '--local', join(scratch, 'absent'))).toContain(
        'absent does not exist or may not be read',
      );
      expect(await said('web', '--local', join(folder, 'extra.yaml'))).toContain(
        'is neither a folder nor a chart archive',
      );
      expect(await said('web', '--local', folder, '--revision', 'v1')).toContain('--local or a revision, not both');
      expect(await said('web', '--local', folder, '--local-repo-root', join(scratch, 'data'))).toContain(
        'is not inside',
      );
      expect(await said('web', '--local', join(scratch, 'data'))).toContain('the folder holds no objects');
      writeFileSync(join(folder, 'broken.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: [');
      expect(await said('web', '--local', folder)).toContain('broken.yaml');
      rmSync(join(folder, 'broken.yaml'));
    },
    LONG,
  );

  it(
    'warns of Secrets that the operation would show, and shows none itself',
    async () => {
      writeFileSync(
        join(folder, 'secret.yaml'),
        `apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: ${PASSWORD}}\n`,
      );
      const { code, out, err } = await run([
        'sync',
        'web',
        '--local',
        folder,
        '--preview-changes',
        '--assumeYes',
        '--timeout',
        '60',
      ]);
      expect([code, err]).toEqual([0, expect.stringContaining('warning: a Secret is among the local files')]);
      expect(await lab.cluster.get(SECRETS, { namespace: 'shop', name: 'login' })).toMatchObject({
        data: { password: Buffer.from(PASSWORD).toString('base64') },
      });
      for (const secret of [PASSWORD, Buffer.from(PASSWORD).toString('base64')])
        expect(out + err).not.toContain(secret);
    },
    LONG,
  );

  it(
    'lets the program of KUBECTL_EXTERNAL_DIFF compare, without a shell and without Secrets',
    async () => {
      writeFileSync(
        join(folder, 'secret.yaml'),
        'apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: another}\n',
      );
      const program = join(scratch, 'compare.mjs');
      writeFileSync(
        program,
        "import { readFileSync, statSync } from 'node:fs';\nconst files = process.argv.slice(-2);\n" +
          "process.stdout.write(`${process.argv.slice(2, -2).join('|')}\\n${files.map((file) => " +
          "`${(statSync(file).mode & 0o777).toString(8)} ${file.split('/').at(-1)}\\n${readFileSync(file, " +
          "'utf8')}`).join('')}`);\nprocess.exit(Number(process.env.COMPARE_ENDS ?? '1'));\n",
      );
      chmodSync(program, 0o755);
      const outside = (line: string): Partial<CliHost> => ({
        environment: { USER: 'kim', KUBECTL_EXTERNAL_DIFF: line },
      });
      const before = readdirSync(tmpdir()).filter((name) => name.startsWith('argosy-diff-')).length;
      const { code, out } = await run(
        ['diff', 'web', '--local', folder],
        outside(`${process.execPath} ${program} -u "a b" '$(id);|'`),
      );
      expect(code).toBe(1);
      expect(out).toContain('===== /Secret shop/login ======\n-u|a b|$(id);|\n600 Secret-login-live.yaml\n');
      expect(out).toContain('600 Secret-login.yaml\n');
      for (const secret of [PASSWORD, 'another'])
        expect(out + Buffer.from(out).toString('base64')).not.toContain(Buffer.from(secret).toString('base64'));
      expect(out).not.toContain('another');
      expect((await run(['diff', 'web', '--local', folder], outside('/nonexistent/diff'))).err).toContain(
        'cannot start /nonexistent/diff (ENOENT) (KUBECTL_EXTERNAL_DIFF)',
      );
      expect(
        await run(['diff', 'web', '--local', folder], outside(`${process.execPath} -e process.exit(2)`)),
      ).toMatchObject({
        code: 2,
        err: expect.stringContaining('the program ended with 2 (KUBECTL_EXTERNAL_DIFF)') as string,
      });
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith('argosy-diff-')).length).toBe(before);
    },
    LONG,
  );
});
