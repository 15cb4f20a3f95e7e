import { isArray, isObject, own, textAt, type JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import type { Lab } from './lab.js';
import { APPLICATIONS } from '../../src/model/resources/index.js';

export const CONTROL_NAMESPACE = 'argocd';
export const IN_CLUSTER = 'https://kubernetes.default.svc';

export interface ApplicationPlan {
  readonly name: string;
  readonly namespace: string;
  readonly repoURL: string;
  readonly path: string;
  readonly revision?: string;
  readonly project?: string;
  /** Another cluster than the one that it is written in. */
  readonly server?: string;
  /** Undefined: people sync. */
  readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean; readonly allowEmpty?: boolean };
  readonly syncOptions?: readonly string[];
  readonly finalizer?: boolean | 'background';
  /** Instead of the one source. */
  readonly sources?: readonly JsonObject[];
  readonly helm?: JsonObject;
  /** A sync to begin with. */
  readonly operation?: JsonObject;
  readonly retry?: JsonObject;
}

export function applicationOf(plan: ApplicationPlan): KubeObject {
  const source: JsonObject = {
    repoURL: plan.repoURL,
    path: plan.path,
    targetRevision: plan.revision ?? 'main',
    ...(plan.helm === undefined ? {} : { helm: plan.helm }),
  };
  const finalizer = `resources-finalizer.argocd.argoproj.io${plan.finalizer === 'background' ? '/background' : ''}`;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: plan.name,
      namespace: CONTROL_NAMESPACE,
      ...(plan.finalizer === undefined || plan.finalizer === false ? {} : { finalizers: [finalizer] }),
    },
    spec: {
      project: plan.project ?? 'default',
      ...(plan.sources === undefined ? { source } : { sources: [...plan.sources] }),
      destination: { server: plan.server ?? IN_CLUSTER, namespace: plan.namespace },
      syncPolicy: {
        ...(plan.automated === undefined ? {} : { automated: { ...plan.automated } }),
        ...(plan.syncOptions === undefined ? {} : { syncOptions: [...plan.syncOptions] }),
        ...(plan.retry === undefined ? {} : { retry: plan.retry }),
      },
    },
    ...(plan.operation === undefined ? {} : { operation: plan.operation }),
  };
}

/** What an Application's status says, read with patience. */
export interface ApplicationStatus {
  readonly sync: string;
  readonly health: string;
  readonly revision: string;
  readonly phase: string;
  readonly message: string;
  readonly isRequested: boolean;
  readonly conditions: readonly string[];
  readonly resources: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly status: string;
    readonly health: string;
  }[];
  /** Rows of the operation: `phase Kind/name status hookPhase`. */
  readonly results: readonly JsonObject[];
  /** Who asked for the operation. */
  readonly by: string;
}

export function readStatus(application: KubeObject | undefined): ApplicationStatus {
  const status = objectIn(application, 'status');
  const state = objectIn(status, 'operationState');
  const list = (from: JsonObject, name: string): JsonObject[] => {
    const value = own(from, name);
    return isArray(value) ? value.filter(isObject) : [];
  };
  const sync = objectIn(status, 'sync');
  const revisions = own(sync, 'revisions');
  return {
    sync: textAt(sync, 'status'),
    revision: textAt(sync, 'revision') || (isArray(revisions) ? revisions.join(' ') : ''),
    health: textAt(objectIn(status, 'health'), 'status'),
    phase: textAt(state, 'phase'),
    message: textAt(state, 'message'),
    by: textAt(objectIn(objectIn(state, 'operation'), 'initiatedBy'), 'username'),
    isRequested: application !== undefined && own(application, 'operation') !== undefined,
    conditions: list(status, 'conditions').map((each) => `${textAt(each, 'type')}: ${textAt(each, 'message')}`),
    resources: list(status, 'resources').map((each) => ({
      kind: textAt(each, 'kind'),
      namespace: textAt(each, 'namespace'),
      name: textAt(each, 'name'),
      status: textAt(each, 'status'),
      health: textAt(objectIn(each, 'health'), 'status'),
    })),
    results: list(objectIn(state, 'syncResult'), 'resources'),
  };
}

export function objectIn(from: JsonObject | undefined, name: string): JsonObject {
  const value = from === undefined ? undefined : own(from, name);
  return isObject(value) ? value : {};
}

/** What a test does to one Application, straight at the server. */
export class ApplicationHandle {
  constructor(
    readonly lab: Lab,
    readonly name: string,
  ) {}

  static async create(lab: Lab, plan: ApplicationPlan): Promise<ApplicationHandle> {
    await lab.cluster.create(APPLICATIONS, applicationOf(plan));
    return new ApplicationHandle(lab, plan.name);
  }

  async read(): Promise<KubeObject | undefined> {
    return await this.lab.cluster.get(APPLICATIONS, { namespace: CONTROL_NAMESPACE, name: this.name });
  }

  async status(): Promise<ApplicationStatus> {
    return readStatus(await this.read());
  }

  async patch(body: JsonObject): Promise<void> {
    await this.lab.cluster.patch(
      APPLICATIONS,
      { namespace: CONTROL_NAMESPACE, name: this.name },
      { type: 'merge', body },
    );
  }

  /** Asks for a sync; the name tells its state from that of an earlier one. */
  async sync(username = 'trial', sync: JsonObject = {}): Promise<void> {
    await this.patch({ operation: { sync, initiatedBy: { username } } });
  }

  async refresh(how: 'normal' | 'hard' = 'normal'): Promise<void> {
    await this.patch({ metadata: { annotations: { 'argocd.argoproj.io/refresh': how } } });
  }

  /** Until a refresh that was asked for is done. */
  async refreshed(within = 30_000): Promise<ApplicationStatus> {
    let application: KubeObject | undefined;
    await this.lab.until(
      `${this.name} is refreshed`,
      async () => {
        application = await this.read();
        return application?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined;
      },
      within,
    );
    return readStatus(application);
  }

  async until(
    what: string,
    condition: (shown: ApplicationStatus) => boolean,
    within = 30_000,
  ): Promise<ApplicationStatus> {
    let shown: ApplicationStatus | undefined;
    try {
      await this.lab.until(what, async () => condition((shown = await this.status())), within, 20);
    } catch (error) {
      throw new Error(
        `${this.name}: ${error instanceof Error ? error.message : String(error)}; it is ${statusText(shown)}`,
        { cause: error },
      );
    }
    return shown as ApplicationStatus;
  }

  async remove(): Promise<void> {
    const application = await this.read();
    if (application !== undefined)
      await this.lab.cluster.remove(
        APPLICATIONS,
        { namespace: CONTROL_NAMESPACE, name: this.name },
        { uid: application.metadata.uid ?? '' },
      );
  }
}

export function isDone({ phase, isRequested }: ApplicationStatus): boolean {
  return !isRequested && ['Succeeded', 'Failed', 'Error'].includes(phase);
}

export function statusText(shown: ApplicationStatus | undefined): string {
  if (shown === undefined) return 'not there';
  return (
    `${shown.sync || 'no sync status'}, ${shown.health || 'no health'}, operation ` +
    `${shown.phase || 'none'}${shown.message === '' ? '' : ` (${shown.message})`}` +
    shown.conditions.map((each) => `; ${each}`).join('')
  );
}
