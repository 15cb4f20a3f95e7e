import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditLog, readLineHash, verifyFile, type AuditRecord, type OpenAudit } from '../../src/audit/index.js';
import { systemClock } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import { APP_PROJECTS, APPLICATIONS, NAMESPACES } from '../../src/model/resources/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import type { HttpResponse, RequestOptions } from '../harness/send-request.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const SECRET = 'no-word-of-this';
const SPEC = {
  project: 'shop',
  source: { repoURL: 'https://git.example.com/a', path: 'a' },
  destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
};

/** What somebody does, as whom, and what the log says of it; nothing where that is undefined. */
interface Act {
  readonly what: string;
  readonly as: 'admin' | 'dev' | 'nobody';
  readonly path: string;
  readonly asked?: RequestOptions;
  readonly recorded: Partial<AuditRecord> | undefined;
}

const ACTS: readonly Act[] = [
  {
    what: 'a read that is allowed',
    as: 'dev',
    path: '/api/v1/applications/web',
    recorded: undefined,
  },
  {
    what: 'a read without a session',
    as: 'nobody',
    path: '/api/v1/applications/web?token=no-word-of-this',
    recorded: {
      user: '',
      verb: 'get',
      resource: 'applications',
      object: 'web',
      decision: 'refused',
      result: 'Unauthenticated',
      status: 401,
      route: 'GET /api/v1/applications/{name}',
    },
  },
  {
    what: 'a read of an application of others, which looks absent to the reader',
    as: 'dev',
    path: '/api/v1/applications/vault?project=shop',
    recorded: { user: 'dev', verb: 'get', object: 'vault', decision: 'refused', result: 'NotFound', status: 404 },
  },
  {
    what: 'a sync that is allowed',
    as: 'dev',
    path: '/api/v1/applications/web/sync',
    asked: { method: 'POST', body: { revision: 'v1', dryRun: true } },
    recorded: {
      user: 'dev',
      verb: 'sync',
      resource: 'applications',
      object: 'shop/web',
      project: 'shop',
      revision: 'v1',
      decision: 'allowed',
      result: 'ok',
      status: 200,
    },
  },
  {
    what: 'a right that the handler asks for',
    as: 'dev',
    path: '/api/v1/applications/web/resource/actions?kind=Deployment&group=apps&namespace=shop&resourceName=api',
    asked: { method: 'POST', body: '"restart"' },
    recorded: {
      user: 'dev',
      verb: 'action/apps/Deployment/restart',
      object: 'shop/web',
      target: 'apps/Deployment shop/api',
      decision: 'refused',
      result: 'PermissionDenied',
    },
  },
  {
    what: 'a write that fails for another reason',
    as: 'admin',
    path: '/api/v1/projects/none',
    asked: { method: 'DELETE' },
    recorded: { user: 'admin', verb: 'delete', resource: 'projects', decision: 'allowed', result: 'NotFound' },
  },
  {
    what: 'a new repository, whose address and password are secrets',
    as: 'admin',
    path: '/api/v1/repositories',
    asked: {
      method: 'POST',
      body: { repo: `https://u:${SECRET}@127.0.0.1:1/b`, username: 'u', password: SECRET, project: 'shop' },
    },
    recorded: { user: 'admin', verb: 'create', resource: 'repositories', object: 'shop/https://***@127.0.0.1:1/b' },
  },
  {
    what: 'a login with a wrong password',
    as: 'nobody',
    path: '/api/v1/session',
    asked: { method: 'POST', body: { username: 'admin', password: SECRET } },
    recorded: { user: '', verb: 'login', object: 'admin', decision: 'refused', result: 'Unauthenticated' },
  },
  {
    what: 'a login as somebody who is not there, which may be a password in the wrong place',
    as: 'nobody',
    path: '/api/v1/session',
    asked: { method: 'POST', body: { username: SECRET, password: 'x' } },
    recorded: { user: '', verb: 'login', object: '(unknown account)', decision: 'refused' },
  },
];

