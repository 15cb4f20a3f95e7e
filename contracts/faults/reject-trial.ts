import { seededRandom } from '../../src/apiserver/store/testing/random.js';
import { ClusterError } from '../../src/cluster/index.js';
import { own, textAt, writeJson, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { ApplicationHandle, isDone, objectIn, statusText, type ApplicationStatus } from './application.js';
import { Lab, type ControllerIdentity } from './lab.js';
import type { TestRepository } from './repository.js';
import {
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  SECRETS,
  SERVICES,
  SERVICE_ACCOUNTS,
  type ResourceRef,
} from '../../src/model/resources/index.js';

export const REJECTIONS = ['an admission policy', 'a quota', 'an immutable field', 'a missing permission'] as const;
type Rejection = (typeof REJECTIONS)[number];

const POLICIES: ResourceRef = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
};
const BINDINGS: ResourceRef = {
  ...POLICIES,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
};
const QUOTAS: ResourceRef = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};

/** The objects of the application, in the order in which they are applied; the last is of a later wave. */
const OBJECTS: readonly {
  readonly kind: ResourceRef;
  readonly name: string;
  readonly more: JsonObject;
  readonly wave: number;
}[] = [
  { kind: SERVICE_ACCOUNTS, name: 'runner', more: {}, wave: 0 },
  { kind: SECRETS, name: 'secret', more: { stringData: { a: 'b' } }, wave: 0 },
  { kind: CONFIG_MAPS, name: 'one', more: { data: { a: 'b' } }, wave: 0 },
  { kind: CONFIG_MAPS, name: 'two', more: { data: { a: 'b' } }, wave: 0 },
  { kind: SERVICES, name: 'web', more: { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }, wave: 0 },
  { kind: CONFIG_MAPS, name: 'later', more: { data: { a: 'b' } }, wave: 1 },
];

export const REJECTED_OBJECTS = OBJECTS.length;

export interface RejectOutcome {
  readonly wrong: readonly string[];
  readonly othersApplied: number;
}

/** The server refuses one of the objects of a sync. */
export class RejectLab {
  #hasStarted = false;
  #serial = 0;

  private constructor(
    readonly lab: Lab,
    readonly seat: ControllerIdentity,
    readonly repository: TestRepository,
  ) {}

  static async open(): Promise<RejectLab> {
    const lab = await Lab.open();
    const repository = lab.repository();
    repository.commit(
      Object.fromEntries(
        OBJECTS.map((_, index) => [`app/${index}.yaml`, `${writeJson(manifestOf(index))}\n`] as const),
      ),
    );
    return new RejectLab(lab, await lab.createIdentity(), repository);
  }

  close(): Promise<void> {
    return this.lab.close();
  }

  async play(k: number, rejection: Rejection, seed: number): Promise<RejectOutcome> {
    const { lab } = this;
    if (!this.#hasStarted) await lab.startController(this.seat);
    this.#hasStarted = true;
    const rejected = OBJECTS[k % OBJECTS.length];
    if (rejected === undefined) throw new Error('there are no objects');
    const how =
      rejection === 'an immutable field' && rejected.kind !== CONFIG_MAPS && rejected.kind !== SECRETS
        ? 'an admission policy'
        : rejection;
    const name = `reject-${++this.#serial}-${seededRandom(seed).integer(1000)}`;
    await lab.namespace(name);
    const heal = await this.#reject(name, k % OBJECTS.length, how);
    const application = await ApplicationHandle.create(lab, {
      name,
      namespace: name,
      repoURL: this.repository.url,
      path: 'app',
      operation: { sync: {}, initiatedBy: { username: 'refused' } },
    });
    const wrong: string[] = [];
    const shown = await application.until(
      'the refused sync ends',
      (each) => each.by === 'refused' && isDone(each),
      30_000,
    );
    wrong.push(...this.#judge(shown, rejected));
    const applied = await this.#applied(name);
    // A quota refuses every object of the kind, the others of a wave or none of them as the improvement wants; a later
    // wave never comes.
    if (rejected.wave === 0 && applied.includes('later')) wrong.push('the next wave was applied');
    await heal();
    await application.sync('healed');
    const healed = await application.until(
      'the next sync ends',
      (each) => each.by === 'healed' && isDone(each),
      30_000,
    );
    if (healed.phase !== 'Succeeded') wrong.push(`after the obstacle was gone: ${statusText(healed)}`);
    await application
      .until('it is Synced', ({ sync }) => sync === 'Synced', 10_000)
      .catch((error: unknown) => {
        wrong.push(String(error));
      });
    const left = OBJECTS.map((object) => object.name).filter((object) => !applied.includes(object));
    const now = await this.#applied(name);
    if (now.length !== OBJECTS.length)
      wrong.push(`after the obstacle was gone ${left.filter((object) => !now.includes(object)).join(', ')} is missing`);
    await application.remove();
    return {
      wrong: wrong.map((line) => `${how}, ${rejected.kind.kind} ${rejected.name}: ${line}`),
      othersApplied: applied.length,
    };
  }

  #judge(shown: ApplicationStatus, rejected: (typeof OBJECTS)[number]): string[] {
    const wrong: string[] = [];
    if (shown.phase !== 'Failed') wrong.push(`the operation ended as ${statusText(shown)}, not Failed`);
    if (shown.sync === 'Synced') wrong.push('it says Synced');
    const row = shown.results.find(
      (each) => textAt(each, 'name') === rejected.name && textAt(each, 'kind') === rejected.kind.kind,
    );
    if (row === undefined) wrong.push(`no row names it: ${statusText(shown)}`);
    else if (textAt(row, 'status') !== 'SyncFailed' || textAt(row, 'message') === '')
      wrong.push(`its row is ${writeJson(row)}`);
    return wrong;
  }

  async #reject(namespace: string, k: number, how: Rejection): Promise<() => Promise<void>> {
    const { lab } = this;
    const rejected = OBJECTS[k] ?? OBJECTS[0];
    if (rejected === undefined) throw new Error('there are no objects');
    if (how === 'a quota') {
      const quota: KubeObject = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none', namespace },
        spec: { hard: { [`count/${rejected.kind.plural}`]: '0' } },
      };
      await lab.cluster.create(QUOTAS, quota);
      await lab.until(
        'the quota counts',
        async () =>
          own(
            objectIn(objectIn(await lab.cluster.get(QUOTAS, { namespace, name: 'none' }), 'status'), 'hard'),
            `count/${rejected.kind.plural}`,
          ) !== undefined,
      );
      return () => this.#remove(QUOTAS, 'none', namespace);
    }
    if (how === 'an immutable field') {
      await lab.cluster.create(rejected.kind, {
        apiVersion: 'v1',
        kind: rejected.kind.kind,
        metadata: { name: rejected.name, namespace },
        immutable: true,
        ...(rejected.kind === SECRETS ? { stringData: { a: 'old' } } : { data: { a: 'old' } }),
      });
      return () => this.#remove(rejected.kind, rejected.name, namespace);
    }
    if (how === 'a missing permission') return this.#withhold(namespace, rejected);
    await this.#forbid(namespace, rejected);
    return async () => {
      await this.#remove(BINDINGS, namespace);
      await this.#remove(POLICIES, namespace);
      await lab.until('the policy is off', () => this.#isTaken(namespace, rejected));
    };
  }

