import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/index.js';
import { textAt } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import {
  APPLICATIONS,
  APP_PROJECTS,
  CONFIG_MAPS,
  NAMESPACES,
  ROLES,
  ROLE_BINDINGS,
  type ResourceRef,
} from '../../src/model/resources/index.js';
import { AccessLab } from '../access/access-lab.js';
import { AuditLog, auditedText, type Audited } from '../faults/audit-log.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import { bothServers, createObject, type Server } from './both-servers.js';

const SERVERS = await bothServers();

const IN_CLUSTER = 'https://kubernetes.default.svc';
const FINALIZER = 'resources-finalizer.argocd.argoproj.io/background';
const WITHIN = { timeout: 60_000, interval: 50 };
const ALL = ['get', 'list', 'create', 'update', 'patch', 'delete'];
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const MAP = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\ndata: {a: b}\n`;

/** One application: what its project and its account allow, and what has to come of it. */
interface Case {
  readonly name: string;
  readonly path: string;
  /** `spec.destinationServiceAccounts`, as namespace | account; `HERE` is the namespace of the case. */
  readonly accounts: readonly string[];
  /** What the account may do with ConfigMaps, by the name of the account. */
  readonly rights?: Readonly<Record<string, readonly string[]>>;
  readonly options?: readonly string[];
  readonly createsNamespace?: boolean;
  readonly phase: 'Succeeded' | 'Failed' | 'Error';
  /** In the message of the operation or of one of its resources. */
  readonly says: string;
  /** Whose rights the writes used. */
  readonly user?: string;
  readonly exists: boolean;
}

const CASES: readonly Case[] = [
  {
    name: 'an account with the rights delivers',
    path: 'one',
    accounts: ['HERE | deployer'],
    rights: { deployer: ALL },
    phase: 'Succeeded',
    says: 'successfully synced',
    user: 'HERE:deployer',
    exists: true,
  },
  {
    name: 'of several entries the first that matches counts, and patterns match',
    path: 'one',
    accounts: ['other | wrong', 'HER? | deployer', '* | wrong'],
    rights: { deployer: ALL },
    phase: 'Succeeded',
    says: 'successfully synced',
    user: 'HERE:deployer',
    exists: true,
  },
  {
    name: 'an account may belong to another namespace',
    path: 'one',
    accounts: ['* | accounts:deployer'],
    rights: { 'accounts:deployer': ALL },
    phase: 'Succeeded',
    says: 'successfully synced',
    user: 'accounts:deployer',
    exists: true,
  },
  {
    name: 'an account without the right is refused by the server',
    path: 'one',
    accounts: ['* | deployer'],
    rights: { deployer: ['get', 'list'] },
    phase: 'Failed',
    says: 'User "system:serviceaccount:HERE:deployer" cannot',
    user: 'HERE:deployer',
    exists: false,
  },
  {
    name: 'without a matching account nothing is sent',
    path: 'one',
    accounts: ['other | deployer'],
    phase: 'Error',
    says: `no matching service account found for destination server ${IN_CLUSTER} and namespace HERE`,
    exists: false,
  },
  {
    name: 'an account that is a pattern is refused',
    path: 'one',
    accounts: ['* | deploy*', '* | deployer'],
    rights: { deployer: ALL },
    phase: 'Error',
    says: "failed to derive service account to impersonate: default service account contains invalid chars 'deploy*'",
    exists: false,
  },
  {
    name: 'a hook has no other rights',
    path: 'hook',
    accounts: ['* | deployer'],
    rights: { deployer: ALL },
    phase: 'Failed',
    says: 'User "system:serviceaccount:HERE:deployer" cannot',
    user: 'HERE:deployer',
    exists: false,
  },
  {
    name: 'nor has the creation of the namespace',
    path: 'one',
    accounts: ['* | deployer'],
    rights: { deployer: ALL },
    options: ['CreateNamespace=true'],
    createsNamespace: true,
    phase: 'Failed',
    says: 'User "system:serviceaccount:HERE:deployer" cannot',
    user: 'HERE:deployer',
    exists: false,
  },
  {
    name: 'nor has a dry run',
    path: 'one',
    accounts: ['* | deployer'],
    rights: { deployer: ['get', 'list'] },
    options: ['Replace=true'],
    phase: 'Failed',
    says: 'User "system:serviceaccount:HERE:deployer" cannot',
    user: 'HERE:deployer',
    exists: false,
  },
];

describe.each(SERVERS)('service accounts of syncs on %s', (_, { missing, open }) => {
  let server: Server;
  let lab: AccessLab;
  let repository: GitRepository;
  let controller: InProcessController;
  let audit: AuditLog | undefined;
  let count = 0;
  const isThere = missing === undefined;

  const create = (ref: ResourceRef, namespace: string, name: string, content: JsonObject): Promise<KubeObject> =>
    createObject(lab.cluster, ref, { namespace, name }, content);
  const read = (name: string): Promise<KubeObject | undefined> =>
    lab.cluster.get(APPLICATIONS, { namespace: 'argocd', name });

  /** A Role for an account, `name` or `namespace:name`; given anew each time. */
  async function allow(here: string, account: string, verbs: readonly string[]): Promise<void> {
    const [first = '', second] = account.split(':');
    const subject = second === undefined ? { namespace: here, name: first } : { namespace: first, name: second };
    const name = account.replace(':', '-');
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: [...verbs] }];
    const known = await lab.cluster.get(ROLES, { namespace: here, name });
    if (known !== undefined) {
      await lab.cluster.update(ROLES, { ...known, rules });
      return;
    }
    await create(ROLES, here, name, { rules });
    await create(ROLE_BINDINGS, here, name, {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', ...subject }],
    });
  }

  async function deliver(one: Partial<Case> & Pick<Case, 'path' | 'accounts'>): Promise<string> {
    const here = `case-${String.fromCharCode(97 + count++)}`;
    if (one.createsNamespace !== true) await create(NAMESPACES, '', here, {});
    for (const [account, verbs] of Object.entries(one.createsNamespace === true ? {} : (one.rights ?? {})))
      await allow(here, account, verbs);
    await create(APP_PROJECTS, 'argocd', here, {
      spec: {
        sourceRepos: ['*'],
        destinations: [{ server: '*', namespace: '*' }],
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
        destinationServiceAccounts: one.accounts.map((line) => {
          const [namespace = '', defaultServiceAccount = ''] = line
            .replaceAll('HERE', here)
            .replaceAll('HER?', `${here.slice(0, -1)}?`)
            .split(' | ');
          return { server: IN_CLUSTER, namespace, defaultServiceAccount };
        }),
      },
    });
    await lab.cluster.create(APPLICATIONS, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { namespace: 'argocd', name: here, finalizers: [FINALIZER] },
      spec: {
        project: here,
        source: { repoURL: repository.url, path: one.path, targetRevision: 'master' },
        destination: { server: IN_CLUSTER, namespace: here },
        syncPolicy: { syncOptions: [...(one.options ?? [])] },
      },
      operation: { sync: { revision: 'master', prune: true } },
    });
    return here;
  }

  /** The operation when it is over: its phase, and everything that it says. */
  async function outcome(here: string): Promise<readonly [phase: string, message: string]> {
    await expect
      .poll(async () => textAt((await read(here)) ?? {}, 'status', 'operationState', 'phase'), WITHIN)
      .toMatch(/Succeeded|Failed|Error/);
    const state = (await read(here))?.status as JsonObject;
    return [textAt(state, 'operationState', 'phase'), JSON.stringify(state.operationState)];
  }

  async function syncAgain(here: string): Promise<void> {
    const known = await read(here);
    await lab.cluster.patch(
      APPLICATIONS,
      { namespace: 'argocd', name: here },
      { type: 'merge', body: { operation: { sync: { revision: 'master', prune: true } } } },
    );
    const before = textAt(known ?? {}, 'status', 'operationState', 'startedAt');
    const id = (object: KubeObject | undefined): string =>
      JSON.stringify([textAt(object ?? {}, 'status', 'operationState', 'startedAt'), object?.operation === undefined]);
    await expect.poll(async () => id(await read(here)), WITHIN).not.toBe(JSON.stringify([before, false]));
  }

  /** The writes to a namespace that the server has seen, with whose rights; none where it writes no log. */
  // The log has no name of an object whose creation was refused: then its account says which case it is of.
  const ownerOf = (impersonated: string): string | undefined =>
    /^system:serviceaccount:([^:]+):/.exec(impersonated)?.[1];
  const writesTo = (here: string): readonly Audited[] =>
    (audit?.read() ?? []).filter(
      ({ namespace, name, resource, verb, userAgent, impersonated }) =>
        WRITES.includes(verb) &&
        (namespace === here || (resource === 'namespaces' && (name || ownerOf(impersonated)) === here)) &&
        // What the suite itself prepares.
        !/^roles|^rolebindings/.test(resource) &&
        userAgent.startsWith('argosy/'),
    );

  beforeAll(async () => {
    if (!isThere) return;
    server = await open();
    if (server.auditPath !== undefined) audit = new AuditLog(server.auditPath);
    lab = await AccessLab.open({ kubeconfig: server.kubeconfigPath, allowsFileRepositories: true });
    repository = await GitRepository.open(import.meta.dirname, [], (text) => text);
    await repository.write('one/all.yaml', MAP('settings'));
    await repository.write('two/settings.yaml', MAP('settings'));
    await repository.write('two/more.yaml', MAP('more'));
    await repository.write('hook/all.yaml', MAP('settings'));
    await repository.write(
      'hook/hook.yaml',
      'apiVersion: v1\nkind: Secret\nmetadata: {name: before, annotations: {argocd.argoproj.io/hook: PreSync}}\n',
    );
    await repository.commit();
    await lab.settings('argocd-cm', { 'application.sync.impersonation.enabled': 'true' });
    controller = await startInProcessController({ kubeconfigPath: server.kubeconfigPath, namespace: 'argocd' });
  });
  afterAll(async () => {
    if (!isThere) return;
    await controller.stop();
    await lab.close();
    await server.stop();
    await repository.close();
  });

  describe.skipIf(!isThere)('with impersonation', () => {
    it.each(CASES.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
      const here = await deliver(one);
      const [phase, message] = await outcome(here);
      const inPlace = (text: string): string => text.replaceAll('HERE', here);
      expect(phase, message).toBe(one.phase);
      expect(message.replaceAll('\\"', '"')).toContain(inPlace(one.says));
      expect((await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' })) !== undefined).toBe(
        one.exists,
      );
      if (audit === undefined) return;
      const writes = writesTo(here).filter(({ user, resource }) => user !== '' && resource !== 'namespaces');
      const users = new Set(
        [...writes, ...writesTo(here).filter(({ impersonated }) => impersonated !== '')].map(
          ({ impersonated }) => impersonated,
        ),
      );
      expect([...users]).toEqual(one.user === undefined ? [] : [`system:serviceaccount:${inPlace(one.user)}`]);
      if (one.phase === 'Failed') expect(writesTo(here).map(({ code }) => code)).toContain(403);
    });

    it('an update, the takeover of fields and a prune use the account as well, each with its own right', async () => {
      const here = await deliver({ path: 'two', accounts: ['* | deployer'], rights: { deployer: ALL } });
      expect((await outcome(here))[0]).toBe('Succeeded');
      // As kubectl has left it: its fields move to our manager before the first apply.
      const live = await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' });
      await lab.cluster.patch(
        CONFIG_MAPS,
        { namespace: here, name: 'settings' },
        {
          type: 'json',
          body: [
            {
              op: 'replace',
              path: '/metadata/managedFields',
              value: (live?.metadata.managedFields ?? []).map((entry) => ({
                ...entry,
                manager: 'kubectl-client-side-apply',
                operation: 'Update',
              })) as unknown as JsonObject[],
            },
          ],
        },
      );
      const mark = writesTo(here).length;
      await allow(here, 'deployer', ['get', 'list', 'create', 'patch']);
      await syncAgain(here);
      expect((await outcome(here))[0]).toBe('Succeeded');
      const managers = (
        await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' })
      )?.metadata.managedFields?.map(({ manager }) => manager);
      expect(managers).not.toContain('kubectl-client-side-apply');
      await lab.cluster.patch(
        APPLICATIONS,
        { namespace: 'argocd', name: here },
        { type: 'merge', body: { spec: { source: { path: 'one' } } } },
      );
      await syncAgain(here);
      const [phase, message] = await outcome(here);
      expect([phase, message.includes('cannot delete resource')]).toEqual(['Failed', true]);
      expect(await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'more' })).toBeDefined();
      if (audit === undefined) return;
      const writes = writesTo(here).slice(mark);
      expect(writes.map(auditedText)).toContain(`delete configmaps ${here}/more 403`);
      expect([...new Set(writes.map(({ impersonated }) => impersonated))]).toEqual([
        `system:serviceaccount:${here}:deployer`,
      ]);
    });

    it('a deletion needs the rights of the account, and waits for them', async () => {
      const here = await deliver({ path: 'one', accounts: ['* | deployer'], rights: { deployer: ALL } });
      expect((await outcome(here))[0]).toBe('Succeeded');
      await allow(here, 'deployer', ['get']);
      await lab.cluster.remove(
        APPLICATIONS,
        { namespace: 'argocd', name: here },
        { uid: (await read(here))?.metadata.uid ?? '' },
      );
      await expect
        .poll(async () => JSON.stringify((await read(here))?.status), WITHIN)
        .toContain(`\\"system:serviceaccount:${here}:deployer\\" cannot delete resource`);
      expect(await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' })).toBeDefined();
      await allow(here, 'deployer', ['get', 'delete']);
      await expect.poll(() => read(here), WITHIN).toBeUndefined();
      expect(await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' })).toBeUndefined();
      if (audit === undefined) return;
      expect(
        writesTo(here)
          .filter(({ verb }) => verb === 'delete')
          .every(({ impersonated }) => impersonated === `system:serviceaccount:${here}:deployer`),
      ).toBe(true);
    });

    it('a deletion without a matching account deletes nothing and says so', async () => {
      const here = await deliver({ path: 'one', accounts: ['* | deployer'], rights: { deployer: ALL } });
      expect((await outcome(here))[0]).toBe('Succeeded');
      await lab.cluster.patch(
        APP_PROJECTS,
        { namespace: 'argocd', name: here },
        { type: 'merge', body: { spec: { destinationServiceAccounts: null } } },
      );
      // Known to the controller before the deletion begins.
      await syncAgain(here);
      expect((await outcome(here))[0]).toBe('Error');
      await lab.cluster.remove(
        APPLICATIONS,
        { namespace: 'argocd', name: here },
        { uid: (await read(here))?.metadata.uid ?? '' },
      );
      await expect
        .poll(async () => JSON.stringify((await read(here))?.status), WITHIN)
        .toContain(
          `cannot apply impersonation: no matching service account found for destination server ${IN_CLUSTER} ` +
            `and namespace ${here}`,
        );
      expect(await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' })).toBeDefined();
    });

    it('what people do to live objects over the API uses the account', async () => {
      const here = await deliver({ path: 'one', accounts: ['* | deployer'], rights: { deployer: ALL } });
      expect((await outcome(here))[0]).toBe('Succeeded');
      await expect
        .poll(async () => textAt((await read(here)) ?? {}, 'status', 'sync', 'status'), WITHIN)
        .toBe('Synced');
      const token = await lab.token();
      const where =
        `/api/v1/applications/${here}/resource?namespace=${here}` + '&resourceName=settings&version=v1&kind=ConfigMap';
      const edit = (): ReturnType<AccessLab['request']> =>
        lab.request(`${where}&patchType=${encodeURIComponent('application/merge-patch+json')}`, {
          method: 'POST',
          token,
          body: JSON.stringify('{"data":{"by":"hand"}}'),
        });
      await lab.until('the API knows the object', async () => (await lab.request(where, { token })).status === 200);
      expect((await edit()).status).toBe(200);
      const invalid = await lab.request('/api/v1/projects', {
        method: 'POST',
        token,
        body: {
          project: {
            metadata: { name: 'invalid' },
            spec: { destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: '*' }] },
          },
        },
      });
      expect([invalid.status, invalid.text]).toEqual([
        400,
        expect.stringContaining("defaultServiceAccount has an invalid format, '*'"),
      ]);
      await allow(here, 'deployer', ['get']);
      const refused = await Promise.all([edit(), lab.request(where, { method: 'DELETE', token })]);
      for (const { text } of refused)
        expect(text).toContain(`User \\"system:serviceaccount:${here}:deployer\\" cannot`);
      await lab.cluster.patch(
        APP_PROJECTS,
        { namespace: 'argocd', name: here },
        { type: 'merge', body: { spec: { destinationServiceAccounts: null } } },
      );
      await lab.until('no account is left', async () => (await lab.request(where, { token })).status !== 200);
      expect((await lab.request(where, { token })).text).toContain(
        `error getting application cluster config: no matching service account found for destination server ` +
          `${IN_CLUSTER} and namespace ${here}`,
      );
      expect((await lab.cluster.get(CONFIG_MAPS, { namespace: here, name: 'settings' }))?.data).toEqual({
        a: 'b',
        by: 'hand',
      });
    });

    it('without enforcement an application without an account uses the rights of the controller', async () => {
      await lab.settings('argocd-cm', {
        'application.sync.impersonation.enabled': 'true',
        'application.sync.impersonation.enforced': 'false',
      });
      try {
        await expect
          .poll(async () => {
            const here = await deliver({ path: 'one', accounts: [] });
            return (await outcome(here))[0];
          }, WITHIN)
          .toBe('Succeeded');
        const bound = await deliver({ path: 'one', accounts: ['* | deployer'], rights: { deployer: ['get'] } });
        expect((await outcome(bound))[0]).toBe('Failed');
      } finally {
        await lab.settings('argocd-cm', { 'application.sync.impersonation.enforced': undefined });
      }
    });
  });
});