describe.skipIf(missing !== undefined)(`the audit log${missing === undefined ? '' : ` (${missing})`}`, () => {
  let lab: AccessLab;
  let tokens: Map<string, string>;
  const send = (as: Act['as'], path: string, asked: RequestOptions = {}): Promise<HttpResponse> =>
    lab.request(path, { ...asked, token: tokens.get(as) ?? '' });
  const create = (kind: string, name: string, spec: JsonObject): Promise<unknown> =>
    lab.cluster.create(kind === 'Application' ? APPLICATIONS : APP_PROJECTS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind,
      metadata: { name, namespace: 'argocd' },
      spec,
    });

  beforeAll(async () => {
    lab = await AccessLab.open();
    await lab.cluster.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    await create('AppProject', 'shop', { sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'shop' }] });
    await create('Application', 'web', SPEC);
    await create('Application', 'vault', { ...SPEC, project: 'default' });
    tokens = await lab.people(
      ['dev'],
      ['p, dev, applications, get, shop/*, allow', 'p, dev, applications, sync, shop/*, allow'],
    );
    await lab.until('everything is known', async () => {
      const [web, vault] = [
        await send('dev', '/api/v1/applications/web'),
        await send('admin', '/api/v1/applications/vault'),
      ];
      return web.status === 200 && vault.status === 200;
    });
  });
  afterAll(async () => {
    await lab.close();
  });

  it.each(ACTS)('has one line for $what', async ({ as, path, asked, recorded }) => {
    const before = (await lab.audit()).length;
    const { headers } = await send(as, path, {
      ...asked,
      headers: { 'user-agent': 'argosy-cli/1.2.3', 'x-forwarded-for': '203.0.113.7' },
    });
    // The line is written before the answer is sent.
    const after = (await lab.audit()).slice(before);
    const common = { address: '127.0.0.1', client: 'argosy-cli', forwarded: '203.0.113.7', source: 'api' };
    expect(after).toMatchObject(
      recorded === undefined ? [] : [{ ...common, ...recorded, request: headers.get('x-request-id') }],
    );
    expect(after.length).toBe(recorded === undefined ? 0 : 1);
  });

  it('holds no secret, and is whole', async () => {
    expect(readFileSync(lab.auditFile, 'utf8')).not.toContain(SECRET);
    const found = await verifyFile(lab.auditFile, { lineHash: await readLineHash(undefined) });
    expect([found.bad, found.lines > ACTS.length]).toEqual([undefined, true]);
  });

  it('is shown to those who may get audit, the newest first', async () => {
    const { status } = await send('dev', '/api/v1/audit');
    const { body } = await send('admin', '/api/v1/audit?refused=true&user=dev&limit=1&since=1h');
    expect([status, body.items]).toMatchObject([
      403,
      [{ user: 'dev', resource: 'audit', object: '*', decision: 'refused' }],
    ]);
    expect(await send('admin', '/api/v1/audit?since=yesterday')).toMatchObject({ status: 400 });
  });

  describe('of the controller', () => {
    let repository: GitRepository;
    let controller: InProcessController;
    let audit: OpenAudit;
    let folder = '';
    const ROLE = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: audit}\nrules: []\n';
    const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
    const until = async (wanted: Partial<AuditRecord>): Promise<AuditRecord> => {
      let found: AuditRecord | undefined;
      const isThere = (record: AuditRecord): boolean =>
        Object.entries(wanted).every(([key, value]) => record[key as keyof AuditRecord] === value);
      await lab.until(`there is a line with ${JSON.stringify(wanted)}`, async () => {
        found = (await audit.find({ limit: 1000 }))?.records.find(isThere);
        return found !== undefined;
      });
      if (found === undefined) throw new Error('not there');
      return found;
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'argosy-audit-'));
      audit = await openAuditLog({
        file: join(folder, 'audit.jsonl'),
        keyFile: undefined,
        maxBytes: 1 << 30,
        maxBackups: 0,
        clock: systemClock,
        log: NO_LOG,
        write: () => undefined,
      });
      repository = await GitRepository.open(folder, [], (text) => text);
      await repository.write('app/a.yaml', map('kept'));
      await repository.write('app/b.yaml', map('dropped'));
      await repository.commit();
      controller = await startInProcessController({ kubeconfigPath: lab.kubeconfig, namespace: 'argocd', audit });
    });
    afterAll(async () => {
      await controller.stop();
      await audit.close();
      await repository.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('names who asked for a sync, what was pruned and deleted, and what was refused', async () => {
      const id = { namespace: 'argocd', name: 'delivered' };
      await create('Application', 'delivered', { ...SPEC, source: { repoURL: repository.url, path: 'app' } });
      const ask = (sync: JsonObject): Promise<unknown> =>
        lab.cluster.patch(APPLICATIONS, id, {
          type: 'merge',
          body: { operation: { initiatedBy: { username: 'ann' }, sync } },
        });
      const line = { object: 'shop/delivered', source: 'controller', verb: 'sync' } as const;
      await ask({ prune: true });
      const { revision } = await until({ ...line, user: 'ann', result: 'started', automated: false });
      expect(revision).toMatch(/^[0-9a-f]{40}$/);
      await until({ ...line, user: 'ann', result: 'Succeeded', revision });
      await repository.remove('app/b.yaml');
      await repository.write('app/role.yaml', ROLE);
      const later = await repository.commit();
      await ask({ prune: true, revision: later });
      const { message } = await until({ ...line, decision: 'refused', revision: later });
      expect(message).toContain('is not permitted in project shop');
      await repository.remove('app/role.yaml');
      const last = await repository.commit();
      // Nobody collects garbage here.
      await ask({ prune: true, revision: last, syncOptions: ['PrunePropagationPolicy=background'] });
      expect(await until({ ...line, result: 'Succeeded', revision: last })).toMatchObject({
        pruned: ['ConfigMap shop/dropped'],
        project: 'shop',
      });
      const { metadata } = await lab.cluster.patch(APPLICATIONS, id, {
        type: 'merge',
        body: { metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io/background'] } },
      });
      await lab.cluster.remove(APPLICATIONS, id, { uid: metadata.uid ?? '' });
      await until({ ...line, verb: 'delete', result: 'Succeeded' });
      const { records = [] } = (await audit.find({ limit: 1000, verb: 'delete' })) ?? {};
      expect(records.flatMap(({ pruned = [] }) => pruned)).toEqual(['ConfigMap shop/kept']);
    });
  });
});