  async #forbid(namespace: string, { kind, name }: (typeof OBJECTS)[number]): Promise<void> {
    const matchConstraints = {
      resourceRules: [
        {
          apiGroups: [kind.group],
          apiVersions: [kind.version],
          operations: ['CREATE', 'UPDATE'],
          resources: [kind.plural],
        },
      ],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    };
    await this.lab.cluster.create(POLICIES, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: namespace },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints,
        validations: [{ expression: `object.metadata.name != '${name}'`, message: 'the trial refuses this object' }],
      },
    });
    await this.lab.cluster.create(BINDINGS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: namespace },
      spec: { policyName: namespace, validationActions: ['Deny'] },
    });
    await this.lab.until('the policy is on', async () => !(await this.#isTaken(namespace, { kind, name })));
  }

  /** The controller may do everything but apply one object, until it may again. */
  async #withhold(role: string, { kind, name }: (typeof OBJECTS)[number]): Promise<() => Promise<void>> {
    const { lab, seat } = this;
    const account = seat.user.split(':').at(-1) ?? '';
    const less = `${account}-less`;
    await lab.cluster.create(CLUSTER_ROLES, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'] },
        { nonResourceURLs: ['*'], verbs: ['get'] },
        { apiGroups: ['argoproj.io', 'coordination.k8s.io'], resources: ['*'], verbs: ['patch'] },
        {
          apiGroups: [''],
          resources: OBJECTS.map((each) => each.kind.plural).filter((plural) => plural !== kind.plural),
          verbs: ['patch'],
        },
        {
          apiGroups: [''],
          resources: [kind.plural],
          verbs: ['patch'],
          resourceNames: [...OBJECTS.map((each) => each.name).filter((each) => each !== name), 'nobody'],
        },
      ],
    });
    await lab.bind(account, role, less);
    await this.#remove(CLUSTER_ROLE_BINDINGS, account);
    await lab.until('the permission is gone', async () => !(await this.#mayPatch(kind, name)));
    return async () => {
      await lab.bind(account, 'cluster-admin');
      await lab.until('the permission is back', () => this.#mayPatch(kind, name));
      await this.#remove(CLUSTER_ROLE_BINDINGS, less);
      await this.#remove(CLUSTER_ROLES, role);
    };
  }

  async #mayPatch({ plural }: ResourceRef, name: string): Promise<boolean> {
    const review = await this.lab.request('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: this.seat.user,
        resourceAttributes: { verb: 'patch', resource: plural, name, namespace: 'default' },
      },
    });
    return objectIn(review, 'status').allowed === true;
  }

  async #isTaken(namespace: string, { kind, name }: Pick<(typeof OBJECTS)[number], 'kind' | 'name'>): Promise<boolean> {
    const index = OBJECTS.findIndex((object) => object.kind === kind && object.name === name);
    try {
      await this.lab.cluster.create(kind, { ...manifestOf(index), metadata: { name, namespace } }, { dryRun: true });
      return true;
    } catch (error) {
      if (error instanceof ClusterError) return error.isAlreadyExists;
      throw error;
    }
  }

  async #applied(namespace: string): Promise<string[]> {
    const there = await Promise.all(
      OBJECTS.map(async ({ kind, name }) =>
        (await this.lab.cluster.get(kind, { namespace, name }))?.metadata.annotations?.[
          'argocd.argoproj.io/tracking-id'
        ] === undefined
          ? []
          : [name],
      ),
    );
    return there.flat();
  }

  async #remove(kind: ResourceRef, name: string, namespace?: string): Promise<void> {
    const live = await this.lab.cluster.get(kind, { name, namespace });
    if (live !== undefined) await this.lab.cluster.remove(kind, { name, namespace }, { uid: live.metadata.uid ?? '' });
  }
}

function manifestOf(index: number): KubeObject {
  const object = OBJECTS[index];
  if (object === undefined) throw new Error('there is no such object');
  return {
    apiVersion: 'v1',
    kind: object.kind.kind,
    metadata: { name: object.name, annotations: { 'argocd.argoproj.io/sync-wave': String(object.wave) } },
    ...object.more,
  };
}
