import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuditLog, type AuditRecord, type OpenAudit } from '../../src/audit/index.js';
import { systemClock } from '../../src/cluster/index.js';
import type { JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { NO_LOG } from '../../src/model/logging/index.js';
import {
  APP_PROJECTS,
  APPLICATIONS,
  CONFIG_MAPS,
  NAMESPACES,
  type ResourceRef,
} from '../../src/model/resources/index.js';
import { embeddedMissing } from '../embedded/embedded-server.js';
import { GitRepository } from '../harness/git-repository.js';
import { startInProcessController, type InProcessController } from '../harness/in-process-controller.js';
import { AccessLab } from './access-lab.js';

const missing = embeddedMissing();
const FINALIZER = 'resources-finalizer.argocd.argoproj.io/background';
const SERVER = 'https://kubernetes.default.svc';
const PLACE = 'shop';
const ALWAYS = { schedule: '* * * * *', duration: '1h', applications: ['*'] };

/** What a project says, and the refusal that the log then has. */
interface Refusal {
  readonly what: string;
  readonly project: string;
  readonly spec: JsonObject;
  readonly isAutomated?: boolean;
  readonly says: string;
}

const WINDOWS: readonly Refusal[] = [
  {
    what: 'an automated sync that a window prevents',
    project: 'closed',
    spec: { syncWindows: [{ kind: 'deny', ...ALWAYS }] },
    isAutomated: true,
    says: 'automated sync prevented by sync window',
  },
  {
    what: 'a sync that a window blocks, and who asked for it',
    project: 'closed-too',
    spec: { syncWindows: [{ kind: 'deny', ...ALWAYS }] },
    says: 'Sync operation blocked by sync window',
  },
  {
    what: 'a sync under windows that cannot be read',
    project: 'unreadable',
    spec: { syncWindows: [{ kind: 'deny', ...ALWAYS, schedule: 'now and then' }] },
    says: 'invalid sync windows: ',
  },
];

/** With `application.sync.impersonation.enabled`. */
const ACCOUNTS: readonly Refusal[] = [
  {
    what: 'no service account',
    project: 'nobody',
    spec: { destinationServiceAccounts: [] },
    says: `no matching service account found for destination server ${SERVER} and namespace ${PLACE}`,
  },
  {
    what: 'a service account that is a pattern',
    project: 'pattern',
    spec: { destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'deploy*' }] },
    says: "default service account contains invalid chars 'deploy*'",
  },
  {
    what: 'a service account without the right',
    project: 'weak',
    spec: { destinationServiceAccounts: [{ server: '*', namespace: '*', defaultServiceAccount: 'deployer' }] },
    says: `User "system:serviceaccount:${PLACE}:deployer" cannot`,
  },
];

describe.skipIf(missing !== undefined)(
  `the audit log of the controller${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'argosy-audit-refusals-'));
    let lab: AccessLab;
    let repository: GitRepository;
    let controller: InProcessController;
    let audit: OpenAudit;

    const create = (ref: ResourceRef, name: string, rest: JsonObject, more: JsonObject = {}): Promise<KubeObject> =>
      lab.cluster.create(ref, {
        apiVersion: ref.group === '' ? ref.version : `${ref.group}/${ref.version}`,
        kind: ref.kind,
        metadata: { name, ...(ref === NAMESPACES ? {} : { namespace: 'argocd' }), ...more },
        ...rest,
      });
    const refusals = async (project: string, verb: string): Promise<readonly AuditRecord[]> => {
      const { records = [] } = (await audit.find({ limit: 1000, project, verb })) ?? {};
      return records.filter(({ decision }) => decision === 'refused');
    };
    const createApplication = async ({ project, spec, isAutomated = false }: Refusal): Promise<void> => {
      const metadata = { name: `of-${project}`, namespace: PLACE };
      const annotations = { 'argocd.argoproj.io/tracking-id': `web-${project}:/ConfigMap:${PLACE}/of-${project}` };
      await create(CONFIG_MAPS, metadata.name, {}, { ...metadata, annotations });
      await create(APP_PROJECTS, project, {
        spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], ...spec },
      });
      await create(
        APPLICATIONS,
        `web-${project}`,
        {
          spec: {
            project,
            source: { repoURL: repository.url, path: 'app' },
            destination: { server: SERVER, namespace: PLACE },
            ...(isAutomated ? { syncPolicy: { automated: {} } } : {}),
          },
          ...(isAutomated ? {} : { operation: { initiatedBy: { username: 'ann' }, sync: { prune: true } } }),
        },
        { finalizers: [FINALIZER] },
      );
    };
    const refused = async (one: Refusal, verb: string): Promise<void> => {
      const { project, isAutomated = false, says } = one;
      await lab.until(`there is a refused ${verb}`, async () => (await refusals(project, verb)).length > 0);
      const [record] = await refusals(project, verb);
      expect(record).toMatchObject({
        source: 'controller',
        user: verb === 'sync' && !isAutomated ? 'ann' : 'argosy-controller',
        resource: 'applications',
        object: `${project}/web-${project}`,
        result: 'refused',
        ...(verb === 'sync' ? { automated: isAutomated } : {}),
      });
      expect(record?.message).toContain(says);
    };

    beforeAll(async () => {
      lab = await AccessLab.open();
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
      await repository.write('app/a.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wanted}\n');
      await repository.commit();
      await create(NAMESPACES, PLACE, {});
      controller = await startInProcessController({ kubeconfigPath: lab.kubeconfig, namespace: 'argocd', audit });
    });
    afterAll(async () => {
      await controller.stop();
      await audit.close();
      await lab.close();
      await repository.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it.each(WINDOWS)('names $what', async (one) => {
      await createApplication(one);
      await refused(one, 'sync');
    });

    it.each(ACCOUNTS)('names a sync and a deletion with $what', async (one) => {
      await lab.settings('argocd-cm', { 'application.sync.impersonation.enabled': 'true' });
      await createApplication(one);
      await refused(one, 'sync');
      const id = { namespace: 'argocd', name: `web-${one.project}` };
      const uid = (await lab.cluster.get(APPLICATIONS, id))?.metadata.uid ?? '';
      await lab.cluster.remove(APPLICATIONS, id, { uid });
      await refused(one, 'delete');
    });
  },
);
